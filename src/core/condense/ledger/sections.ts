import { countTextTokens } from "../../tokens/o200k/count-text-tokens.ts";
import { headingOf } from "./ledger-text.ts";
import type { LogBlock } from "./log-blocks.ts";
import type { SourceLine } from "./source-lines.ts";

/** Blocks that stand below one heading: what was read and written of one file, a call and what it returned, or one text. */
export interface Section {
  /** The line of a call that tells what the section is about, its path or its command; it is quoted in the heading. */
  readonly subject: SourceLine | undefined;
  /** Of the file that it is about, where it is about one and the subject names it. */
  readonly path: string | undefined;
  /** Of all files that the subject names. */
  readonly paths: readonly string[];
}

/** The section of each block, by its index. */
export function sectionsOf(blocks: readonly LogBlock[]): readonly Section[] {
  const sections = new Map<unknown, { -readonly [Key in keyof Section]: Section[Key] }>();
  return blocks.map((block) => {
    const path = fileOfAct(block.act);
    const key = path ?? block.call ?? block;
    const section = sections.get(key) ?? { subject: undefined, path: undefined, paths: [] };
    sections.set(key, section);
    const subject = section.subject ?? subjectOf(block, path);
    if (subject === undefined) return section;
    if (section.subject === undefined) section.paths = pathsIn(subject, block);
    section.subject = subject;
    section.path = path;
    return section;
  });
}

function pathsIn({ text }: SourceLine, { act }: LogBlock): readonly string[] {
  return act?.files.flatMap(({ path }) => (text.includes(path) ? path : [])) ?? [];
}

/** Tools that read, write and edit name one file; commands are told apart even where they show the same file. */
function fileOfAct(act: LogBlock["act"]): string | undefined {
  if (act === undefined || act.command !== undefined) return undefined;
  const [file, ...others] = act.files;
  return file === undefined || others.length > 0 ? undefined : file.path;
}

/** Longer commands are cut in the heading. */
const MOST_SUBJECT_TOKENS = 60;

/** The line in which a call names its file, else the first line of its command. */
function subjectOf({ source, act, lines }: LogBlock, path: string | undefined): SourceLine | undefined {
  if (source !== "call") return undefined;
  const command = act?.kind === "run" ? lines[0] : undefined;
  const found = path === undefined ? command : lines.find(({ text }) => text.endsWith(path));
  return found === undefined || found.tokens > MOST_SUBJECT_TOKENS ? undefined : found;
}

/** What the headings of the blocks take: the first of a section names what it is about. */
export function headingCounter(
  blocks: readonly LogBlock[],
  sections: readonly Section[],
): (block: number, isFirst: boolean) => number {
  const counts = new Map<number, number>();
  return (index, isFirst) => {
    const block = blocks[index];
    if (block === undefined) return 0;
    if (!isFirst) return LATER_HEADING_TOKENS;
    const tokens = counts.get(index) ?? countTextTokens(`${headingOf(block, sections[index]?.subject)}\n`);
    counts.set(index, tokens);
    return tokens;
  };
}

const LATER_HEADING_TOKENS = 6;
