import type { LogBlock } from "./log-blocks.ts";
import type { SourceLine } from "./source-lines.ts";

/** A line of a file as the log showed it last. */
export interface CodeLine {
  readonly line: SourceLine;
  readonly block: LogBlock;
  /** Its place among the lines of the block. */
  readonly index: number;
}

/** Shorter lines occur in every file. */
const LEAST_CHARACTERS = 8;
const SHOWS_DIFF = /\bgit\s[^|;&\n]{0,200}\b(?:diff|show)\b/;
/** A removed line in a diff. */
const REMOVED = /^\s*-/;

/** The lines that files may hold by what the log shows, each where it was shown last; without those that an edit removed. */
export function codeLines(blocks: readonly LogBlock[]): readonly CodeLine[] {
  const newestLines = new Map<string, CodeLine>();
  const newest = newestOutputs(blocks);
  for (const block of blocks) {
    const { act, lines } = block;
    const isWritten = writesFile(block);
    if (act === undefined || !(isWritten || showsCode(block))) continue;
    if (!isWritten && isSuperseded(block, newest)) continue;
    if (isWritten) for (const code of act.removed) newestLines.delete(code);
    const isDiff = showsDiff(block);
    for (const [index, line] of lines.entries()) {
      const { code } = line;
      if (line.isBefore === true || (isDiff && REMOVED.test(line.text))) continue;
      if (!isDistinctive(code) || (isWritten && !act.written.has(code))) continue;
      newestLines.set(code, { line, block, index });
    }
  }
  return [...newestLines.values()];
}

/** The newest output of each command: earlier ones are outdated. */
function newestOutputs(blocks: readonly LogBlock[]): ReadonlyMap<string, LogBlock> {
  const newest = new Map<string, LogBlock>();
  for (const block of blocks) {
    if (block.source === "result" && block.act?.command !== undefined) newest.set(block.act.command, block);
  }
  return newest;
}

/** Whether a block is the output of a command that was run again later. */
function isSuperseded(block: LogBlock, newest: ReadonlyMap<string, LogBlock>): boolean {
  const command = block.act?.command;
  return command !== undefined && !showsFile(block) && newest.get(command) !== block;
}

/** Whether a line is long enough to tell one file from another. */
export function isDistinctive(code: string): boolean {
  return code.length >= LEAST_CHARACTERS;
}

/** Whether a block is a call that writes or edits a file. */
export function writesFile({ source, act }: LogBlock): boolean {
  return source === "call" && (act?.kind === "edit" || act?.kind === "write");
}

/** Whether a block may show lines of files, as any output may, except that of a plan tool. */
function showsCode({ source, act, isError }: LogBlock): boolean {
  return source === "result" && !isError && act?.kind !== "plan" && act?.kind !== "plan-step";
}

/** Whether a block belongs to a command that shows changes of files. */
export function showsDiff({ act }: LogBlock): boolean {
  return act?.kind === "run" && SHOWS_DIFF.test(act.command ?? "");
}

/** Whether a block belongs to a call that shows a file: a read, or a shell command that reads files or shows changes of them. */
export function showsFile(block: LogBlock): boolean {
  const { act } = block;
  if (act?.kind === "read" || showsDiff(block)) return true;
  return act?.kind === "run" && act.files.some(({ touch }) => touch === "read");
}
