import type { LogBlock } from "./log-blocks.ts";
import type { SourceLine } from "./source-lines.ts";

/** Fewer lines of one shape are shown one by one. */
const LEAST_RUN = 4;
/** What differs between lines of one shape: quoted names, paths, and words with digits, capitals or underscores inside. */
const VARYING =
  /'[^']{0,200}'|"[^"]{0,200}"|`[^`]{0,200}`|[\w.@~-]{0,100}[/\\][\w.@~/\\[\](){},:+-]{0,300}|\w{0,60}[a-z_\d][A-Z_\d]\w{0,60}|\d[\d.:,]{0,30}/g;
const WORD = /\p{L}{2}/u;

/** The lines of outputs that only repeat the shape of those before them, but for the first and the last of each run. */
export function repeatedLines(blocks: readonly LogBlock[]): ReadonlySet<SourceLine> {
  const repeated = new Set<SourceLine>();
  for (const block of blocks) for (const line of repeatedIn(block)) repeated.add(line);
  return repeated;
}

const known = new WeakMap<readonly SourceLine[], readonly SourceLine[]>();

function repeatedIn({ source, act, lines }: LogBlock): readonly SourceLine[] {
  if (source !== "result" || act?.kind !== "run" || lines.length < LEAST_RUN) return [];
  // What git lists are the names that matter, and what shows a file is code.
  if (GIT.test(act.command ?? "") || act.files.some(({ touch }) => touch === "read")) return [];
  const found = known.get(lines) ?? findRepeated(lines);
  known.set(lines, found);
  return found;
}

const GIT = /\bgit\s/;

function findRepeated(lines: readonly SourceLine[]): readonly SourceLine[] {
  const found: SourceLine[] = [];
  let start = 0;
  let shape = "";
  for (let at = 0; at <= lines.length; at++) {
    const line = lines[at];
    const next = line === undefined ? "" : shapeOf(line.text);
    if (at > 0 && next === shape && line !== undefined) continue;
    if (at - start >= LEAST_RUN && WORD.test(shape)) found.push(...lines.slice(start + 1, at - 1));
    start = at;
    shape = next;
  }
  return found;
}

/** A line without what differs between lines of one shape. */
export function shapeOf(text: string): string {
  return text.trim().replace(VARYING, "#");
}
