/** A run of characters that could be an identifier, without the punctuation around it. */
export interface Word {
  readonly value: string;
  /** Whether `()` follows it. */
  readonly isCalled: boolean;
  /** Whether a slash follows it, as in `src/core/`. */
  readonly isFolder: boolean;
}

/** Longer runs are encoded data or minified code, not names. */
const MAX_WORD_CHARACTERS = 256;
const MAX_URL_CHARACTERS = 2_048;

const SLASH = "/";

// Every repetition is of one character class, or bounded, so that matching is linear and needs no stack. Letters beyond
// ASCII are those of scripts that put spaces between words; letters of other scripts (Chinese, Thai) end an identifier.
const WORDS = new RegExp(
  [
    String.raw`([a-z][a-z0-9+]{1,14}:\/\/[\w\-.~:/?#[\]@!$&()*+,;=%]+)`,
    String.raw`(\b[A-Za-z]:[\\/][\w\-.@~$#\\/\u00c0-\u052f]+)`,
    // JSON inside texts: the letter of an escape is no part of the next word.
    String.raw`\\[nrt"]`,
    String.raw`[\w\-./@~$#\u00c0-\u052f]+(?:::[\w\-./@~$#\u00c0-\u052f]+){0,8}`,
  ].join("|"),
  "g",
);

/** All words of a text in order. Linear on any input. */
export function* wordsOf(text: string): Generator<Word> {
  for (const match of text.matchAll(WORDS)) {
    const word = readWord(match, text);
    if (word !== undefined) yield word;
  }
}

/** The words that may be identifiers: all but those of small letters alone, which are most words, and are skipped at little cost. */
export function distinctiveWordsOf(text: string): readonly Word[] {
  const words: Word[] = [];
  for (let start = nextDistinctive(text, 0); start < text.length; start = nextDistinctive(text, WORDS.lastIndex)) {
    WORDS.lastIndex = start;
    const match = WORDS.exec(text);
    if (match === null) break;
    const word = readWord(match, text);
    if (word !== undefined) words.push(word);
  }
  WORDS.lastIndex = 0;
  return words;
}

/** The index at which the next word may begin that has more than small letters. */
function nextDistinctive(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    const unit = text.charCodeAt(at);
    if (!isSmallLetter(unit)) {
      if (isWordUnit(unit)) return at;
      at++;
      continue;
    }
    const start = at;
    while (isSmallLetter(text.charCodeAt(at))) at++;
    const next = text.charCodeAt(at);
    if (isWordUnit(next) || next === PLUS || next === COLON || next === BRACKET) return start;
  }
  return at;
}

const PLUS = 0x2b;
const COLON = 0x3a;
const BRACKET = 0x28;

function isSmallLetter(unit: number): boolean {
  return unit >= 0x61 && unit <= 0x7a;
}

/** For each ASCII character, whether a match of WORDS may begin with it or continue with it. */
const WORD_UNITS: readonly boolean[] = /* @__PURE__ */ Array.from({ length: 128 }, (_, unit) =>
  /[\w\-./@~$#\\]/.test(String.fromCharCode(unit)),
);

function isWordUnit(unit: number): boolean {
  return unit < 128 ? WORD_UNITS[unit] === true : unit >= 0xc0 && unit <= 0x52f;
}

function readWord(match: RegExpExecArray, text: string): Word | undefined {
  const [run, url, drivePath] = match;
  if (url !== undefined) return run.length <= MAX_URL_CHARACTERS ? plainWord(trimUrl(run)) : undefined;
  if (run.length > MAX_WORD_CHARACTERS) return undefined;
  if (drivePath !== undefined) return plainWord(trimEnd(run.replaceAll("\\", SLASH)));
  if (run.startsWith("\\") || (run.startsWith(SLASH) && text[match.index - 1] === "<")) return undefined;
  const value = trimStart(trimEnd(run));
  if (value.length < 2) return undefined;
  const end = match.index + run.length;
  return { value, isCalled: text.startsWith("()", end), isFolder: run.endsWith(SLASH) };
}

function plainWord(value: string): Word {
  return { value, isCalled: false, isFolder: false };
}

function trimEnd(run: string): string {
  let end = run.length;
  while (end > 0 && "-./@~$#:".includes(run.charAt(end - 1))) end--;
  return run.slice(0, end);
}

/** Removes punctuation that is not part of a name: `./a.ts`, `@a.ts` and `a.ts` are the same; `--flag`, `/a` and `#12` stay. */
function trimStart(run: string): string {
  let start = 0;
  while (start < run.length && !canStartName(run, start)) {
    start++;
    // Two slashes start a comment, and after `./` the path goes on.
    if ("./".includes(run.charAt(start - 1))) while (run.charAt(start) === SLASH) start++;
  }
  return run.slice(start);
}

/** Whether a name may begin with the character at `start`. */
function canStartName(run: string, start: number): boolean {
  const next = run.charAt(start + 1);
  switch (run.charAt(start)) {
    case SLASH:
      return next !== SLASH;
    case "-":
      return next === "-" && /[A-Za-z]/.test(run.charAt(start + 2));
    case ".":
      return (next === "." && run.charAt(start + 2) === SLASH) || DOT_FILE.test(run.slice(start));
    case "@":
      return next === SLASH || SCOPED_PACKAGE.test(run.slice(start));
    case "~":
      return next === SLASH;
    case "#":
      return /\d/.test(next);
    case "$":
    case ":":
      return false;
    default:
      return true;
  }
}

const DOT_FILE =
  /^\.(?:env\b|git\b|github\/|[a-z]{1,30}(?:rc|ignore|keep|attributes|modules|config)$)|^\.[\w-]{1,60}\//;
const SCOPED_PACKAGE = /^@[\w-]{1,100}\/[\w-]{1,100}$/;

function trimUrl(run: string): string {
  // A bracket that was opened in the URL belongs to it.
  const outside = run.includes("(") ? ".,;:!?*]/" : ".,;:!?*)]/";
  let end = run.length;
  while (end > 0 && outside.includes(run.charAt(end - 1))) end--;
  return run.slice(0, end);
}
