/**
 * A pseudo-random generator of numbers in [0, 1), the same for the same seed, for a repeatable bootstrap.
 * @example
 * ```ts
 * import { seededRandom } from "palimpsest/evals";
 * console.log(seededRandom(7)() === seededRandom(7)()); // true
 * ```
 */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}
