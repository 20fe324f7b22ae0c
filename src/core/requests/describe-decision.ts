import type { RequestRecord } from "../statement/request-record.ts";

/** Why something was folded for a request, or why not: one sentence with its numbers, for people. */
export function describeDecision({ decision, promptTokens, allowedTokens, contextWindow }: RequestRecord): string {
  const { gainTokens, neededGainTokens, leftTokens } = decision.numbers ?? {};
  const from = neededGainTokens === undefined ? "" : `, and a fold pays from ${count(neededGainTokens)} on`;
  switch (decision.reason) {
    case "pays":
      return `Folded by prices: carrying ${count(gainTokens)} old tokens on would have cost more than hiding them${from}.`;
    case "cold":
      return `Folded by prices: the provider had forgotten the prompt, so ${count(gainTokens)} tokens need not be paid for again; ${count(leftTokens)} were to stay.`;
    case "threshold":
      return `Folded by the threshold: ${count(promptTokens)} tokens of a window of ${count(contextWindow)} were left.`;
    case "limit":
      return `Folded, as the prompt did not fit: ${count(allowedTokens)} tokens are allowed, and ${count(promptTokens)} were left.`;
    case "request":
      return `Folded for this request: it had too many bytes or images, or pointed to something hidden.`;
    case "fits":
      return `Nothing was folded: ${count(promptTokens)} tokens fit into the ${count(allowedTokens)} that are allowed.`;
    case "waits":
      return `Nothing was folded: a fold would hide ${count(gainTokens)} tokens${from}.`;
    case "nothing to fold":
      return `Nothing was folded: of the ${count(promptTokens)} tokens, none could be hidden.`;
  }
}

/** A number with commas; the same on every machine. */
export function count(tokens: number | undefined): string {
  if (tokens === undefined || !Number.isFinite(tokens)) return "an unknown number of";
  const digits = String(Math.round(tokens));
  const first = digits.length % 3;
  const groups = first === 0 ? [] : [digits.slice(0, first)];
  for (let at = first; at < digits.length; at += 3) groups.push(digits.slice(at, at + 3));
  return groups.join(",");
}
