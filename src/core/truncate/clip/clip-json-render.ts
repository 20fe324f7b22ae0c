import { countOf } from "../stand-in.ts";
import { chooseEntries, type ShownEntries, type ShownEntry } from "./clip-json-entries.ts";
import { type JsonSource, skipSpace } from "./clip-json-scan.ts";
import { headAndTail, joinAround } from "./clip-plain.ts";

/** Deeper levels are hidden whole: each level shown means one more look at the text below it. */
const MAX_DEPTH = 16;
/** Room for a note of what is hidden. */
const NOTE_CHARACTERS = 40;
const MAX_NUMBER_CHARACTERS = 40;

export interface RenderJsonOptions {
  readonly characters: number;
  /** The full notice; `what` says what is hidden at its place. */
  readonly notice: (what: string) => string;
}

/** Valid JSON that shows about so many characters of the source. */
export function renderJson(source: JsonSource, { characters, notice }: RenderJsonOptions): string {
  const start = skipSpace(source.text, 0);
  const end = source.text.trimEnd().length;
  return renderValue({ source, notice, noticeGiven: false }, { start, end, characters, depth: 0 });
}

interface Rendering {
  readonly source: JsonSource;
  readonly notice: (what: string) => string;
  /** The first note in the text carries the full notice, later ones only say what they hide. */
  noticeGiven: boolean;
}

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
  // In the order of the text: the first note that is rendered is the one with the full notice.
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

function note(rendering: Rendering, what: string): string {
  const text = peekNote(rendering, what);
  rendering.noticeGiven = true;
  return text;
}

function peekNote({ notice, noticeGiven }: Rendering, what: string): string {
  return noticeGiven ? `[${what} hidden]` : notice(`${what} here`);
}
