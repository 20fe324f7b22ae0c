import type { LogCandidates } from "./find-candidates.ts";
import { headingOf, laterHeadingOf } from "./ledger-text.ts";
import type { LogBlock } from "./log-blocks.ts";
import type { Candidate } from "./pack-lines.ts";
import type { Section } from "./sections.ts";

export interface QuotedSections {
  readonly lines: readonly string[];
  /** Paths of the files that headings name. */
  readonly headed: ReadonlySet<string>;
}

/** The chosen lines below the headings of their sections, those that were written to last at the end; in a section, oldest first. */
export function quoteSections(found: LogCandidates, chosen: ReadonlySet<Candidate>): QuotedSections {
  const { candidates, sections } = found;
  const bySection = new Map<Section, Candidate[]>();
  for (const candidate of candidates) {
    const section = sections[candidate.group];
    if (section === undefined || !chosen.has(candidate)) continue;
    const list = bySection.get(section) ?? [];
    // Deleted first, so that the section whose newest line is newest comes last.
    bySection.delete(section);
    bySection.set(section, list);
    list.push(candidate);
  }
  const headed = new Set<string>();
  for (const section of bySection.keys()) for (const path of section.paths) headed.add(path);
  return { lines: [...bySection].flatMap(([section, list]) => quoteSection(found, section, list)), headed };
}

function quoteSection({ blocks }: LogCandidates, { subject }: Section, list: readonly Candidate[]): readonly string[] {
  const quoted = list.filter(({ line }) => line !== subject);
  const lines: string[] = [];
  let before: LogBlock | undefined;
  // Where nothing but the subject was chosen, the heading is all of it.
  for (const { line, group } of quoted.length === 0 ? list : quoted) {
    const block = blocks[group];
    if (block === undefined) continue;
    if (before === undefined) lines.push(headingOf(block, subject));
    else if (block !== before) lines.push(laterHeadingOf(block, before));
    before = block;
    if (line !== subject) lines.push(line.text);
  }
  return lines;
}
