import type { Runs } from "./runs.ts";
import type { Section } from "./sections.ts";
import type { SourceLine } from "./source-lines.ts";

/** A line that may be quoted, and its worth. */
export interface Candidate {
  readonly line: SourceLine;
  /** The identifiers that count towards its worth. */
  readonly identifiers: readonly string[];
  /** The worth of the line itself, without its identifiers. */
  readonly value: number;
  /** Lines of one group are quoted below one heading. */
  readonly group: number;
  /** Its index among all lines of its group, including those that are no candidates. */
  readonly index: number;
}

export interface PackOptions {
  readonly budgetTokens: number;
  /** The worth of each identifier, which counts until a quoted line names it. */
  readonly weights: ReadonlyMap<string, number>;
  /** Identifiers that the view shows anyway: they are worth nothing. */
  readonly seen: ReadonlySet<string>;
  /** The section of each group: the groups of a section share a first heading. @default each group by itself */
  readonly sections?: readonly Section[];
  /** The tokens of a group's heading, where it is the first of its section and where it is a later one. */
  readonly headingTokens: (group: number, isFirst: boolean) => number;
  /** Added to the tokens of a line that stands alone, for its share of a heading. @default 3 */
  readonly headingShareTokens?: number;
  /** Records which lines are shown, and favours lines beside these. @default each line by itself */
  readonly runs?: Runs | undefined;
}

export const HEADING_SHARE_TOKENS = 3;
/** Added to the tokens of a line beside a shown one. */
const NEAR_TOKENS = 3;
/** With less room than this, no further line is tried. */
const LEAST_TOKENS = 4;

/**
 * Chooses the lines that are worth most for their tokens, greedily, counting the worth of each identifier once. Lazily: a line's worth
 * falls as others are chosen, so it is computed again only for the line on top of the heap.
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
    // Compared by key: the subject may be another copy of the same line.
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
    // A line beside a shown one has become cheaper, so its density may have risen.
    for (const neighbour of neighbours) heap.push({ candidate: neighbour, density: densityOf(neighbour) });
  }
  return chosen;
}

interface HeapItem {
  readonly candidate: Candidate;
  readonly density: number;
}

/** A binary heap with the densest item on top. The order of equal items depends on the order of pushing alone. */
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
