import { collectStandIns, isStandIn, liveTags, markerId, renderMessage, summaryId } from "../message/effective-view.ts";
import { logSegments, segmentFacts } from "../message/log-segments.ts";
import type { CountTokens, Message } from "../message/message.ts";
import { countMessageTokens } from "../tokens/count-messages.ts";

/** How many said messages are hidden, and their tokens. */
export interface HiddenTotal {
  readonly messages: number;
  readonly tokens: number;
}

export const NOTHING_HIDDEN: HiddenTotal = { messages: 0, tokens: 0 };

/** By the id of each summary and marker, what it stands for, including what older stand-ins stand for that it hides. */
export function totalsBehindStandIns(
  messages: readonly Message[],
  countTokens: CountTokens,
): ReadonlyMap<string, HiddenTotal> {
  const standIns = collectStandIns(messages);
  const totals = new Map<string, HiddenTotal>();
  // A stand-in comes after what it hides, so that inner totals are complete before they are added to outer ones.
  for (const { first, total } of logSegments(messages).flatMap(runsCountedBy(countTokens))) {
    const { condenseParent, truncationParent } = liveTags(first, standIns);
    const parent = truncationParent ?? condenseParent;
    if (parent === undefined) continue;
    const added = total ?? totalOf(first, totals, countTokens);
    totals.set(parent, addTotals(totals.get(parent) ?? NOTHING_HIDDEN, added));
  }
  return totals;
}

/** Consecutive hidden messages with the same tags, or one hidden stand-in. */
interface TaggedRun {
  /** The first of them. */
  readonly first: Message;
  /** Of all of them; undefined for a stand-in, whose total depends on the log. */
  readonly total: HiddenTotal | undefined;
}

/** Per counter, the cached runs of each segment. */
const runsByCounter = new WeakMap<CountTokens, ReturnType<typeof segmentFacts<readonly TaggedRun[]>>>();

function runsCountedBy(countTokens: CountTokens): ReturnType<typeof segmentFacts<readonly TaggedRun[]>> {
  const known = runsByCounter.get(countTokens);
  if (known !== undefined) return known;
  const runs = segmentFacts((messages) => taggedRuns(messages, countTokens));
  runsByCounter.set(countTokens, runs);
  return runs;
}

function taggedRuns(messages: readonly Message[], countTokens: CountTokens): readonly TaggedRun[] {
  const runs: TaggedRun[] = [];
  for (const message of messages) {
    // A visible message is in no total.
    if (message.condenseParent === undefined && message.truncationParent === undefined) continue;
    const total = isStandIn(message) ? undefined : totalOf(message, new Map(), countTokens);
    const last = runs.at(-1);
    const hasSameTags =
      last?.first.condenseParent === message.condenseParent &&
      last?.first.truncationParent === message.truncationParent;
    // Sums of fractions would depend on the order in which they are added.
    const isWhole = Number.isSafeInteger(total?.tokens) && Number.isSafeInteger(last?.total?.tokens);
    if (last?.total !== undefined && total !== undefined && hasSameTags && isWhole)
      runs[runs.length - 1] = { first: last.first, total: addTotals(last.total, total) };
    else runs.push({ first: message, total });
  }
  return runs;
}

/** What is hidden when this message is: itself or, if it is a stand-in, what it stands for. */
export function totalOf(
  message: Message,
  totals: ReadonlyMap<string, HiddenTotal>,
  countTokens: CountTokens,
): HiddenTotal {
  if (!isStandIn(message)) return { messages: 1, tokens: countMessageTokens(renderMessage(message), countTokens) };
  return totals.get(summaryId(message) ?? markerId(message) ?? "") ?? NOTHING_HIDDEN;
}

export function addTotals(a: HiddenTotal, b: HiddenTotal): HiddenTotal {
  return { messages: a.messages + b.messages, tokens: a.tokens + b.tokens };
}
