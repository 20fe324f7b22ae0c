import { writesFile } from "./code-lines.ts";
import { failedCalls } from "./failed-calls.ts";
import type { LogCandidates } from "./find-candidates.ts";
import { headingOf, laterHeadingOf } from "./ledger-text.ts";
import type { LogBlock } from "./log-blocks.ts";
import type { Runs } from "./runs.ts";
import type { Section } from "./sections.ts";
import type { SourceLine } from "./source-lines.ts";

export interface QuotedSections {
  readonly lines: readonly string[];
  /** Paths of the files that headings name. */
  readonly headed: ReadonlySet<string>;
}

/** Marks where lines of a block are left out. */
const MARK = "…";

/** Writes the shown lines below the headings of their sections. Sections are ordered by their newest block, the newest last; blocks in a section by age, the oldest first. */
export function quoteSections({ blocks, sections, repeated }: LogCandidates, runs: Runs): QuotedSections {
  const bySection = new Map<Section, number[]>();
  for (const group of blocks.keys()) {
    const section = sections[group];
    if (section === undefined || runs.shownIn(group).length === 0) continue;
    const list = bySection.get(section) ?? [];
    // Deleted first, so that the section with the newest line comes last.
    bySection.delete(section);
    bySection.set(section, list);
    list.push(group);
  }
  const headed = new Set<string>();
  for (const section of bySection.keys()) for (const path of section.paths) headed.add(path);
  const failed = failedCalls(blocks);
  const quote = ([section, groups]: [Section, readonly number[]]) =>
    quoteSection(section, { groups, blocks, repeated, runs, failed });
  return { lines: [...bySection].flatMap(quote), headed };
}

interface QuotedBlocks {
  readonly groups: readonly number[];
  readonly blocks: readonly LogBlock[];
  readonly repeated: ReadonlySet<SourceLine>;
  readonly runs: Runs;
  /** The ids of calls that failed. */
  readonly failed: ReadonlySet<string>;
}

function quoteSection(
  { subject }: Section,
  { groups, blocks, repeated, runs, failed }: QuotedBlocks,
): readonly string[] {
  const texts: string[] = [];
  let before: LogBlock | undefined;
  const quotedBlocks = groups.flatMap((group) => {
    const block = blocks[group];
    return block === undefined ? [] : { block, quoted: quoteBlock(block, runs.shownIn(group), { subject, repeated }) };
  });
  const withLines = quotedBlocks.filter(({ quoted }) => quoted.length > 0);
  // Where only the subject was chosen, the section is its heading alone.
  for (const { block, quoted } of withLines.length > 0 ? withLines : quotedBlocks.slice(0, 1)) {
    const hasFailed = writesFile(block) && failed.has(block.call?.id ?? "");
    const heading =
      before === undefined ? headingOf(block, subject, hasFailed) : laterHeadingOf(block, before, hasFailed);
    texts.push(heading, ...quoted);
    before = block;
  }
  return texts;
}

interface QuoteOptions {
  readonly subject: SourceLine | undefined;
  readonly repeated: ReadonlySet<SourceLine>;
}

/**
 * The shown lines of a block. A gap between them has a mark, or the line after it has its number in the file; lines that only repeat the shape of
 * the line above are replaced by their count.
 */
function quoteBlock(
  { lines }: LogBlock,
  places: readonly number[],
  { subject, repeated }: QuoteOptions,
): readonly string[] {
  const quoted = places.filter((place) => lines[place]?.key !== subject?.key);
  return quoted.flatMap((place, at): readonly string[] => {
    const line = lines[place];
    if (line === undefined) return [];
    const before = quoted[at - 1];
    const isGap = before !== undefined && place > before + 1;
    const isMarked = isGap && line.number === undefined && !repeated.has(lines[before + 1] ?? line);
    const isNumbered = line.number !== undefined && (before === undefined || isGap);
    const alike = repeatsAfter(lines, place, repeated);
    return [
      ...(isMarked ? [MARK] : []),
      isNumbered ? `${line.number}:${line.text}` : (line.quoted ?? line.text),
      ...(alike === 0 ? [] : [`${MARK} ${alike} more like this`]),
    ];
  });
}

/** How many lines after this one only repeat its shape. */
function repeatsAfter(lines: readonly SourceLine[], place: number, repeated: ReadonlySet<SourceLine>): number {
  let after = place + 1;
  for (let line = lines[after]; line !== undefined && repeated.has(line); line = lines[after]) after += 1;
  return after - place - 1;
}
