import type { Message } from "../../message/message.ts";
import { isChat } from "./chat/is-chat.ts";
import { readChat } from "./chat/weigh-terms.ts";
import { isDistinctive } from "./code-lines.ts";
import { failedCalls } from "./failed-calls.ts";
import { identifierWeights } from "./identifier-weights.ts";
import type { LedgerWeights } from "./ledger-weights.ts";
import { type LogBlock, logBlocks, readableMessages } from "./log-blocks.ts";
import type { Candidate } from "./pack-lines.ts";
import { repeatedLines } from "./repeated-lines.ts";
import { type Section, sectionsOf } from "./sections.ts";
import type { SourceLine } from "./source-lines.ts";
import { spokenOf } from "./spoken-of.ts";
import { lineValues } from "./values/line-values.ts";
import { LINE_WORTH } from "./values/line-worth.ts";
import { LEDGER_WEIGHTS } from "./weights.ts";

/** The worth of a log's lines and identifiers, which depends neither on what a view shows nor on the budget. */
export interface JudgedLog {
  readonly blocks: readonly LogBlock[];
  /** How likely each identifier is to be used again. */
  readonly weights: ReadonlyMap<string, number>;
  /** Its lines, each once, where it was written last, in the order of the log; a candidate's group is the index of its block. */
  readonly candidates: readonly Candidate[];
  /** Lines that are never quoted, not even to fill a gap between quoted ones: they are outdated, or repeat others. */
  readonly barred: ReadonlySet<SourceLine>;
  /** Those of the barred lines that only repeat the shape of others. */
  readonly repeated: ReadonlySet<SourceLine>;
  /** The section of each block. */
  readonly sections: readonly Section[];
}

/** A log that was judged in advance. */
interface KnownLog {
  readonly messages: readonly Message[];
  readonly judged: JudgedLog;
}

/** Logs that were judged in advance, by the content of their newest message. */
const judgedAhead = new WeakMap<object, KnownLog>();

/** Judges a log, which takes most of the time of writing a ledger; returns the cached result where the log was judged in advance. */
export function judgeLog(messages: readonly Message[], weights: LedgerWeights = LEDGER_WEIGHTS): JudgedLog {
  const key = keyOf(messages);
  const known = key === undefined || weights !== LEDGER_WEIGHTS ? undefined : judgedAhead.get(key);
  return known !== undefined && isSameLog(known.messages, messages) ? known.judged : judge(messages, weights);
}

/**
 * Judges a log before a ledger of it is needed, and caches the result until the returned function is called. Of a conversation without tools, whose
 * ledger is of another kind, only the sentences are read.
 */
export function judgeAhead(messages: readonly Message[]): () => void {
  const key = keyOf(messages);
  if (key === undefined) return () => undefined;
  const blocks = logBlocks(messages);
  if (isChat(blocks)) {
    readChat(blocks);
    return () => undefined;
  }
  const known = { messages, judged: judge(messages, LEDGER_WEIGHTS) };
  judgedAhead.set(key, known);
  return () => {
    if (judgedAhead.get(key) === known) judgedAhead.delete(key);
  };
}

/** The cache key of a log: the content of its newest message, as folds copy messages but not their content. */
function keyOf(messages: readonly Message[]): object | undefined {
  const newest = messages.at(-1);
  return typeof newest?.content === "string" ? newest : newest?.content;
}

/** Whether two logs say the same; compared by content, as folds copy messages but not their content. */
function isSameLog(one: readonly Message[], other: readonly Message[]): boolean {
  return one.length === other.length && one.every((message, index) => isSameMessage(message, other[index]));
}

function isSameMessage(one: Message, other: Message | undefined): boolean {
  if (one === other) return true;
  return (
    one.role === other?.role &&
    one.content === other.content &&
    one.isSummary === other.isSummary &&
    one.isTruncationMarker === other.isTruncationMarker
  );
}

function judge(messages: readonly Message[], weights: LedgerWeights): JudgedLog {
  const readable = readableMessages(messages);
  const blocks = logBlocks(messages, readable);
  const spoken = spokenOf(blocks);
  const likelihoods = identifierWeights([...readable], { spoken, weights });
  const values = lineValues(blocks, { identifiersWorth: total(likelihoods.values()), spoken, weights });
  const sections = sectionsOf(blocks);
  return { blocks, weights: likelihoods, ...candidatesIn({ blocks, sections }, values), sections };
}

function candidatesIn(
  { blocks, sections }: Pick<JudgedLog, "blocks" | "sections">,
  values: ReadonlyMap<SourceLine, number>,
): Pick<JudgedLog, "candidates" | "barred" | "repeated"> {
  const removed = createRemovedLines(failedCalls(blocks));
  const carried = namedIn(blocks);
  const knownKeys = new Set<string>();
  const candidates: Candidate[] = [];
  const repeated = repeatedLines(blocks);
  const barred = new Set(repeated);
  const oldest = Math.max(1, blocks[0]?.age ?? 1);
  for (let group = blocks.length - 1; group >= 0; group--) {
    const block = blocks[group];
    if (block === undefined) continue;
    const removedLater = removed.since(block, sections[group]?.path);
    const recency = 1 - block.age / (oldest + 1);
    for (let index = block.lines.length - 1; index >= 0; index--) {
      const line = block.lines[index];
      if (line === undefined) continue;
      if (isReplaced(line, block) || removedLater?.has(line.code)) barred.add(line);
      if (barred.has(line) || knownKeys.has(line.key)) continue;
      knownKeys.add(line.key);
      const value = (values.get(line) ?? 0) + LINE_WORTH.anything * recency;
      const identifiers =
        line.isBare && line.identifiers.every((identifier) => carried.has(identifier)) ? [] : line.identifiers;
      candidates.push({ line, identifiers, value, group, index });
    }
  }
  return { candidates: candidates.reverse(), barred, repeated };
}

/** Whether a line of an edit's arguments is outdated: the edit replaced it, or repeats it in the text that it wrote. */
function isReplaced({ code, isBefore }: SourceLine, { source, act }: LogBlock): boolean {
  return isBefore === true || (source === "call" && act?.removed.has(code) === true);
}

function total(numbers: Iterable<number>): number {
  let sum = 0;
  for (const number of numbers) sum += number;
  return sum;
}

/** The identifiers in the lines of blocks; not those of lines that hold nothing else, as such a line says nothing about what it names. */
export function namedIn(blocks: readonly { readonly lines: readonly SourceLine[] }[]): ReadonlySet<string> {
  const named = new Set<string>();
  for (const { lines } of blocks) {
    for (const { isBare, identifiers } of lines) {
      if (!isBare) for (const identifier of identifiers) named.add(identifier);
    }
  }
  return named;
}

/** Collects the lines that edits removed, for blocks read from the newest to the oldest: older copies of such a line in the same file are outdated. */
function createRemovedLines(failed: ReadonlySet<string>) {
  const byPath = new Map<string, Set<string>>();
  return {
    /** The lines that were removed from a block's file after it; records the lines that the block itself removes. */
    since({ source, act, call }: LogBlock, path: string | undefined): ReadonlySet<string> | undefined {
      if (path === undefined) return undefined;
      const codes = byPath.get(path);
      if (source !== "call" || act === undefined || act.removed.size === 0 || failed.has(call?.id ?? "")) return codes;
      const removed = codes ?? new Set();
      byPath.set(path, removed);
      for (const code of act.removed) if (isDistinctive(code)) removed.add(code);
      return removed;
    },
  };
}
