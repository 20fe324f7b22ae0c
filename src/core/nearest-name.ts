// Bounds the work on names of any length; none of ours is half as long.
const LONGEST_NAME = 40;

export interface NearestNameOptions {
  /** The part of a candidate that is compared. @default all of it */
  readonly nameOf?: (candidate: string) => string;
  /** The most edits between the name and a candidate. @default no limit */
  readonly maxEdits?: number;
}

/** The candidate with the fewest edits to a mistyped name, the first among equals; undefined where none is within `maxEdits`. */
export function nearestName(
  name: string,
  candidates: readonly string[],
  options: NearestNameOptions = {},
): string | undefined {
  const { nameOf = (candidate: string) => candidate, maxEdits = Number.POSITIVE_INFINITY } = options;
  const typed = name.slice(0, LONGEST_NAME);
  const ranked = candidates.map((candidate) => ({ candidate, edits: countEdits(typed, nameOf(candidate)) }));
  const [nearest] = ranked.toSorted((one, other) => one.edits - other.edits);
  return nearest === undefined || nearest.edits > maxEdits ? undefined : nearest.candidate;
}

/** The edit distance of two words: how many characters must be added, removed or replaced. Ignores case. */
function countEdits(from: string, to: string): number {
  const [source, target] = [[...from.toLowerCase()], [...to.toLowerCase()]];
  let row = Array.from({ length: target.length + 1 }, (_, index) => index);
  for (const [index, letter] of source.entries()) {
    const next = [index + 1];
    for (const [place, wanted] of target.entries()) {
      const replaced = (row[place] ?? 0) + (letter === wanted ? 0 : 1);
      next.push(Math.min(replaced, (row[place + 1] ?? 0) + 1, (next[place] ?? 0) + 1));
    }
    row = next;
  }
  return row[target.length] ?? 0;
}
