import { PalimpsestError } from "../../errors.ts";

/** A file that a person wrote for an agent. */
export interface MemoryFile {
  /** Relative to the loaded folder, with forward slashes. Used in errors, and as the id of entries. */
  readonly path: string;
  readonly text: string;
}

export interface Line {
  readonly text: string;
  /** Its number in the file, from 1. */
  readonly number: number;
  /** Whether it is part of a fenced code block, in which nothing is markup. */
  readonly isCode: boolean;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** The lines of a text, without their line ends. */
export function linesOf(text: string, firstNumber = 1): readonly Line[] {
  let fence: string | undefined;
  return text
    .replace(/^\ufeff/, "")
    .split(/\r\n|\r|\n/)
    .map((line, index) => {
      const mark = FENCE.exec(line)?.[1];
      const isCode = fence !== undefined || mark !== undefined;
      if (fence === undefined) fence = mark;
      else if (mark?.startsWith(fence) === true) fence = undefined;
      return { text: line, number: firstNumber + index, isCode };
    });
}

const HEADING = /^(#{1,6})[ \t]+(\S.*)$/;

export interface Heading {
  /** From 1, the outermost, to 6. */
  readonly depth: number;
  readonly text: string;
}

/** The heading in a line; undefined for other lines. */
export function headingOf({ text, isCode }: Line): Heading | undefined {
  const [, marks = "", words = ""] = (isCode ? null : HEADING.exec(text)) ?? [];
  const heading = words.trimEnd();
  return marks === "" ? undefined : { depth: marks.length, text: heading };
}

/** The lines as one text, without blank lines around it. */
export function textOfLines(lines: readonly Line[]): string {
  const texts = lines.map(({ text }) => text.trimEnd());
  const first = texts.findIndex((text) => text !== "");
  const last = texts.findLastIndex((text) => text !== "");
  return first === -1 ? "" : texts.slice(first, last + 1).join("\n");
}

/** The name of a file without its folder and its extension. */
export function baseName(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  return dot > 0 ? name.slice(0, dot) : name;
}

/** The error for a file with invalid content. */
export function unreadable(path: string, line: number, problem: string): PalimpsestError {
  return new PalimpsestError("invalid-configuration", `${path}, line ${line}: ${problem}`);
}
