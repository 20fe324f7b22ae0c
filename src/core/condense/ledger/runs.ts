import { showsDiff, writesFile } from "./code-lines.ts";
import type { LogBlock } from "./log-blocks.ts";
import type { Candidate } from "./pack-lines.ts";
import type { SourceLine } from "./source-lines.ts";

/** A gap of this many lines and tokens between shown lines is filled, so that lines that belong together are read together. */
const BRIDGED_LINES = 1;
const BRIDGED_TOKENS = 10;
/** In a change, a gap may also be filled by lines that the view shows elsewhere, up to this many tokens: a change is of little use in halves. */
const REPEATED_TOKENS = 40;
/** How far from a line others are looked for to join it with. */
const REACH_LINES = 8;

/** The tokens of the mark where lines are left out, and of the line number that stands instead of it. */
const MARK_TOKENS = 1;
const NUMBER_TOKENS = 2;

/** The effect of taking a line. */
export interface Taken {
  /** Lines that are shown with it, as they fill the gap between it and shown lines. */
  readonly bridged: readonly SourceLine[];
  /** Candidates that are near a shown line now, by their places in the list of candidates. */
  readonly neighbours: readonly number[];
}

/** Records which lines of a log are shown, and fills small gaps between them. */
export interface Runs {
  /** The tokens of the lines that fill the gaps between a line and shown ones near it; undefined where none is near. */
  joinTokens(candidate: Candidate): number | undefined;
  /** The tokens of the mark before a line that stands alone. */
  markTokens(candidate: Candidate): number;
  /** Shows a line, and the lines that fill the gaps around it. */
  take(candidate: Candidate): Taken;
  /** The indexes of the shown lines of a block, in order. */
  shownIn(group: number): readonly number[];
  copy(): Runs;
}

export interface RunsOptions {
  readonly blocks: readonly LogBlock[];
  readonly candidates: readonly Candidate[];
  /** Lines that are never shown, such as those that an edit removed. */
  readonly barred: ReadonlySet<SourceLine>;
}

/** The runs of a log of which no line is shown. */
export function runsOf({ blocks, candidates, barred }: RunsOptions): Runs {
  const starts: number[] = [];
  let size = 0;
  for (const { lines } of blocks) {
    starts.push(size);
    size += lines.length;
  }
  starts.push(size);
  const candidateAt = new Int32Array(size).fill(NO_CANDIDATE);
  for (const [place, { group, index }] of candidates.entries()) candidateAt[(starts[group] ?? 0) + index] = place;
  const log = {
    blocks,
    isChange: blocks.map((block) => writesFile(block) || showsDiff(block)),
    starts,
    size,
    candidateAt,
    barred,
  };
  return createRuns(log, new Uint8Array(size));
}

const NO_CANDIDATE = -1;

interface Log {
  readonly blocks: readonly LogBlock[];
  /** For each block, whether it shows or makes changes of files. */
  readonly isChange: readonly boolean[];
  /** The offset of each block's lines among all lines, and as the last item the number of all lines. */
  readonly starts: readonly number[];
  readonly size: number;
  /** The candidate at each of all lines, by its place in the list of candidates. */
  readonly candidateAt: Int32Array;
  readonly barred: ReadonlySet<SourceLine>;
}

function createRuns(log: Log, shown: Uint8Array): Runs {
  const { blocks, isChange, starts, size, candidateAt, barred } = log;

  /** The distance to the next shown line in this direction; 0 where there is none that can be joined. */
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
      if (mayRepeat && candidateAt[start + at] === NO_CANDIDATE) repeatedLeft -= line.tokens;
      else {
        linesLeft -= 1;
        tokensLeft -= line.tokens;
      }
      if (linesLeft < 0 || tokensLeft < 0 || repeatedLeft < 0) return 0;
    }
    return 0;
  };
  const lineAt = (group: number, at: number) => blocks[group]?.lines[at];
  /** The indexes between a line and the shown lines at these distances before and after it. */
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
    take({ group, index }) {
      const bridged = between(index, distance(group, index, -1) || 1, distance(group, index, 1) || 1);
      const start = starts[group] ?? 0;
      shown[start + index] = 1;
      for (const at of bridged) shown[start + at] = 1;
      const neighbours: number[] = [];
      const reach = isChange[group] ? REACH_LINES : BRIDGED_LINES + 1;
      const end = Math.min((starts[group + 1] ?? size) - start, index + reach + 1);
      for (let at = Math.max(0, index - reach); at < end; at++) {
        const neighbour = candidateAt[start + at] ?? NO_CANDIDATE;
        if (shown[start + at] !== 1 && neighbour !== NO_CANDIDATE) neighbours.push(neighbour);
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
    copy: () => createRuns(log, shown.slice()),
  };
}
