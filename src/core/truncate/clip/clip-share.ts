/** The size that one part has if there is room for all, and the size that it cannot go below. */
export interface Wish {
  readonly least: number;
  readonly most: number;
}

/**
 * Shares a budget so that small parts stay whole and only the largest are cut, all of those to the same level. When the
 * budget is less than all `least` together, each gets its `least`.
 */
export function shareOut(wishes: readonly Wish[], budget: number): readonly number[] {
  const atLevel = (level: number) => wishes.map(({ least, most }) => Math.max(least, Math.min(most, level)));
  const total = (level: number) => atLevel(level).reduce((sum, share) => sum + share, 0);
  let low = 0;
  // Whole numbers, as halving would not end between fractions, which counters may return.
  let high = Math.ceil(wishes.reduce((largest, { most }) => Math.max(largest, most), 0));
  if (total(high) <= budget) return atLevel(high);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (total(middle) <= budget) low = middle;
    else high = middle;
  }
  return atLevel(low);
}
