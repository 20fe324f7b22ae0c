import type { KnowledgeEntry, Preference } from "../layered-state.ts";
import { readFrontMatter } from "./front-matter.ts";
import { baseName, type Heading, headingOf, type Line, type MemoryFile, textOfLines } from "./memory-file.ts";

/** The instructions in a file such as AGENTS.md or CLAUDE.md. */
export interface Instructions {
  /** How the user wants the work to be done: shown in every context. */
  readonly preferences: readonly Preference[];
  /** Knowledge of the project: shown where it is relevant to the goal. */
  readonly projectKnowledge: readonly KnowledgeEntry[];
}

interface Section {
  /** Its headings, from the outermost to its own. */
  readonly headings: readonly string[];
  readonly lines: Line[];
}

const BULLET = /^[-*+][ \t]/;
/** The headings of sections whose points are preferences. */
const PREFERENCE_HEADING = /\b(?:preferences?|styles?|conventions?|rules?|guidelines?)\b/i;
/** A point such as `Quotes: double` or `**Quotes:** double`; with more than 40 characters before the colon, it is a sentence. */
const KEYED = /^(?:\*\*([^*:]{1,40}):?\*\*:?|([\p{L}\p{N} _./-]{1,40}):)[ \t]+(\S.*)$/u;

/**
 * Reads a file of instructions. Points in sections about preferences, style, conventions, rules or guidelines become preferences; all other
 * content becomes knowledge, one entry for each heading.
 */
export function parseInstructions(file: MemoryFile): Instructions {
  const preferences: Preference[] = [];
  const projectKnowledge: KnowledgeEntry[] = [];
  for (const [index, { headings, lines }] of sectionsOf(file).entries()) {
    const topic = headings.join(" > ") || baseName(file.path);
    const isPreferred = PREFERENCE_HEADING.test(headings.at(-1) ?? "");
    const { points, rest } = isPreferred ? pointsOf(lines) : { points: [], rest: lines };
    preferences.push(...points.map((point, place) => preferenceOf(point, `${topic} ${place + 1} (${file.path})`)));
    const content = textOfLines(rest);
    if (content !== "") projectKnowledge.push({ id: `${file.path}#${index}`, topic, content });
  }
  return { preferences, projectKnowledge };
}

function preferenceOf(point: string, name: string): Preference {
  const [, bold, plain, value] = KEYED.exec(point) ?? [];
  const key = (bold ?? plain)?.trim();
  return key === undefined || value === undefined ? { key: name, value: point } : { key, value };
}

function sectionsOf(file: MemoryFile): readonly Section[] {
  let open: readonly Heading[] = [];
  let current: Section = { headings: [], lines: [] };
  const sections = [current];
  for (const line of readFrontMatter(file).body) {
    const heading = headingOf(line);
    if (heading === undefined) {
      current.lines.push(line);
      continue;
    }
    open = [...open.filter(({ depth }) => depth < heading.depth), heading];
    current = { headings: open.map(({ text }) => text), lines: [] };
    sections.push(current);
  }
  return sections;
}

/** The points of the lists, each as one line, and the other lines. */
function pointsOf(lines: readonly Line[]): { readonly points: readonly string[]; readonly rest: readonly Line[] } {
  const points: string[] = [];
  const rest: Line[] = [];
  let isInPoint = false;
  for (const line of lines) {
    const point = !line.isCode && BULLET.test(line.text) ? line.text.slice(1).trim() : undefined;
    const isContinued: boolean = isInPoint && /^[ \t]+\S/.test(line.text) && !line.isCode;
    if (point !== undefined) points.push(point);
    else if (isContinued) points[points.length - 1] = `${points.at(-1)} ${line.text.trim()}`;
    else rest.push(line);
    isInPoint = point !== undefined || isContinued;
  }
  return { points, rest };
}
