import type { LogBlock } from "../log-blocks.ts";
import type { Candidate } from "../pack-lines.ts";
import type { SourceLine } from "../source-lines.ts";
import type { ChatCandidates } from "./chat-candidates.ts";
import type { Corrections } from "./corrections.ts";
import { isSaid } from "./weigh-terms.ts";

/** A speaker's name at the beginning of a line, also in a script without capitals. */
const SPEAKER = /^([\p{Lu}\p{Lo}][\p{L}\p{M}\p{N} .'’-]{0,30}): /u;

/**
 * Quotes the chosen sentences, a line for each message: its number, the speaker and the sentences, with `…` where some are left out and a note where one
 * was taken back. A line with the day comes before those of that day, where it is known.
 */
export function quoteChat(found: ChatCandidates, chosen: ReadonlySet<Candidate>): readonly string[] {
  const { blocks, candidates } = found;
  const quoted = new Set([...chosen].map(({ line }) => line));
  const isNamed = hasSpeakers(blocks);
  const lines: string[] = [];
  let day = "";
  let at = 0;
  while (at < candidates.length) {
    const group = candidates[at]?.group ?? 0;
    const start = at;
    while (candidates[at]?.group === group) at += 1;
    const block = blocks[group];
    const text = joinSentences(found, candidates.slice(start, at), quoted);
    if (text === "" || block === undefined) continue;
    const said = dayOf(block);
    if (said !== "" && said !== day) lines.push(`[${dayAfter(said, day)}]`);
    day = said === "" ? day : said;
    lines.push(`m${block.number ?? "?"} ${isNamed ? speakerOf(block, text) : roleOf(block, text)}${text}`);
  }
  return lines;
}

function joinSentences(
  { corrections }: ChatCandidates,
  candidates: readonly Candidate[],
  quoted: ReadonlySet<SourceLine>,
): string {
  let text = "";
  let isGap = false;
  for (const { line } of candidates) {
    if (!quoted.has(line)) {
      isGap = text !== "";
      continue;
    }
    if (text !== "") text += isGap ? " … " : " ";
    isGap = false;
    text += line.text.trim() + correctionNote(line, corrections, quoted);
  }
  return text;
}

/** Notes on a sentence: where it was taken back; and which message it takes back, if that sentence is not quoted itself. */
function correctionNote(line: SourceLine, corrections: Corrections, quoted: ReadonlySet<SourceLine>): string {
  const takenBackIn = corrections.takenBackIn(line);
  const before = corrections.takesBack(line);
  const takes = before === undefined || quoted.has(before.line) ? "" : ` [takes back m${before.number}]`;
  return `${takes}${takenBackIn === undefined ? "" : ` [taken back in m${takenBackIn}]`}`;
}

/** The share of messages that must begin with a name and a colon: a colon alone may be in any text. */
const NAMED_SHARE = 0.8;

function hasSpeakers(blocks: readonly LogBlock[]): boolean {
  const said = blocks.filter(isSaid);
  const named = said.filter(({ lines }) => SPEAKER.test(lines[0]?.text ?? ""));
  return named.length >= NAMED_SHARE * said.length;
}

/** The speaker to write before a quote: the name in the message, unless the quote begins with it; else the role. */
function speakerOf({ source, lines }: LogBlock, text: string): string {
  const name = SPEAKER.exec(lines[0]?.text ?? "")?.[1];
  if (name === undefined) return `${source}: `;
  return text.startsWith(`${name}: `) ? "" : `${name}: `;
}

/** A beginning that could pass for the heading of another speaker. */
const LIKE_SPEAKER = /^\S{1,30}:(?:\s|$)/u;

/** The role to write before a quote. None for the user, who says most of what is quoted of a talk with an assistant. */
function roleOf({ source }: LogBlock, text: string): string {
  return source === "user" && !LIKE_SPEAKER.test(text) ? "" : `${source}: `;
}

const YEAR_CHARACTERS = "2026-".length;

/** A day as it is written after another one: without the year in the same year. */
function dayAfter(day: string, before: string): string {
  const isSameYear = day.slice(0, YEAR_CHARACTERS) === before.slice(0, YEAR_CHARACTERS);
  return isSameYear ? day.slice(YEAR_CHARACTERS) : day;
}

const MS_PER_DAY = 86_400_000;
/** Earlier times are taken for counters. */
const LEAST_TS = Date.UTC(2000, 0, 1);

function dayOf({ message: { ts } }: LogBlock): string {
  if (ts === undefined || !(ts >= LEAST_TS && ts < 100_000 * MS_PER_DAY)) return "";
  return new Date(ts).toISOString().slice(0, 10);
}
