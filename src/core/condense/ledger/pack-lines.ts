import { createDensityHeap, type DensityHeap } from "./density-heap.ts";
import { type LineTable, tableOf } from "./line-table.ts";
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

/** The lines that were chosen for a budget. */
export interface PackedLines {
  readonly chosen: ReadonlySet<Candidate>;
  /** Which lines are shown. */
  readonly runs: Runs | undefined;
}

export const HEADING_SHARE_TOKENS = 3;
/** Added to the tokens of a line beside a shown one. */
const NEAR_TOKENS = 3;
/** With less room than this, no further line is tried. */
const LEAST_TOKENS = 4;
/** A copy of the state is kept where this share of a budget is left: most budgets that are tried next differ by less. */
const KEPT_SHARE = 1 / 32;

/**
 * Returns a function that chooses, for a budget in tokens, the lines that are worth most for their tokens, greedily, counting the worth of each
 * identifier once. Lazily: a line's worth falls as others are chosen, so it is computed again only for the line on top of the heap.
 *
 * A budget decides nothing but whether a line still fits. So a further budget continues from the last state up to which each line that was tried
 * would have been taken, or passed over, with that budget too.
 */
export function createPacker(
  candidates: readonly Candidate[],
  options: PackOptions,
): (budgetTokens: number) => PackedLines {
  const kept: KeptPacking[] = [];
  const table = tableOf(candidates, options);
  const start = startPacking(candidates, table, options);
  const advance = packingLoop(candidates, table, options);
  return (budgetTokens) => {
    const isSame = ({ least, under }: KeptPacking) => least <= budgetTokens && budgetTokens < under;
    let from: KeptPacking = start;
    for (const packing of kept) if (packing.used >= from.used && isSame(packing)) from = packing;
    if (from.packed !== undefined && isPacked(from, budgetTokens)) return from.packed;
    const packing = copyPacking(from);
    advance(packing, budgetTokens, () => kept.push(copyPacking(packing)));
    const chosen = new Set(Array.from(packing.taken).flatMap((item) => candidates[item] ?? []));
    const packed = { chosen, runs: packing.runs };
    kept.push({ ...packing, packed });
    return packed;
  };
}

/** How far the choice has come. */
interface Packing {
  /** The tokens of the chosen lines and their headings. */
  used: number;
  /** With a budget of at least `least` and less than `under` tokens, everything up to here would have been decided alike. */
  least: number;
  under: number;
  readonly heap: DensityHeap;
  /** By the number of an identifier, whether a chosen line names it. */
  readonly named: Uint8Array;
  /** By group, whether it has a heading. */
  readonly headed: Uint8Array;
  /** The sections, or the groups without one, that have a first heading. */
  readonly opened: Set<unknown>;
  /** The places of the chosen candidates, in the order in which they were chosen. */
  readonly taken: Set<number>;
  readonly runs: Runs | undefined;
}

interface KeptPacking extends Readonly<Packing> {
  /** The result, where the choice was made to its end. */
  readonly packed?: PackedLines;
}

function copyPacking(packing: Readonly<Packing>): Packing {
  const { used, least, under, heap, named, headed, opened, taken, runs } = packing;
  return {
    used,
    least,
    under,
    heap: heap.copy(),
    named: named.slice(),
    headed: headed.slice(),
    opened: new Set(opened),
    taken: new Set(taken),
    runs: runs?.copy(),
  };
}

function isPacked({ heap, used }: Readonly<Packing>, budgetTokens: number): boolean {
  return heap.isEmpty() || budgetTokens - used < LEAST_TOKENS;
}

function startPacking(candidates: readonly Candidate[], table: LineTable, options: PackOptions): Packing {
  const { headingShareTokens = HEADING_SHARE_TOKENS, runs } = options;
  const named = table.seen.slice();
  const densities = candidates.map(({ line }, item) => table.worthOf(item, named) / (line.tokens + headingShareTokens));
  return {
    used: 0,
    least: Number.NEGATIVE_INFINITY,
    under: Number.POSITIVE_INFINITY,
    heap: createDensityHeap(densities),
    named,
    headed: new Uint8Array(table.groups),
    opened: new Set(),
    taken: new Set(),
    runs,
  };
}

