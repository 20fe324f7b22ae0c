import type { LogCandidates } from "./find-candidates.ts";
import type { LogBlock } from "./log-blocks.ts";
import type { Candidate } from "./pack-lines.ts";

/** A place in a log that the agent has to read word for word: lines of a file, or lines with certain names. */
export interface NeededPlace {
  /** The file; undefined where names stand in commands, output or messages. */
  readonly path: string | undefined;
  /** Numbers of lines, both ends included. */
  readonly ranges: readonly { readonly first: number; readonly last: number }[];
  readonly names: readonly string[];
}

/** The share of the room that needed places may fill: the rest is for lines that the ledger finds by itself. */
export const PLACES_SHARE = 0.6;
/** The worth of a needed line for each of its tokens: more than that of nearly all other lines. */
const WORTH_PER_TOKEN = 0.2;
/** A longer range says that the whole file is needed, for which there is no room. */
const MOST_LINES = 60;
/** How many lines of a body are quoted below the line that defines a name. */
const MOST_BODY_LINES = 3;

/** The candidates, of which those at needed places are worth most, in the order of the places, until they fill their share of the room. */
export function favourNeeded(found: LogCandidates, places: readonly NeededPlace[], roomTokens: number): LogCandidates {
  if (places.length === 0) return found;
  const needed = new Set<Candidate>();
  const linesAt = placeReader(found);
  let left = roomTokens * PLACES_SHARE;
  for (const candidate of places.flatMap(linesAt)) {
    if (needed.has(candidate)) continue;
    left -= candidate.line.tokens;
    if (left < 0) break;
    needed.add(candidate);
  }
  const candidates = found.candidates.map((candidate) =>
    needed.has(candidate)
      ? { ...candidate, value: candidate.value + WORTH_PER_TOKEN * candidate.line.tokens }
      : candidate,
  );
  return { ...found, candidates };
}

/** Returns a function that finds the lines at a place: the newest copy of each. */
function placeReader({ blocks, candidates }: LogCandidates): (place: NeededPlace) => readonly Candidate[] {
  const byGroup = new Map<number, Candidate[]>();
  for (const candidate of candidates) {
    const group = byGroup.get(candidate.group);
    if (group === undefined) byGroup.set(candidate.group, [candidate]);
    else group.push(candidate);
  }
  const newestFirst = [...byGroup].sort(([one], [other]) => other - one);
  return ({ path, ranges, names }) => {
    const inFile = path === undefined ? [] : newestFirst.filter(([group]) => isAbout(blocks[group], path));
    // A model may take the first part of a name for a path.
    const groups = (inFile.length === 0 ? newestFirst : inFile).map(([, lines]) => lines);
    return [
      ...(inFile.length === 0 ? [] : ranges.flatMap((range) => linesInRange(groups, range))),
      ...names.flatMap((name) => linesOfName(groups, name)),
    ];
  };
}

function isAbout(block: LogBlock | undefined, path: string): boolean {
  const isPath = (known: string) => known === path || known.endsWith(`/${path}`) || path.endsWith(`/${known}`);
  return block?.act?.files.some((file) => isPath(file.path)) === true;
}

type Groups = readonly (readonly Candidate[])[];

function linesInRange(groups: Groups, { first, last }: NeededPlace["ranges"][number]): readonly Candidate[] {
  const byNumber = new Map<number, Candidate>();
  for (const candidate of groups.flat()) {
    const { number } = candidate.line;
    if (number === undefined || number < first || number > last || byNumber.has(number)) continue;
    byNumber.set(number, candidate);
  }
  const inOrder = [...byNumber].sort(([one], [other]) => one - other);
  return inOrder.slice(0, MOST_LINES).map(([, candidate]) => candidate);
}

/** The newest line that opens a block with this name, and the beginning of that block; else the newest line that holds the name. */
function linesOfName(groups: Groups, name: string): readonly Candidate[] {
  let newest: Candidate | undefined;
  for (const lines of groups) {
    for (const [at, candidate] of lines.entries()) {
      if (!candidate.line.text.includes(name)) continue;
      if (opensBlock(candidate)) return [candidate, ...bodyAfter(lines, at)];
      newest ??= candidate;
    }
  }
  return newest === undefined ? [] : [newest];
}

const OPENERS = "{([:";

function opensBlock({ line: { text } }: Candidate): boolean {
  return OPENERS.includes(text.trimEnd().slice(-1));
}

/** The lines after one that are indented more deeply. */
function bodyAfter(lines: readonly Candidate[], at: number): readonly Candidate[] {
  const start = lines[at];
  const after = start === undefined ? [] : lines.slice(at + 1, at + 1 + MOST_BODY_LINES);
  const end = after.findIndex((candidate) => start === undefined || indentOf(candidate) <= indentOf(start));
  return end === -1 ? after : after.slice(0, end);
}

function indentOf({ line: { text } }: Candidate): number {
  return text.length - text.trimStart().length;
}
