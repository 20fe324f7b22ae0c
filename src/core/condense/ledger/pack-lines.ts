import type { Runs } from "./runs.ts";
import type { Section } from "./sections.ts";
import type { SourceLine } from "./source-lines.ts";

/** A line that may be quoted, and what it is worth. */
export interface Candidate {
  readonly line: SourceLine;
  /** The identifiers that it tells something about. */
  readonly identifiers: readonly string[];
  /** What the line is worth whatever identifiers it names. */
  readonly value: number;
  /** Lines of one group stand below one heading. */
  readonly group: number;
  /** Its place among the lines of its group, those that are no candidates included. */
  readonly index: number;
}

export interface PackOptions {
  readonly budgetTokens: number;
  /** What each identifier is worth that no quoted line names yet. */
  readonly weights: ReadonlyMap<string, number>;
  /** Identifiers that can be seen anyway. */
  readonly seen: ReadonlySet<string>;
  /** By group, what stands below one heading with others. @default each group by itself */
  readonly sections?: readonly Section[];
  /** What the heading of a group takes: the first of its section, or a later one. */
  readonly headingTokens: (group: number, isFirst: boolean) => number;
  /** What a heading costs each line on average: it makes lines that stand alone a little dearer. @default 3 */
  readonly headingShareTokens?: number;
  /** Notes what is shown, and prefers lines beside what is. @default each line by itself */
  readonly runs?: Runs | undefined;
}

export const HEADING_SHARE_TOKENS = 3;
/** What a line beside a shown one costs over its own tokens. */
const NEAR_TOKENS = 3;
/** Lines below this are not looked for when room is this short. */
const LEAST_TOKENS = 4;

/**
 * Chooses the lines that are worth most for their tokens: again and again the best one, where what an identifier is worth is
 * counted once. Lazy: what a line is worth only falls, so only the best of the heap is worth a second look.
 */
export function packLines(candidates: readonly Candidate[], options: PackOptions): ReadonlySet<Candidate> {
  const { weights, headingTokens, sections = [], headingShareTokens = HEADING_SHARE_TOKENS, runs } = options;
  const named = new Set(options.seen);
  const headed = new Set<number>();
  const opened = new Set<unknown>();
  const chosen = new Set<Candidate>();
  let left = options.budgetTokens;
  const densityOf = (candidate: Candidate): number => {
    const { line, identifiers, value, group } = candidate;
    let worth = value;
    for (const identifier of identifiers) if (!named.has(identifier)) worth += weights.get(identifier) ?? 0;
    const joinTokens = headed.has(group) ? runs?.joinTokens(candidate) : undefined;
    return worth / (line.tokens + (joinTokens === undefined ? headingShareTokens : joinTokens + NEAR_TOKENS));
  };
  const heap = createHeap(candidates.map((candidate) => ({ candidate, density: densityOf(candidate) })));
  for (let best = heap.pop(); best !== undefined && left >= LEAST_TOKENS; best = heap.pop()) {
    const { candidate } = best;
    if (chosen.has(candidate)) continue;
    const { line, group } = candidate;
    const section = sections[group];
    // The line may have been said again since.
    const isSubject = line.key === section?.subject?.key;
    const isOpen = opened.has(section ?? group);
    const heading = headed.has(group) || (isSubject && isOpen) ? 0 : headingTokens(group, !isOpen);
    const joining = headed.has(group) ? (runs?.joinTokens(candidate) ?? runs?.markTokens(candidate) ?? 0) : heading;
    const tokens = isSubject ? heading : line.tokens + joining;
    if (tokens > left) continue;
    const density = densityOf(candidate);
    if (density < heap.topDensity()) {
      heap.push({ candidate, density });
      continue;
    }
    left -= tokens;
    if (!(isSubject && isOpen)) headed.add(group);
    opened.add(section ?? group);
    for (const identifier of section?.subject?.identifiers ?? []) named.add(identifier);
    chosen.add(candidate);
    for (const identifier of candidate.identifiers) named.add(identifier);
    if (runs === undefined) continue;
    const { bridged, neighbours } = runs.take(candidate);
    for (const { identifiers } of bridged) for (const identifier of identifiers) named.add(identifier);
    // Beside a shown line, a line is worth more for its tokens than before.
    for (const neighbour of neighbours) heap.push({ candidate: neighbour, density: densityOf(neighbour) });
  }
  return chosen;
}

interface HeapItem {
  readonly candidate: Candidate;
  readonly density: number;
}

/** A binary heap with the densest item on top; of equals, whichever the order of pushing gives: always the same. */
function createHeap(items: HeapItem[]) {
  const densityAt = (index: number) => items[index]?.density ?? Number.NEGATIVE_INFINITY;
  const sink = (start: number): void => {
    const item = items[start];
    if (item === undefined) return;
    let index = start;
    for (;;) {
      const left = 2 * index + 1;
      const larger = densityAt(left + 1) > densityAt(left) ? left + 1 : left;
      const child = items[larger];
      if (child === undefined || child.density <= item.density) break;
      items[index] = child;
      index = larger;
    }
    items[index] = item;
  };
  for (let index = items.length >> 1; index >= 0; index--) sink(index);
  return {
    topDensity: () => densityAt(0),
    pop(): HeapItem | undefined {
      const [top] = items;
      const last = items.pop();
      if (items.length > 0 && last !== undefined) {
        items[0] = last;
        sink(0);
      }
      return top;
    },
    push(item: HeapItem): void {
      let index = items.push(item) - 1;
      while (index > 0) {
        const parent = (index - 1) >> 1;
        const above = items[parent];
        if (above === undefined || above.density >= item.density) break;
        items[index] = above;
        index = parent;
      }
      items[index] = item;
    },
  };
}
