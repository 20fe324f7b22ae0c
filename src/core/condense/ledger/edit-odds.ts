import { codeLines, isTelling, showsDiff } from "./code-lines.ts";
import { gatherNear } from "./gather-near.ts";
import { EDIT_TERMS, type EditTerm, weigh } from "./likelihoods.ts";
import type { LogBlock } from "./log-blocks.ts";
import type { SourceLine } from "./source-lines.ts";
import { spokenOf } from "./spoken-of.ts";

/** A line of code and how likely the next edits are to replace it, in comparison with the other lines. */
export interface EditOdds {
  readonly line: SourceLine;
  readonly odds: number;
}

/** Compares all lines that files hold, as far as the log tells, by how likely they are to be edited next. */
export function editOdds(blocks: readonly LogBlock[]): readonly EditOdds[] {
  return editTerms(blocks).map(({ line, terms }) => ({ line, odds: Math.exp(weigh(EDIT_TERMS, terms)) }));
}

export interface LineTerms {
  readonly line: SourceLine;
  readonly terms: Readonly<Record<EditTerm, number>>;
}

/** The values of the terms of each line, as they are weighed, and as they were fitted. */
export function editTerms(blocks: readonly LogBlock[]): readonly LineTerms[] {
  const named = spokenOf(blocks);
  const work: Work = { named, openFiles: new Set(Array.from(named, fileName)), editedCode: editedCode(blocks) };
  const surroundings = new Map<LogBlock, Surroundings>();
  return codeLines(blocks).map(({ line, block, index }) => {
    const around = surroundings.get(block) ?? surroundingsIn(block, work);
    surroundings.set(block, around);
    const terms = {
      lines: Math.log(block.lines.length),
      isOpen: around.isOpen,
      nearEdits: Math.min(1, around.edits[index] ?? 0),
      nearNames: Math.log1p(around.names[index] ?? 0),
    };
    return { line, terms };
  });
}

/** What the agent is at. */
interface Work {
  readonly named: ReadonlySet<string>;
  readonly openFiles: ReadonlySet<string>;
  /** Lines that edits took away or put in. */
  readonly editedCode: ReadonlySet<string>;
}

/** What a block has to do with the work: as a whole, and around each of its lines. */
interface Surroundings {
  readonly isOpen: 0 | 1;
  readonly edits: Float64Array;
  readonly names: Float64Array;
}

function surroundingsIn(block: LogBlock, { named, openFiles, editedCode }: Work): Surroundings {
  const { lines, act } = block;
  const isOpen = showsDiff(block) || act?.files.some(({ path }) => openFiles.has(fileName(path)));
  return {
    isOpen: isOpen ? 1 : 0,
    edits: gatherNear(lines.map(({ code }) => editedCode.has(code))),
    names: gatherNear(lines.map(({ identifiers }) => identifiers.some((identifier) => named.has(identifier)))),
  };
}

function editedCode(blocks: readonly LogBlock[]): ReadonlySet<string> {
  const edited = new Set<string>();
  for (const { source, act } of blocks) {
    if (source !== "call" || act?.kind !== "edit") continue;
    for (const code of act.removed) if (isTelling(code)) edited.add(code);
    for (const code of act.written) if (isTelling(code)) edited.add(code);
  }
  return edited;
}

/** One file is called by paths of different lengths. */
function fileName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}