type Advance = (packing: Packing, budgetTokens: number, keep: () => void) => void;

/** Returns the function that goes on choosing until the budget is used up, and calls `keep` where the state is worth keeping. */
function packingLoop(candidates: readonly Candidate[], table: LineTable, options: PackOptions): Advance {
  const { headingTokens, sections = [], headingShareTokens = HEADING_SHARE_TOKENS } = options;

  const joinTokensOf = (candidate: Candidate, { headed, runs }: Packing): number | undefined =>
    headed[candidate.group] === 1 ? runs?.joinTokens(candidate) : undefined;

  const densityOf = (item: number, { line }: Candidate, named: Uint8Array, joinTokens: number | undefined): number => {
    const share = joinTokens === undefined ? headingShareTokens : joinTokens + NEAR_TOKENS;
    return table.worthOf(item, named) / (line.tokens + share);
  };

  /** Where a line would be quoted, and for how many tokens. */
  const placeOf = (candidate: Candidate, packing: Packing, joinTokens: number | undefined) => {
    const { line, group } = candidate;
    const { headed, opened, runs } = packing;
    const section = sections[group];
    // Compared by key: the subject may be another copy of the same line.
    const isSubject = line.key === section?.subject?.key;
    const isOpen = opened.has(section ?? group);
    const isHeaded = headed[group] === 1;
    const heading = isHeaded || (isSubject && isOpen) ? 0 : headingTokens(group, !isOpen);
    const joining = isHeaded ? (joinTokens ?? runs?.markTokens(candidate) ?? 0) : heading;
    return { section, needsHeading: !(isSubject && isOpen), tokens: isSubject ? heading : line.tokens + joining };
  };

  const show = (candidate: Candidate, packing: Packing): void => {
    const { heap, named, runs } = packing;
    if (runs === undefined) return;
    const { bridged, neighbours } = runs.take(candidate);
    for (const line of bridged) table.name(line, named);
    // A line beside a shown one has become cheaper, so its density may have risen.
    for (const item of neighbours) {
      const beside = candidates[item];
      if (beside !== undefined) heap.push(item, densityOf(item, beside, named, joinTokensOf(beside, packing)));
    }
  };

  /** Takes the line on top of the heap, passes it over, or puts it back where another is denser by now. */
  const decide = (packing: Packing, budgetTokens: number): void => {
    const { used, heap, named, headed, opened, taken } = packing;
    packing.least = Math.max(packing.least, used + LEAST_TOKENS);
    const item = heap.pop() ?? 0;
    const candidate = candidates[item];
    if (candidate === undefined || taken.has(item)) return;
    const joinTokens = joinTokensOf(candidate, packing);
    const { section, needsHeading, tokens } = placeOf(candidate, packing, joinTokens);
    if (tokens > budgetTokens - used) {
      packing.under = Math.min(packing.under, used + tokens);
      return;
    }
    packing.least = Math.max(packing.least, used + tokens);
    const density = densityOf(item, candidate, named, joinTokens);
    if (density < heap.topDensity()) {
      heap.push(item, density);
      return;
    }
    packing.used += tokens;
    if (needsHeading) headed[candidate.group] = 1;
    opened.add(section ?? candidate.group);
    table.name(section?.subject, named);
    taken.add(item);
    table.nameItem(item, named);
    show(candidate, packing);
  };

  return (packing, budgetTokens, keep) => {
    const isNearEnd = () => budgetTokens - packing.used < KEPT_SHARE * budgetTokens;
    let isKept = isNearEnd();
    while (!isPacked(packing, budgetTokens)) {
      decide(packing, budgetTokens);
      if (isKept || !isNearEnd()) continue;
      isKept = true;
      keep();
    }
  };
}
