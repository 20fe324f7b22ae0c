import type { LogBlock } from "../log-blocks.ts";
import type { Candidate } from "../pack-lines.ts";
import type { ChatCandidates } from "./chat-candidates.ts";

const SPEAKER = /^(\p{Lu}[\p{L}\p{M}\p{N} .'’-]{0,30}): /u;

/**
 * The chosen sentences, a line for each message: its number, who speaks, and the words, with `…` where some are left out and a note where they
 * were taken back; below the day, where it is known.
 */
export function quoteChat(found: ChatCandidates, chosen: ReadonlySet<Candidate>): readonly string[] {
  const { blocks, candidates } = found;
  const lines: string[] = [];
  let day = "";
  let at = 0;
  while (at < candidates.length) {
    const group = candidates[at]?.group ?? 0;
    const start = at;
    while (candidates[at]?.group === group) at += 1;
    const block = blocks[group];
    const text = joinSentences(found, candidates.slice(start, at), chosen);
    if (text === "" || block === undefined) continue;
    const said = dayOf(block);
    if (said !== "" && said !== day) lines.push(`[${said}]`);
    day = said === "" ? day : said;
    lines.push(`m${block.number ?? "?"} ${speaker(block, text)}${text}`);
  }
  return lines;
}

function joinSentences(
  { corrections }: ChatCandidates,
  candidates: readonly Candidate[],
  chosen: ReadonlySet<Candidate>,
): string {
  let text = "";
  let isGap = false;
  for (const candidate of candidates) {
    if (!chosen.has(candidate)) {
      isGap = text !== "";
      continue;
    }
    if (text !== "") text += isGap ? " … " : " ";
    isGap = false;
    const takenBack = corrections.takenBackIn(candidate.line);
    text += candidate.line.text.trim() + (takenBack === undefined ? "" : ` [taken back in m${takenBack}]`);
  }
  return text;
}

/** Where names stand before what is said, they tell who speaks. */
function speaker({ source, lines }: LogBlock, text: string): string {
  const name = SPEAKER.exec(lines[0]?.text ?? "")?.[1];
  if (name === undefined) return `${source}: `;
  return text.startsWith(`${name}: `) ? "" : `${name}: `;
}

const MS_PER_DAY = 86_400_000;
/** Earlier times are counters. */
const LEAST_TS = Date.UTC(2000, 0, 1);

function dayOf({ message: { ts } }: LogBlock): string {
  if (ts === undefined || !(ts >= LEAST_TS && ts < 100_000 * MS_PER_DAY)) return "";
  return new Date(ts).toISOString().slice(0, 10);
}
