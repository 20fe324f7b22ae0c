import { LINE_END } from "../../condense/ledger/cut-lines.ts";
import { type Candidate, createPacker } from "../../condense/ledger/pack-lines.ts";
import { cutBefore } from "../../text/clip-cut.ts";
import { identifierValues } from "../../text/identifiers.ts";
import { keyOf } from "../../text/line-key.ts";
import { countTextTokens } from "../../tokens/o200k/count-text-tokens.ts";
import { fitToBudget } from "../../truncate/clip/clip-fit.ts";
import { type ContextItem, itemText } from "./context-item.ts";
import { type Rendering, xmlText } from "./context-syntax.ts";

/** A smaller budget has no room for a useful text. */
const LEAST_TOKENS = 32;
const MAX_TRIES = 6;

const NOTHING_SEEN: ReadonlySet<string> = new Set();

interface QuotableText {
  readonly candidates: readonly Candidate[];
  readonly weights: ReadonlyMap<string, number>;
}

const quotableTexts = new WeakMap<ContextItem, QuotableText>();

/** Returns a shorter text that fits the budget, such as a model's summary; with undefined, the most informative lines are quoted. */
export type Shorten = (text: string, budgetTokens: number) => string | undefined;

interface Room extends Rendering {
  readonly budgetTokens: number;
  readonly shorten?: Shorten | undefined;
}

/**
 * Shortens an item to fit the budget, and notes how many tokens are left out. Its text is the one of `shorten` if that fits; else its most
 * informative lines; else, without room for a line, its first words. Undefined where there is no room for a useful text.
 */
export function condenseItem(item: ContextItem, room: Room): ContextItem | undefined {
  const { budgetTokens, countTokens, syntax } = room;
  if (budgetTokens < LEAST_TOKENS) return undefined;
  const wholeTokens = Math.ceil(countTokens(item.text));
  const shownAs = (text: string, leftOutTokens: number): ContextItem => ({
    ...item,
    attributes: { ...item.attributes, "left-out-tokens": leftOutTokens },
    text,
  });
  // With the largest number of left-out tokens: the real one takes no more.
  const sizeOf = (text: string) => countTokens(itemText(shownAs(text, wholeTokens), syntax));
  if (sizeOf("") > budgetTokens) return undefined;
  const written = room.shorten?.(item.text, budgetTokens - sizeOf(""))?.trim() ?? "";
  const text =
    (sizeOf(written) <= budgetTokens ? written : "") ||
    packText(item, { budgetTokens, sizeOf }) ||
    headWords(item.text, { budgetTokens, sizeOf, wholeTokens });
  return text === "" ? undefined : shownAs(text, Math.max(1, Math.ceil(wholeTokens - countTokens(text))));
}

interface TextRoom {
  readonly budgetTokens: number;
  /** Tokens of the item with so much of its text. */
  readonly sizeOf: (text: string) => number;
}

/** The most informative lines that fit. Packs again with a smaller budget while the item is too large; the empty text where no line fits. */
function packText(item: ContextItem, { budgetTokens, sizeOf }: TextRoom): string {
  const { candidates, weights } = quotableText(item);
  const pack = createPacker(candidates, { weights, seen: NOTHING_SEEN, headingTokens: () => 0 });
  let room = budgetTokens - sizeOf("");
  for (let tries = 0; tries < MAX_TRIES && room > 0; tries++) {
    const { chosen } = pack(room);
    const text = candidates.flatMap((each) => (chosen.has(each) ? [each.line.text] : [])).join("\n");
    const tokens = sizeOf(text);
    if (chosen.size === 0 || tokens <= budgetTokens) return text;
    // The counts of single lines do not exactly add up, and counters differ.
    room = Math.min(room - (tokens - budgetTokens), Math.floor((room * budgetTokens) / tokens));
  }
  return "";
}

function headWords(text: string, room: TextRoom & { readonly wholeTokens: number }): string {
  const trimmed = text.trim();
  return fitToBudget({
    render: (characters) => trimmed.slice(0, wordBreakBefore(trimmed, characters, 0)).trimEnd(),
    countTokens: room.sizeOf,
    budgetTokens: room.budgetTokens,
    totalTokens: Math.max(1, room.wholeTokens),
    totalCharacters: trimmed.length,
  });
}

function quotableText(item: ContextItem): QuotableText {
  const cached = quotableTexts.get(item);
  if (cached !== undefined) return cached;
  const candidates = quotableLines(item.text);
  const weights = new Map<string, number>();
  for (const { identifiers } of candidates) for (const identifier of identifiers) weights.set(identifier, 1);
  const text = { candidates, weights };
  quotableTexts.set(item, text);
  return text;
}

/** A longer line is split into pieces, which are quoted one by one. */
const MAX_CHARACTERS = 400;

// In units of one identifier: the first line tells the subject of a text, and the last lines are the most recent.
const FIRST_LINE_WORTH = 2;
const ANY_LINE_WORTH = 0.05;
const LAST_LINE_WORTH = 0.2;

/** The lines of a text, each once, with their values and approximate costs for packing. */
function quotableLines(text: string): readonly Candidate[] {
  const lines = new Map<string, string>();
  for (const line of text.split(LINE_END)) {
    for (const piece of pieces(line.trimEnd())) {
      const key = keyOf(piece);
      // Of equal lines, the last one counts.
      lines.delete(key);
      if (key !== "") lines.set(key, piece);
    }
  }
  return Array.from(lines, ([key, line], index): Candidate => {
    const identifiers = identifierValues(line);
    const worth = ANY_LINE_WORTH + LAST_LINE_WORTH * (index / lines.size);
    return {
      line: { text: line, key, code: key, tokens: countTextTokens(`${xmlText(line)}\n`), identifiers, isBare: false },
      identifiers,
      value: index === 0 ? FIRST_LINE_WORTH : worth,
      group: 0,
      index: 0,
    };
  });
}

/** Splits a line between words. A run that is longer than a piece and cannot be split is data, and is left out. */
function* pieces(line: string): Generator<string> {
  for (let start = 0; start < line.length; ) {
    const isRest = line.length - start <= MAX_CHARACTERS;
    const end = isRest ? line.length : wordBreakBefore(line, start + MAX_CHARACTERS, start);
    if (end > start) yield start === 0 ? line.slice(0, end).trimEnd() : line.slice(start, end).trim();
    start = end > start ? end : wordBreakAfter(line, start + MAX_CHARACTERS);
  }
}

const BLANK = /\s/;
/** Characters of scripts without spaces between words, and their punctuation. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u3000-\u303f\uff00-\uffef]/u;

/** The nearest word boundary at or before `index`, and after `start`; `start` where there is none. */
function wordBreakBefore(text: string, index: number, start: number): number {
  for (let cut = index; cut > start; cut--) if (isWordBreak(text, cut)) return cut;
  return start;
}

/** The nearest word boundary after `index`; the end of the text where there is none. */
function wordBreakAfter(text: string, index: number): number {
  for (let cut = index + 1; cut < text.length; cut++) if (isWordBreak(text, cut)) return cut;
  return text.length;
}

// A path or a name is one word: only white space ends it.
function isWordBreak(text: string, index: number): boolean {
  if (index >= text.length) return true;
  const before = text.charAt(index - 1);
  const after = text.charAt(index);
  if (BLANK.test(before) || BLANK.test(after)) return true;
  return (UNSPACED.test(before) || UNSPACED.test(after)) && cutBefore(text, index) === index;
}
