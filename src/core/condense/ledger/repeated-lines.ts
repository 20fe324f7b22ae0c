import type { LogBlock } from "./log-blocks.ts";
import type { SourceLine } from "./source-lines.ts";

/** Fewer consecutive lines of one shape are not taken for repeated. */
const LEAST_RUN = 4;
/** The parts that may differ between lines of one shape: quoted names, paths, and words with digits, capitals or underscores inside. */
const VARYING =
  /'[^']{0,200}'|"[^"]{0,200}"|`[^`]{0,200}`|[\w.@~-]{0,100}[/\\][\w.@~/\\[\](){},:+-]{0,300}|\w{0,60}[a-z_\d][A-Z_\d]\w{0,60}|\d[\d.:,]{0,30}/g;
const WORD = /\p{L}{2}/u;

/** The lines of outputs that only repeat the shape of the lines before them; without the first and the last of each run. */
export function repeatedLines(blocks: readonly LogBlock[]): ReadonlySet<SourceLine> {
  const repeated = new Set<SourceLine>();
  for (const block of blocks) for (const line of repeatedIn(block)) repeated.add(line);
  return repeated;
}

const repeatedByLines = new WeakMap<readonly SourceLine[], readonly SourceLine[]>();

function repeatedIn({ source, act, lines }: LogBlock): readonly SourceLine[] {
  if (source !== "result" || act?.kind !== "run" || lines.length < LEAST_RUN) return [];
  // Lines of git list names that matter, and lines of a file are code.
  if (GIT.test(act.command ?? "") || act.files.some(({ touch }) => touch === "read")) return [];
  const repeated = repeatedByLines.get(lines) ?? findRepeated(lines);
  repeatedByLines.set(lines, repeated);
  return repeated;
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

/** A line with `#` in place of the parts that may differ between lines of one shape. */
export function shapeOf(text: string): string {
  return text.trim().replace(VARYING, "#");
}
