import { cutBefore } from "../text/clip-cut.ts";
import type { TextSpan } from "./standing-part.ts";

/** The points of a list that a request is about: all, or those that it names by their labels. */
export type PointReference = { readonly type: "all" } | { readonly type: "labels"; readonly labels: readonly string[] };

const POINT_NOUN = "(?:option|point|item|issue|finding|suggestion|problem|question|step|nit|recommendation|fix)";
const ORDINAL = "(?:first|second|third|fourth|fifth|last|next|other|remaining)";
const SOME_OR_ALL = new RegExp(
  [
    "\\b(?:both|everything|the (?:rest|others|former|latter)|them all|beides?|beiden|alles)\\b",
    "\\b(?:all|each|any|none|most|some|one) of (?:them|these|those|the|your)\\b",
    "\\b(?:all|alle)(?=[ ]*(?:$|[.,;!]|\\d{1,2}\\b|(?:but|except)\\b))",
    `\\b(?:all|these|those|the|your|each|every)(?: \\p{L}+)? ${POINT_NOUN}s\\b`,
    `\\b(?:the|your) ${ORDINAL}(?: (?:ones?|two|three|four|few|${POINT_NOUN}s?)\\b|(?=[ ]*(?:$|[.,;!])))`,
    // From one label to another.
    "(?<![\\p{L}\\p{N}.])(?:\\d{1,2} ?[-–] ?\\d{1,2}|[A-Z] ?[-–] ?[A-Z]|(?:\\d{1,2}|[A-Z]) (?:to|through|bis) (?:\\d{1,2}|[A-Z]))(?![\\p{L}\\p{N}])",
  ].join("|"),
  "iu",
);
/** A label: a letter or a number by itself. Excludes `a` as an article, and `C++`, `e.g.` and `2.5`. */
const LABEL =
  /(?<![\p{L}\p{N}'’._/-])(?:a(?! (?!(?:and|or|too|und|oder)\b)\p{L})|[b-h]|\d{1,2})(?![\p{L}\p{N}'’_+/%-]|#|\.[\p{L}\p{N}])/giu;

/** The points of a list that a short request speaks of; undefined where it speaks of none. */
export function referredPoints(said: string): PointReference | undefined {
  if (SOME_OR_ALL.test(said)) return { type: "all" };
  const labels = [...said.matchAll(LABEL)].map(([label]) => label.toUpperCase());
  return labels.length === 0 ? undefined : { type: "labels", labels };
}

/** A point of a list, and its span. */
interface Point extends TextSpan {
  /** Undefined for a bullet. */
  readonly label: string | undefined;
}

/** A line that begins a point, or ends the points before it. */
interface Opening {
  readonly start: number;
  readonly isPoint: boolean;
  readonly label: string | undefined;
  /** A line ends the points before it that are as deep as it is, or deeper. */
  readonly depth: number;
}

const HEADING_DEPTH = -10;
const BOLD_DEPTH = -1;
const HEADING = /^(#{1,6}) /;
const LABELLED = new RegExp(
  `^([ \\t]*)(#{1,6} )?(?:[-*•] )?(\\*\\*)?(?:${POINT_NOUN} )?[#(]?(\\d{1,2}|[A-H])(?:\\*\\*)?(?:[.):](?=[\\s*])| [–—-] )`,
  "i",
);
const TABLE_ROW = /^\|[ ]*(?:\*\*)?#?(\d{1,2}|[A-H])[.:)]?(?:\*\*)?[ ]*\|/i;
const BULLET = /^([ \t]*)[-*•][ \t]+\S/;
const FENCE = /^[ \t]*(?:```|~~~)/;
const LEAST_POINTS = 2;

/** The spans of the points that a request is about, in order; the longest are cut so that all have no more than `maxCharacters`. */
export function pointSpans(text: string, reference: PointReference, maxCharacters: number): readonly TextSpan[] {
  const points = pointsIn(text);
  const labelled = points.filter(({ label }) => label !== undefined);
  const listed = labelled.length >= LEAST_POINTS ? labelled : points;
  if (listed.length < LEAST_POINTS) return [];
  const meant = listed.filter(
    ({ label }) => reference.type === "all" || (label !== undefined && reference.labels.includes(label)),
  );
  return cutToFit(text, outermost(meant), maxCharacters);
}

function pointsIn(text: string): readonly Point[] {
  const points: Point[] = [];
  /** The openings that follow, the nearest last, without those behind a line of less depth. */
  const following: Opening[] = [];
  for (const opening of openingsIn(text).toReversed()) {
    const { start, label, depth, isPoint } = opening;
    while ((following.at(-1)?.depth ?? depth) > depth) following.pop();
    const next = following.at(-1);
    following.push(opening);
    if (!isPoint) continue;
    const limit = next?.start ?? text.length;
    // Other text may follow the last point of a list; a point with a heading reaches to the next heading.
    const isLast = next?.isPoint !== true && depth >= BOLD_DEPTH;
    const said = text.slice(start, limit);
    const length = isLast ? lastPointLength(said) : said.length;
    points.push({ label, start, end: start + said.slice(0, length).trimEnd().length });
  }
  return points.toReversed();
}

/** A point that no other follows ends with its paragraph; indented lines still belong to it. */
function lastPointLength(text: string): number {
  const gap = /\n[ \t]*\n(?=[^\s])/.exec(text);
  return gap === null ? text.length : gap.index;
}

function openingsIn(text: string): readonly Opening[] {
  const openings: Opening[] = [];
  let isCode = false;
  for (const { 0: line, index: start } of text.matchAll(/[^\n]+/g)) {
    if (FENCE.test(line)) isCode = !isCode;
    const opening = isCode ? undefined : openingOf(line);
    if (opening !== undefined) openings.push({ ...opening, start });
  }
  return openings;
}

function openingOf(line: string): Omit<Opening, "start"> | undefined {
  const [, indent = "", heading, bold, label] = LABELLED.exec(line) ?? [];
  if (label !== undefined) {
    const depth = heading === undefined ? (bold === undefined ? indent.length : BOLD_DEPTH) : headingDepth(heading);
    return { isPoint: true, label: label.toUpperCase(), depth };
  }
  const row = TABLE_ROW.exec(line)?.[1];
  if (row !== undefined) return { isPoint: true, label: row.toUpperCase(), depth: 0 };
  const title = HEADING.exec(line)?.[0];
  if (title !== undefined) return { isPoint: false, label: undefined, depth: headingDepth(title) };
  const bullet = BULLET.exec(line)?.[1];
  return bullet === undefined ? undefined : { isPoint: true, label: undefined, depth: bullet.length };
}

function headingDepth(heading: string): number {
  return HEADING_DEPTH + heading.trim().length;
}

/** The points without those inside another one. */
function outermost(points: readonly Point[]): readonly Point[] {
  const kept: Point[] = [];
  for (const point of points) if (point.start >= (kept.at(-1)?.end ?? 0)) kept.push(point);
  return kept;
}

function cutToFit(text: string, points: readonly Point[], maxCharacters: number): readonly TextSpan[] {
  const longest = longestThatFits(points, maxCharacters);
  return points.flatMap(({ start, end }) => {
    if (end - start <= longest) return [{ start, end }];
    const cut = text.slice(start, cutBefore(text, start + longest));
    // Not inside a word, where there are words.
    const head = /^[\s\S]*(?=\s)/.exec(cut)?.[0].trimEnd() ?? "";
    const length = head === "" ? cut.length : head.length;
    return length === 0 ? [] : [{ start, end: start + length }];
  });
}

/** The length to which longer points are cut so that all fit: the room that short points do not need goes to longer ones. */
function longestThatFits(points: readonly Point[], maxCharacters: number): number {
  let left = maxCharacters;
  const lengths = points.map(({ start, end }) => end - start).toSorted((one, other) => one - other);
  for (const [index, length] of lengths.entries()) {
    const share = Math.floor(left / (lengths.length - index));
    if (length > share) return share;
    left -= length;
  }
  return maxCharacters;
}
