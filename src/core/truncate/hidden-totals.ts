import { collectStandIns, isStandIn, liveTags, markerId, renderMessage, summaryId } from "../message/effective-view.ts";
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
  for (const message of messages) {
    const { condenseParent, truncationParent } = liveTags(message, standIns);
    const parent = truncationParent ?? condenseParent;
    if (parent === undefined) continue;
    totals.set(parent, addTotals(totals.get(parent) ?? NOTHING_HIDDEN, totalOf(message, totals, countTokens)));
  }
  return totals;
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
