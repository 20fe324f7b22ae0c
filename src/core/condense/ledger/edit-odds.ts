import { gatherNear } from "./gather-near.ts";
import { EDIT_TERMS, type EditTerm, weigh } from "./likelihoods.ts";
import type { LogBlock } from "./log-blocks.ts";
import type { SourceLine } from "./source-lines.ts";

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

/** Further back, the agent speaks of what is done. */
const LAST_TEXTS = 6;

/** The names that stand for the work at hand: in what the agent said last, in the plan, and in the newest request. */
function spokenOf(blocks: readonly LogBlock[]): ReadonlySet<string> {
  const texts = blocks.filter(({ source }) => source === "assistant").slice(-LAST_TEXTS);
  const plan = blocks.findLast(({ source, act }) => source === "call" && act?.kind === "plan");
  const request = blocks.findLast(({ source }) => source === "user");
  const named = new Set<string>();
  for (const block of [...texts, plan, request]) {
    for (const { identifiers } of block?.lines ?? []) for (const identifier of identifiers) named.add(identifier);
  }
  return named;
}

/** A line of a file as the log showed it last. */
interface CodeLine {
  readonly line: SourceLine;
  readonly block: LogBlock;
  /** Its place among the lines of the block. */
  readonly index: number;
}

/** Shorter lines stand in every file. */
const LEAST_CHARACTERS = 8;
const SHOWS_DIFF = /\bgit\s[^|;&\n]{0,200}\b(?:diff|show)\b/;
/** In a diff: what is no longer there. */
const REMOVED = /^\s*-/;

/** The lines that files hold as far as the log tells, each where it was shown last; those that an edit removed are gone. */
function codeLines(blocks: readonly LogBlock[]): readonly CodeLine[] {
  const found = new Map<string, CodeLine>();
  for (const block of blocks) {
    const { source, act, lines } = block;
    if (act === undefined) continue;
    const isWritten = source === "call" && (act.kind === "edit" || act.kind === "write");
    const isRead = source === "result" && !block.isError && showsFile(block);
    if (!isWritten && !isRead) continue;
    if (isWritten) for (const gone of act.removed) found.delete(gone);
    const isDiff = showsDiff(block);
    for (const [index, line] of lines.entries()) {
      const { code } = line;
      if (isDiff && REMOVED.test(line.text)) continue;
      if (!isTelling(code) || (isWritten && !act.written.has(code))) continue;
      found.set(code, { line, block, index });
    }
  }
  return [...found.values()];
}

function isTelling(code: string): boolean {
  return code.length >= LEAST_CHARACTERS;
}

/** Whether a command shows changes of files. */
function showsDiff({ act }: LogBlock): boolean {
  return act?.kind === "run" && SHOWS_DIFF.test(act.command ?? "");
}

/** Shell commands show files too; where they do nothing else, what they print is code. */
function showsFile(block: LogBlock): boolean {
  const { act } = block;
  if (act?.kind === "read" || showsDiff(block)) return true;
  return act?.kind === "run" && act.files.some(({ touch }) => touch === "read");
}
