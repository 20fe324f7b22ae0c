import { countTextTokens } from "../../tokens/o200k/count-text-tokens.ts";
import { headingOf } from "./ledger-text.ts";
import type { LogBlock } from "./log-blocks.ts";
import type { SourceLine } from "./source-lines.ts";

/** Blocks that are quoted below one heading: all calls about one file with their results, one other call with its result, or one text. */
export interface Section {
  /** The line of a call with the section's path or command, which is quoted in the heading. */
  readonly subject: SourceLine | undefined;
  /** The path of the file that it is about, where it is about one and the subject names it. */
  readonly path: string | undefined;
  /** The paths of all files that the subject names. */
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

/** The one file that a call of a file tool names; undefined for commands, which have sections of their own even where they show the same file. */
function fileOfAct(act: LogBlock["act"]): string | undefined {
  if (act === undefined || act.command !== undefined) return undefined;
  const [file, ...others] = act.files;
  return file === undefined || others.length > 0 ? undefined : file.path;
}

/** A longer line is not quoted in a heading. */
const MOST_SUBJECT_TOKENS = 60;

/** The line in which a call names its file, else the first line of its command. */
function subjectOf({ source, act, lines }: LogBlock, path: string | undefined): SourceLine | undefined {
  if (source !== "call") return undefined;
  const command = act?.kind === "run" ? lines[0] : undefined;
  const subject = path === undefined ? command : lines.find(({ text }) => text.endsWith(path));
  return subject === undefined || subject.tokens > MOST_SUBJECT_TOKENS ? undefined : subject;
}

/** Counts the tokens of a block's heading: the first one of a section is longer, as it names the subject. */
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
