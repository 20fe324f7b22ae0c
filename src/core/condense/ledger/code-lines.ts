import type { LogBlock } from "./log-blocks.ts";
import type { SourceLine } from "./source-lines.ts";

/** A line of a file as the log showed it last. */
export interface CodeLine {
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

/** The lines that files may hold as far as the log tells, each where it was shown last; those that an edit removed are gone. */
export function codeLines(blocks: readonly LogBlock[]): readonly CodeLine[] {
  const found = new Map<string, CodeLine>();
  const newest = newestOutputs(blocks);
  for (const block of blocks) {
    const { act, lines } = block;
    const isWritten = writesFile(block);
    if (act === undefined || !(isWritten || showsCode(block))) continue;
    if (!isWritten && isSuperseded(block, newest)) continue;
    if (isWritten) for (const gone of act.removed) found.delete(gone);
    const isDiff = showsDiff(block);
    for (const [index, line] of lines.entries()) {
      const { code } = line;
      if (line.isBefore === true || (isDiff && REMOVED.test(line.text))) continue;
      if (!isDistinctive(code) || (isWritten && !act.written.has(code))) continue;
      found.set(code, { line, block, index });
    }
  }
  return [...found.values()];
}

/** What each command printed last: what it said before it was run again is true no longer. */
function newestOutputs(blocks: readonly LogBlock[]): ReadonlyMap<string, LogBlock> {
  const newest = new Map<string, LogBlock>();
  for (const block of blocks) {
    if (block.source === "result" && block.act?.command !== undefined) newest.set(block.act.command, block);
  }
  return newest;
}

/** Whether a block is what a command printed before it was run again. */
function isSuperseded(block: LogBlock, newest: ReadonlyMap<string, LogBlock>): boolean {
  const command = block.act?.command;
  return command !== undefined && !showsFile(block) && newest.get(command) !== block;
}

export function isDistinctive(code: string): boolean {
  return code.length >= LEAST_CHARACTERS;
}

/** Whether a block is the call that puts lines into a file. */
export function writesFile({ source, act }: LogBlock): boolean {
  return source === "call" && (act?.kind === "edit" || act?.kind === "write");
}

/** Any output may show lines of files; plans and answers of the person are none. */
function showsCode({ source, act, isError }: LogBlock): boolean {
  return source === "result" && !isError && act?.kind !== "plan" && act?.kind !== "plan-step";
}

/** Whether a command shows changes of files. */
export function showsDiff({ act }: LogBlock): boolean {
  return act?.kind === "run" && SHOWS_DIFF.test(act.command ?? "");
}

/** Shell commands show files too; where they do nothing else, what they print is code. */
export function showsFile(block: LogBlock): boolean {
  const { act } = block;
  if (act?.kind === "read" || showsDiff(block)) return true;
  return act?.kind === "run" && act.files.some(({ touch }) => touch === "read");
}
