/** The share of a mark that counts one line further away: about half after three lines. */
const KEPT_PER_LINE = 0.8;

/** For each line, the sum of marked lines around it, nearer ones counting more; a mark counts 1 on its own line. */
export function gatherNear(isMarked: readonly boolean[]): Float64Array {
  const gathered = new Float64Array(isMarked.length);
  let above = 0;
  for (let index = 0; index < isMarked.length; index++) {
    above = above * KEPT_PER_LINE + Number(isMarked[index]);
    gathered[index] = above;
  }
  let below = 0;
  for (let index = isMarked.length - 1; index >= 0; index--) {
    gathered[index] = (gathered[index] ?? 0) + below;
    below = (below + Number(isMarked[index])) * KEPT_PER_LINE;
  }
  return gathered;
}
