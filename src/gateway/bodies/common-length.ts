/** How many bytes two bodies begin with that are the same. */
export function commonLength(one: Buffer, other: Buffer): number {
  const areSame = (start: number, end: number) => one.compare(other, start, end, start, end) === 0;
  let same = 0;
  let different = Math.min(one.length, other.length);
  if (areSame(0, different)) return different;
  while (different - same > 1) {
    const middle = (same + different) >> 1;
    if (areSame(same, middle)) same = middle;
    else different = middle;
  }
  return same;
}
