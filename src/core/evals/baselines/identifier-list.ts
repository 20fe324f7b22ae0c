import type { Message } from "../../message/message.ts";
import { countTextTokens } from "../../tokens/o200k/count-text-tokens.ts";
import { messageIdentifiers } from "../needed/eval-identifiers.ts";

const SEPARATOR = ", ";
/** How many doublings of the count the newest identifier is worth more than the oldest. */
const RECENCY_WEIGHT = 6;

/** Only names, the most recent and frequent first, as many as fit: what a score without context can be fooled by. */
export function identifierList(messages: readonly Message[], budgetTokens: number): string {
  const names: string[] = [];
  let left = budgetTokens;
  for (const value of ranked(messages)) {
    const tokens = countTextTokens(value + SEPARATOR);
    if (tokens > left) continue;
    left -= tokens;
    names.push(value);
    if (left < 2) break;
  }
  return names.join(SEPARATOR);
}

function ranked(messages: readonly Message[]): readonly string[] {
  const totals = new Map<string, { count: number; latest: number }>();
  for (const [index, message] of messages.entries()) {
    for (const { counts } of messageIdentifiers(message)) {
      for (const [value, count] of counts) {
        const known = totals.get(value);
        totals.set(value, { count: (known?.count ?? 0) + count, latest: index });
      }
    }
  }
  const scored = Array.from(totals, ([value, { count, latest }]) => {
    return { value, score: Math.log2(1 + count) + (RECENCY_WEIGHT * latest) / messages.length };
  });
  return scored.sort((one, other) => other.score - one.score).map(({ value }) => value);
}
