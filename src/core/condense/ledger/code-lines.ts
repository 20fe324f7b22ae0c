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

/** The lines that files hold as far as the log tells, each where it was shown last; those that an edit removed are gone. */
export function codeLines(blocks: readonly LogBlock[]): readonly CodeLine[] {
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

export function isTelling(code: string): boolean {
  return code.length >= LEAST_CHARACTERS;
}

/** Whether a command shows changes of files. */
export function showsDiff({ act }: LogBlock): boolean {
  return act?.kind === "run" && SHOWS_DIFF.test(act.command ?? "");
}

/** Shell commands show files too; where they do nothing else, what they print is code. */
function showsFile(block: LogBlock): boolean {
  const { act } = block;
  if (act?.kind === "read" || showsDiff(block)) return true;
  return act?.kind === "run" && act.files.some(({ touch }) => touch === "read");
}
