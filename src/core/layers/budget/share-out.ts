/** Who wants a part: how much at most, and how much against the others. */
export interface Claim {
  readonly need: number;
  readonly weight: number;
}

/**
 * Shares out whole tokens by weight, none more than is needed; what one does not need goes to the others. Gives out all of
 * `tokens`, or all that is needed; the last few that do not divide go to the first claims.
 */
export function shareOut(tokens: number, claims: readonly Claim[]): readonly number[] {
  const given = claims.map(() => 0);
  let left = tokens;
  while (left > 0) {
    const open = [...claims.entries()].filter(([index, { need, weight }]) => weight > 0 && (given[index] ?? 0) < need);
    if (open.length === 0) break;
    const weights = open.reduce((sum, [, { weight }]) => sum + weight, 0);
    const pool = left;
    for (const [index, { need, weight }] of open) {
      const wanted = need - (given[index] ?? 0);
      const part = Math.min(wanted, left, Math.max(1, Math.floor((pool * weight) / weights)));
      given[index] = (given[index] ?? 0) + part;
      left -= part;
    }
  }
  return given;
}
