import { collectStandIns, isStandIn, liveTags, markerId, renderMessage, summaryId } from "../message/effective-view.ts";
import { logSegments, segmentFacts } from "../message/log-segments.ts";
import type { CountTokens, Message } from "../message/message.ts";
import { countMessageTokens } from "../tokens/count-messages.ts";

/** Messages that were said and are hidden, and their tokens. */
export interface HiddenTotal {
  readonly messages: number;
  readonly tokens: number;
}

export const NOTHING_HIDDEN: HiddenTotal = { messages: 0, tokens: 0 };

/** For each summary and marker all that it stands for, also through older stand-ins that it hides. */
export function totalsBehindStandIns(
  messages: readonly Message[],
  countTokens: CountTokens,
): ReadonlyMap<string, HiddenTotal> {
  const standIns = collectStandIns(messages);
  const totals = new Map<string, HiddenTotal>();
  // A stand-in comes after what it hides, so that inner totals are complete before they are added to outer ones.
  for (const { like, total } of logSegments(messages).flatMap(runsCountedBy(countTokens))) {
    const { condenseParent, truncationParent } = liveTags(like, standIns);
    const parent = truncationParent ?? condenseParent;
    if (parent === undefined) continue;
    const added = total ?? totalOf(like, totals, countTokens);
    totals.set(parent, addTotals(totals.get(parent) ?? NOTHING_HIDDEN, added));
  }
  return totals;
}

/** Messages in a row with the same tags, or one stand-in. */
interface TaggedRun {
  /** One of them. */
  readonly like: Message;
  /** Of all of them; undefined for a stand-in, which stands for others. */
  readonly total: HiddenTotal | undefined;
}

const knownRuns = new WeakMap<CountTokens, ReturnType<typeof segmentFacts<readonly TaggedRun[]>>>();

function runsCountedBy(countTokens: CountTokens): ReturnType<typeof segmentFacts<readonly TaggedRun[]>> {
  const known = knownRuns.get(countTokens);
  if (known !== undefined) return known;
  const runs = segmentFacts((messages) => taggedRuns(messages, countTokens));
  knownRuns.set(countTokens, runs);
  return runs;
}

function taggedRuns(messages: readonly Message[], countTokens: CountTokens): readonly TaggedRun[] {
  const runs: TaggedRun[] = [];
  for (const message of messages) {
    // What is visible takes part in no total: it is not counted.
    if (message.condenseParent === undefined && message.truncationParent === undefined) continue;
    const total = isStandIn(message) ? undefined : totalOf(message, new Map(), countTokens);
    const last = runs.at(-1);
    const isLike =
      last?.like.condenseParent === message.condenseParent && last?.like.truncationParent === message.truncationParent;
    // Only whole numbers add up to the same in any order.
    const isWhole = Number.isSafeInteger(total?.tokens) && Number.isSafeInteger(last?.total?.tokens);
    if (last?.total !== undefined && total !== undefined && isLike && isWhole)
      runs[runs.length - 1] = { like: last.like, total: addTotals(last.total, total) };
    else runs.push({ like: message, total });
  }
  return runs;
}

/** What becomes hidden with this message: itself or, if it is a stand-in, what it stands for. */
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
