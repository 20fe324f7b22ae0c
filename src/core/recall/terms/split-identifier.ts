import { FILE_EXTENSIONS } from "../../text/identifier-words.ts";
import { DIGIT, LOWER, UPPER } from "./character-table.ts";
import type { TermCursor, TermRole, TermSink } from "./scan-terms.ts";
import { stemEnd } from "./stem.ts";

/** An identifier in lower case, the class of each of its units before, and the sink for its terms. */
export interface IdentifierRun {
  readonly units: Uint16Array;
  readonly kinds: Uint8Array;
  readonly cursor: TermCursor;
  length: number;
  sink: TermSink;
}

/** Joiners from the outside in: of the folders of a path, the names in a dotted name, the words of a name. */
const JOINERS_BY_LEVEL = /* @__PURE__ */ ["/", ".", "_-"].map((joiners) =>
  Array.from(joiners, (joiner) => joiner.charCodeAt(0)),
);
const DOTTED = 1;

const MIN_CODE_DIGITS = 3;
/** A name of this length whose humps are shorter than this is a key or encoded data, and has no words. */
const MIN_ENCODED_UNITS = 24;
const MIN_MEAN_HUMP_UNITS = 3;

/**
 * Emits the whole identifier, every name inside it and their words, each once: `src/userStore.test.ts` gives itself,
 * `src`, `userstore.test.ts`, `userstore.test`, `userstore`, `user`, `store` and `test`, the words stemmed.
 */
export function splitIdentifier(run: IdentifierRun): void {
  visit(run, 0, run.length, 0);
}

function visit(run: IdentifierRun, start: number, end: number, level: number): void {
  const joiners = JOINERS_BY_LEVEL[level];
  if (joiners === undefined) {
    visitHumps(run, start, end);
    return;
  }
  const nameEnd = level === DOTTED ? endWithoutExtension(run.units, start, end) : end;
  if (nameEnd < end) give(run, start, end, "identifier");
  let pieceStart = start;
  for (let at = start; at < nameEnd; at++) {
    if (!joiners.includes(run.units[at] ?? 0)) continue;
    if (pieceStart === start) give(run, start, nameEnd, "identifier");
    if (at > pieceStart) visit(run, pieceStart, at, level + 1);
    pieceStart = at + 1;
  }
  if (nameEnd > pieceStart) visit(run, pieceStart, nameEnd, level + 1);
}

function visitHumps(run: IdentifierRun, start: number, end: number): void {
  const { kinds } = run;
  const humps = countHumps(kinds, start, end);
  const isEncoded = end - start >= MIN_ENCODED_UNITS && end - start < humps * MIN_MEAN_HUMP_UNITS;
  if (humps === 1 || isEncoded) {
    giveWord(run, start, end);
    return;
  }
  give(run, start, end, "identifier");
  let humpStart = start;
  for (let at = start + 1; at <= end; at++) {
    if (at < end && !startsHump(kinds, at, end)) continue;
    giveWord(run, humpStart, at);
    humpStart = at;
  }
}

function giveWord(run: IdentifierRun, start: number, end: number): void {
  const isWhole = start === 0 && end === run.length;
  const digits = codeDigits(run.kinds, start, end);
  give(run, start, isWhole ? end : stemEnd(run.units, start, end), isWhole ? "identifier" : "part");
  // `TS2345` is also looked for by its number.
  if (digits > start) give(run, digits, end, "part");
}

function give({ kinds, cursor, sink }: IdentifierRun, start: number, end: number, role: TermRole): void {
  if (end - start < 2 && kinds[start] !== DIGIT) return;
  cursor.start = start;
  cursor.end = end;
  cursor.role = role;
  sink(cursor);
}

const DOT = ".".charCodeAt(0);
const MAX_EXTENSION_UNITS = 7;
/** Extensions as numbers, to look one up without making a string. */
const EXTENSION_KEYS = /* @__PURE__ */ new Set(
  [...FILE_EXTENSIONS].map((extension) => Array.from(extension, (letter) => letter.charCodeAt(0)).reduce(extendKey, 0)),
);

function extendKey(key: number, unit: number): number {
  return key * 128 + unit;
}

/** Where a name that ends in a known file extension ends without it; a dot in front makes no extension. */
function endWithoutExtension(units: Uint16Array, start: number, end: number): number {
  const least = Math.max(start + 1, end - 1 - MAX_EXTENSION_UNITS);
  for (let dot = end - 2; dot >= least; dot--) {
    if (units[dot] !== DOT) continue;
    let key = 0;
    for (let at = dot + 1; at < end; at++) key = extendKey(key, units[at] ?? 0);
    return EXTENSION_KEYS.has(key) ? dot : end;
  }
  return end;
}

function countHumps(kinds: Uint8Array, start: number, end: number): number {
  let humps = 1;
  for (let at = start + 1; at < end; at++) if (startsHump(kinds, at, end)) humps++;
  return humps;
}

/** `userName` at N, `HTTPServer` at S, but not `URLs` at L. */
function startsHump(kinds: Uint8Array, at: number, end: number): boolean {
  if (kinds[at] !== UPPER) return false;
  return kinds[at - 1] !== UPPER || (at + 2 < end && kinds[at + 1] === LOWER && kinds[at + 2] === LOWER);
}

/** Where the digits at the end of a code such as `TS2345` start; `start` for a number, and for too few. */
function codeDigits(kinds: Uint8Array, start: number, end: number): number {
  let digits = end;
  while (digits > start && kinds[digits - 1] === DIGIT) digits--;
  return end - digits >= MIN_CODE_DIGITS ? digits : start;
}
