import { showsDiff, writesFile } from "./code-lines.ts";
import type { LogBlock } from "./log-blocks.ts";
import type { Candidate } from "./pack-lines.ts";
import type { SourceLine } from "./source-lines.ts";

/** A gap of one short line is filled, so that what stands together is read together. */
const BRIDGED_LINES = 1;
const BRIDGED_TOKENS = 10;
/** Half of a change tells less than none of it: lines of a change that the view shows elsewhere are repeated between others, up to so many tokens. */
const REPEATED_TOKENS = 40;
/** So far a line looks for others to stand with. */
const REACH_LINES = 8;

/** The mark where lines are left out, or the number of the line that goes on. */
const MARK_TOKENS = 1;
const NUMBER_TOKENS = 2;

/** What taking a line did. */
export interface Taken {
  /** Lines that are shown with it, as only they lay between it and others. */
  readonly bridged: readonly SourceLine[];
  /** Lines that stand beside shown ones now. */
  readonly neighbours: readonly Candidate[];
}

/** Which lines of a log are shown, so that those that stand together are shown together. */
export interface Runs {
  /** What must be shown with a line that stands beside a shown one: what lies between them; undefined where it stands alone. */
  joinTokens(candidate: Candidate): number | undefined;
  /** What marks a line that stands alone. */
  markTokens(candidate: Candidate): number;
  take(candidate: Candidate): Taken;
  /** The places of the shown lines of a block, in order. */
  shownIn(group: number): readonly number[];
}

export interface RunsOptions {
  readonly blocks: readonly LogBlock[];
  readonly candidates: readonly Candidate[];
  /** Lines that are never shown, such as those that an edit took away. */
  readonly barred: ReadonlySet<SourceLine>;
}

/** Makes runs of one log anew for each try to pack it. */
export function runsOf({ blocks, candidates, barred }: RunsOptions): () => Runs {
  const starts: number[] = [];
  let size = 0;
  for (const { lines } of blocks) {
    starts.push(size);
    size += lines.length;
  }
  starts.push(size);
  const candidateAt: (Candidate | undefined)[] = new Array(size).fill(undefined);
  const placeOf = ({ group, index }: Candidate) => (starts[group] ?? 0) + index;
  for (const candidate of candidates) candidateAt[placeOf(candidate)] = candidate;
  const log = {
    blocks,
    isChange: blocks.map((block) => writesFile(block) || showsDiff(block)),
    starts,
    size,
    candidateAt,
    placeOf,
    barred,
  };
  return () => createRuns(log);
}

interface Log {
  readonly blocks: readonly LogBlock[];
  /** Of each block, whether it shows or makes changes of files. */
  readonly isChange: readonly boolean[];
  /** Where the lines of each block begin among all lines; at the end, how many there are. */
  readonly starts: readonly number[];
  readonly size: number;
  readonly candidateAt: readonly (Candidate | undefined)[];
  readonly placeOf: (candidate: Candidate) => number;
  readonly barred: ReadonlySet<SourceLine>;
}

function createRuns({ blocks, isChange, starts, size, candidateAt, placeOf, barred }: Log): Runs {
  const shown = new Uint8Array(size);

  /** How far the next shown line is in this direction; 0 where it is too far. */
  const distance = (group: number, index: number, step: 1 | -1): number => {
    const { lines } = blocks[group] ?? { lines: [] };
    const start = starts[group] ?? 0;
    const mayRepeat = isChange[group] === true;
    let linesLeft = BRIDGED_LINES;
    let tokensLeft = BRIDGED_TOKENS;
    let repeatedLeft = REPEATED_TOKENS;
    for (let far = 1; far <= REACH_LINES; far++) {
      const at = index + far * step;
      const line = lines[at];
      if (line === undefined) return 0;
      if (shown[start + at] === 1) return far;
      if (barred.has(line)) return 0;
      if (mayRepeat && candidateAt[start + at] === undefined) repeatedLeft -= line.tokens;
      else {
        linesLeft -= 1;
        tokensLeft -= line.tokens;
      }
      if (linesLeft < 0 || tokensLeft < 0 || repeatedLeft < 0) return 0;
    }
    return 0;
  };
  const lineAt = (group: number, at: number) => blocks[group]?.lines[at];
  /** The places between a line and the shown ones that are near, before and after it. */
  const between = (index: number, before: number, after: number): readonly number[] => {
    const places: number[] = [];
    for (let at = index - before + 1; at < index + after; at++) if (at !== index) places.push(at);
    return places;
  };

  return {
    joinTokens({ group, index }) {
      const before = distance(group, index, -1);
      const after = distance(group, index, 1);
      if (before === 0 && after === 0) return undefined;
      if (before <= 1 && after <= 1) return 0;
      let tokens = 0;
      for (const at of between(index, before || 1, after || 1)) tokens += lineAt(group, at)?.tokens ?? 0;
      return tokens;
    },
    markTokens({ line }) {
      return line.number === undefined ? MARK_TOKENS : NUMBER_TOKENS;
    },
    take(candidate) {
      const { group, index } = candidate;
      const bridged = between(index, distance(group, index, -1) || 1, distance(group, index, 1) || 1);
      const start = starts[group] ?? 0;
      shown[placeOf(candidate)] = 1;
      for (const at of bridged) shown[start + at] = 1;
      const neighbours: Candidate[] = [];
      const reach = isChange[group] ? REACH_LINES : BRIDGED_LINES + 1;
      const end = Math.min((starts[group + 1] ?? size) - start, index + reach + 1);
      for (let at = Math.max(0, index - reach); at < end; at++) {
        const neighbour = shown[start + at] === 1 ? undefined : candidateAt[start + at];
        if (neighbour !== undefined) neighbours.push(neighbour);
      }
      return { bridged: bridged.flatMap((at) => lineAt(group, at) ?? []), neighbours };
    },
    shownIn(group) {
      const start = starts[group] ?? 0;
      const end = starts[group + 1] ?? size;
      const places: number[] = [];
      for (let at = start; at < end; at++) if (shown[at] === 1) places.push(at - start);
      return places;
    },
  };
}
