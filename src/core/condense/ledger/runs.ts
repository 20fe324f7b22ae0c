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
  /** What must be shown with a line: what lies between it and shown lines that are near, or a mark. */
  joinTokens(candidate: Candidate): number;
  /** Whether a line stands beside a shown one. */
  isNear(candidate: Candidate): boolean;
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
  const candidateAt = new Map<number, Candidate>();
  const placeOf = ({ group, index }: Candidate) => (starts[group] ?? 0) + index;
  for (const candidate of candidates) candidateAt.set(placeOf(candidate), candidate);
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
  readonly candidateAt: ReadonlyMap<number, Candidate>;
  readonly placeOf: (candidate: Candidate) => number;
  readonly barred: ReadonlySet<SourceLine>;
}

function createRuns({ blocks, isChange, starts, size, candidateAt, placeOf, barred }: Log): Runs {
  const shown = new Uint8Array(size);

  /** The lines between a line and the next shown one in this direction; undefined where that is too far. */
  const gap = (group: number, index: number, step: 1 | -1): readonly number[] | undefined => {
    const { lines } = blocks[group] ?? { lines: [] };
    const start = starts[group] ?? 0;
    const between: number[] = [];
    const room = { lines: BRIDGED_LINES, tokens: BRIDGED_TOKENS, repeatedTokens: REPEATED_TOKENS };
    for (let at = index + step; at >= 0 && at < lines.length && between.length < REACH_LINES; at += step) {
      const line = lines[at];
      if (line === undefined) return undefined;
      if (shown[start + at] === 1) return between;
      if (barred.has(line)) return undefined;
      if (isChange[group] && !candidateAt.has(start + at)) room.repeatedTokens -= line.tokens;
      else {
        room.lines -= 1;
        room.tokens -= line.tokens;
      }
      if (room.lines < 0 || room.tokens < 0 || room.repeatedTokens < 0) return undefined;
      between.push(at);
    }
    return undefined;
  };
  const lineAt = (group: number, at: number) => blocks[group]?.lines[at];

  return {
    joinTokens({ group, index }) {
      const before = gap(group, index, -1);
      const after = gap(group, index, 1);
      if (before === undefined && after === undefined)
        return lineAt(group, index)?.number === undefined ? MARK_TOKENS : NUMBER_TOKENS;
      let tokens = 0;
      for (const at of [...(before ?? []), ...(after ?? [])]) tokens += lineAt(group, at)?.tokens ?? 0;
      return tokens;
    },
    isNear({ group, index }) {
      return gap(group, index, -1) !== undefined || gap(group, index, 1) !== undefined;
    },
    take(candidate) {
      const { group, index } = candidate;
      const between = [...(gap(group, index, -1) ?? []), ...(gap(group, index, 1) ?? [])];
      const start = starts[group] ?? 0;
      shown[placeOf(candidate)] = 1;
      for (const at of between) shown[start + at] = 1;
      const neighbours: Candidate[] = [];
      const reach = isChange[group] ? REACH_LINES : BRIDGED_LINES + 1;
      const end = Math.min((starts[group + 1] ?? size) - start, index + reach + 1);
      for (let at = Math.max(0, index - reach); at < end; at++) {
        const neighbour = shown[start + at] === 1 ? undefined : candidateAt.get(start + at);
        if (neighbour !== undefined) neighbours.push(neighbour);
      }
      return { bridged: between.flatMap((at) => lineAt(group, at) ?? []), neighbours };
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
