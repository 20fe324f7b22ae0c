import { type EvalSession, measureStanding } from "palimpsest/evals";

/** What standing context takes at the end of the sessions, as text. */
export function standingCosts(sessions: readonly EvalSession[]): string {
  const costs = sessions
    .map(({ messages }) => measureStanding(messages))
    .toSorted((one, other) => one.tokens - other.tokens);
  const at = (share: number) => costs[Math.min(costs.length - 1, Math.floor(share * costs.length))]?.tokens ?? 0;
  const whole = costs.reduce((sum, { logTokens }) => sum + logTokens, 0);
  const standing = costs.reduce((sum, { tokens }) => sum + tokens, 0);
  const kinds = new Map<string, number>();
  for (const { byKind } of costs) {
    for (const [kind, tokens] of Object.entries(byKind)) kinds.set(kind, (kinds.get(kind) ?? 0) + tokens);
  }
  const ordered = [...kinds].toSorted(([, one], [, other]) => other - one);
  const means = ordered.map(([kind, tokens]) => `${kind} ${Math.round(tokens / costs.length)}`);
  return (
    `Standing context at the end of a session: median ${at(0.5)} tokens, 90 % below ${at(0.9)}, most ${at(1)}; ` +
    `${((100 * standing) / whole).toFixed(1)} % of all tokens.\n${means.join(", ")} on average.`
  );
}
