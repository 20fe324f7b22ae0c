import { parseJson } from "../../json/parse-json.ts";
import { clipNotice, countOf } from "../stand-in.ts";
import { type Clip, fitToBudget } from "./clip-fit.ts";
import { chooseEntries, type ShownEntries, type ShownEntry } from "./clip-json-entries.ts";
import { type JsonSource, jsonSource, skipSpace } from "./clip-json-scan.ts";
import { headAndTail, joinAround } from "./clip-plain.ts";

/**
 * Clips an array or object as JSON: long strings to head and tail, long lists to their first and last entries, deep
 * levels to a note. What stays is copied from the source, so that numbers keep all their digits and the layout stays.
 *
 * Undefined when the text is no array or object in JSON, or cannot be brought within the budget in this way.
 */
export function clipJson(text: string, clip: Clip): string | undefined {
  if (clip.budgetTokens <= 0 || !isContainer(text)) return undefined;
  const source = jsonSource(text);
  const notice = (what: string) => clipNotice({ ...clip, what });
  const render = (characters: number) => renderJson(source, { characters, notice });
  const clipped = fitToBudget({ ...clip, render, totalCharacters: text.length });
  // Without a notice, only white space was left out; but whatever a fold leaves out must be told.
  const hasNotice = clipped.includes(clip.foldId);
  return hasNotice && clip.countTokens(clipped) <= clip.budgetTokens ? clipped : undefined;
}

function isContainer(text: string): boolean {
  const first = text[skipSpace(text, 0)];
  const last = text.trimEnd().at(-1);
  if (!((first === "{" && last === "}") || (first === "[" && last === "]"))) return false;
  try {
    parseJson(text);
    return true;
  } catch {
    return false;
  }
}

/** Deeper levels are hidden whole: each level that is shown needs another scan of the text below it. */
const MAX_DEPTH = 16;
/** Room for a note that says what is hidden. */
const NOTE_CHARACTERS = 40;
const MAX_NUMBER_CHARACTERS = 40;

interface RenderJsonOptions {
  readonly characters: number;
  /** The full notice; `what` says what is hidden where it stands. */
  readonly notice: (what: string) => string;
}

/** Valid JSON that shows about so many characters of the source. */
function renderJson(source: JsonSource, { characters, notice }: RenderJsonOptions): string {
  const start = skipSpace(source.text, 0);
  const end = source.text.trimEnd().length;
  return renderValue({ source, notice, noticeGiven: false }, { start, end, characters, depth: 0 });
}

/** The state of one rendering. */
interface Rendering {
  readonly source: JsonSource;
  readonly notice: (what: string) => string;
  /** The first note in the text carries the full notice, later ones only say what they hide. */
  noticeGiven: boolean;
}

/** A value of the source, from `start` to `end`, and the characters that may show it. */
interface Place {
  readonly start: number;
  readonly end: number;
  readonly characters: number;
  readonly depth: number;
}

function renderValue(rendering: Rendering, place: Place): string {
  const { text } = rendering.source;
  const { start, end, characters } = place;
  if (end - start <= characters) return text.slice(start, end);
  const first = text[start];
  if (first === '"') return renderString(rendering, place);
  if (first === "{" || first === "[") return renderContainer(rendering, place);
  if (end - start <= MAX_NUMBER_CHARACTERS) return text.slice(start, end);
  return JSON.stringify(note(rendering, countOf(end - start, "digit")));
}

function renderString(rendering: Rendering, { start, end, characters }: Place): string {
  const value = rendering.source.stringAt(start, end);
  const room = characters - NOTE_CHARACTERS;
  const parts = headAndTail(value, room < NOTE_CHARACTERS ? 0 : room);
  const what = countOf(value.length - parts.head.length - parts.tail.length, "character");
  const clipped = JSON.stringify(joinAround(parts, peekNote(rendering, what)));
  if (clipped.length >= end - start) return rendering.source.text.slice(start, end);
  rendering.noticeGiven = true;
  return clipped;
}

function renderContainer(rendering: Rendering, { start, end, characters, depth }: Place): string {
  const { source } = rendering;
  const isObject = source.text[start] === "{";
  const room = depth < MAX_DEPTH ? characters - NOTE_CHARACTERS : 0;
  const shown = chooseEntries(source, { start, end, characters: room });
  const render = (entry: ShownEntry) =>
    source.text.slice(entry.start, entry.valueStart) +
    renderValue(rendering, { ...entry, start: entry.valueStart, depth: depth + 1 });
  // Rendered in the order of the text: the first note that is rendered carries the full notice.
  const head = shown.head.map(render);
  const between = shown.hidden === 0 ? [] : [renderHidden(rendering, shown, isObject)];
  const tail = shown.tail.map(render);
  const { lead, gap, trail } = shown.layout;
  const body =
    head.length + tail.length === 0 ? between.join() : lead + [...head, ...between, ...tail].join(`,${gap}`) + trail;
  return isObject ? `{${body}}` : `[${body}]`;
}

function renderHidden(rendering: Rendering, { head, tail, hidden, layout }: ShownEntries, isObject: boolean): string {
  const value = JSON.stringify(note(rendering, countOf(hidden, isObject ? "key" : "item")));
  if (!isObject) return value;
  const { text } = rendering.source;
  let key = '"…"';
  const isTaken = () => [...head, ...tail].some((entry) => text.startsWith(key, entry.start));
  while (isTaken()) key = key.replace("…", "……");
  return `${key}:${layout.gap === "" ? "" : " "}${value}`;
}

/** The note for a place; the first one carries the full notice. */
function note(rendering: Rendering, what: string): string {
  const text = peekNote(rendering, what);
  rendering.noticeGiven = true;
  return text;
}

/** What `note` would return, without using up the full notice. */
function peekNote({ notice, noticeGiven }: Rendering, what: string): string {
  return noticeGiven ? `[${what} hidden]` : notice(`${what} here`);
}
