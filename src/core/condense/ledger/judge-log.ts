import type { Message } from "../../message/message.ts";
import { failedCalls } from "./failed-calls.ts";
import { identifierWeights } from "./identifier-weights.ts";
import type { LedgerWeights } from "./ledger-weights.ts";
import { type LogBlock, logBlocks, readableMessages } from "./log-blocks.ts";
import type { Candidate } from "./pack-lines.ts";
import { createRemovedLines } from "./removed-lines.ts";
import { repeatedLines } from "./repeated-lines.ts";
import { type Section, sectionsOf } from "./sections.ts";
import type { SourceLine } from "./source-lines.ts";
import { spokenOf } from "./spoken-of.ts";
import { lineValues } from "./values/line-values.ts";
import { LINE_WORTH } from "./values/line-worth.ts";
import { LEDGER_WEIGHTS } from "./weights.ts";

/** What the lines and names of a log are worth, whatever a view shows of them and however much room there is. */
export interface JudgedLog {
  readonly blocks: readonly LogBlock[];
  /** How likely each identifier is to be used again. */
  readonly weights: ReadonlyMap<string, number>;
  /** Its lines, each once, where it was written last, in the order of the log; their groups are indexes of blocks. */
  readonly candidates: readonly Candidate[];
  /** Lines that are not quoted even between others that are: those that are true no longer. */
  readonly barred: ReadonlySet<SourceLine>;
  /** Of these, the lines that only repeat the shape of others. */
  readonly repeated: ReadonlySet<SourceLine>;
  /** The section of each block. */
  readonly sections: readonly Section[];
}

interface KnownLog {
  readonly messages: readonly Message[];
  readonly judged: JudgedLog;
}

/** Logs that were judged ahead, by the content of their newest message. */
const judgedAhead = new WeakMap<object, KnownLog>();

/** Judges a log, which takes most of the time of a ledger. Where it was judged ahead, that is the result. */
export function judgeLog(messages: readonly Message[], weights: LedgerWeights = LEDGER_WEIGHTS): JudgedLog {
  const key = keyOf(messages);
  const known = key === undefined || weights !== LEDGER_WEIGHTS ? undefined : judgedAhead.get(key);
  return known !== undefined && isSameLog(known.messages, messages) ? known.judged : judge(messages, weights);
}

/** Judges a log before a ledger of it is needed. Remembered until the function that it returns is called. */
export function judgeAhead(messages: readonly Message[]): () => void {
  const key = keyOf(messages);
  if (key === undefined) return () => undefined;
  const known = { messages, judged: judge(messages, LEDGER_WEIGHTS) };
  judgedAhead.set(key, known);
  return () => {
    if (judgedAhead.get(key) === known) judgedAhead.delete(key);
  };
}

/** Folds copy messages, but not their blocks. */
function keyOf(messages: readonly Message[]): object | undefined {
  const newest = messages.at(-1);
  return typeof newest?.content === "string" ? newest : newest?.content;
}

/** Folding copies messages but not what they say, and what they say is all that is judged. */
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
  const known = new Set<string>();
  const candidates: Candidate[] = [];
  const repeated = repeatedLines(blocks);
  const barred = new Set(repeated);
  const oldest = Math.max(1, blocks[0]?.age ?? 1);
  for (let group = blocks.length - 1; group >= 0; group--) {
    const block = blocks[group];
    if (block === undefined) continue;
    const gone = removed.since(block, sections[group]?.path);
    const recency = 1 - block.age / (oldest + 1);
    for (let index = block.lines.length - 1; index >= 0; index--) {
      const line = block.lines[index];
      if (line === undefined) continue;
      if (isReplaced(line, block) || gone?.has(line.code)) barred.add(line);
      if (barred.has(line) || known.has(line.key)) continue;
      known.add(line.key);
      const value = (values.get(line) ?? 0) + LINE_WORTH.anything * recency;
      const identifiers = line.isBare && line.identifiers.every((each) => carried.has(each)) ? [] : line.identifiers;
      candidates.push({ line, identifiers, value, group, index });
    }
  }
  return { candidates: candidates.reverse(), barred, repeated };
}

/** What an edit took away is in its arguments too, and true no longer; what it left as it was stands in what it put there as well. */
function isReplaced({ code, isBefore }: SourceLine, { source, act }: LogBlock): boolean {
  return isBefore === true || (source === "call" && act?.removed.has(code) === true);
}

function total(numbers: Iterable<number>): number {
  let sum = 0;
  for (const each of numbers) sum += each;
  return sum;
}

/** A name that stands alone tells nothing about what it names. */
export function namedIn(blocks: readonly { readonly lines: readonly SourceLine[] }[]): ReadonlySet<string> {
  const named = new Set<string>();
  for (const { lines } of blocks) {
    for (const { isBare, identifiers } of lines) {
      if (!isBare) for (const identifier of identifiers) named.add(identifier);
    }
  }
  return named;
}
