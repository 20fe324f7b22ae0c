import { LINE_END } from "../../condense/ledger/cut-lines.ts";
import { type Candidate, packLines } from "../../condense/ledger/pack-lines.ts";
import { cutBefore } from "../../text/clip-cut.ts";
import { identifierValues } from "../../text/identifiers.ts";
import { keyOf } from "../../text/line-key.ts";
import { countTextTokens } from "../../tokens/o200k/count-text-tokens.ts";
import { fitToBudget } from "../../truncate/clip/clip-fit.ts";
import { type ContextItem, itemText } from "./context-item.ts";
import { type Rendering, xmlText } from "./context-syntax.ts";

/** Less than this says nothing. */
const LEAST_TOKENS = 32;
const MAX_TRIES = 6;

const NOTHING_SEEN: ReadonlySet<string> = new Set();

interface QuotableText {
  readonly candidates: readonly Candidate[];
  readonly weights: ReadonlyMap<string, number>;
}

const quotable = new WeakMap<ContextItem, QuotableText>();

/** A shorter text for one that has no room, made by someone who can write: undefined leaves it to the lines that tell most. */
export type Shorten = (text: string, budgetTokens: number) => string | undefined;

interface Room extends Rendering {
  readonly budgetTokens: number;
  readonly shorten?: Shorten | undefined;
}

/**
 * The item with a shorter text that fits, where someone has one; else with the lines of its text that tell most, in no more than the budget, saying how many tokens it leaves out; where
 * there is no room for a line, with the words it begins with. Undefined where there is no room for words that say something.
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
  // With the largest number that it can say: the true one takes no more.
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

/** Packs again with as much less as the item came out too large; the empty text where not a line fits. */
function packText(item: ContextItem, { budgetTokens, sizeOf }: TextRoom): string {
  const { candidates, weights } = quotableText(item);
  let room = budgetTokens - sizeOf("");
  for (let tries = 0; tries < MAX_TRIES && room > 0; tries++) {
    const options = { budgetTokens: room, weights, seen: NOTHING_SEEN, headingTokens: () => 0 };
    const chosen = packLines(candidates, options);
    const text = candidates.flatMap((each) => (chosen.has(each) ? [each.line.text] : [])).join("\n");
    const tokens = sizeOf(text);
    if (chosen.size === 0 || tokens <= budgetTokens) return text;
    // Lines that were counted one by one do not quite add up, and counters differ.
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
  const known = quotable.get(item);
  if (known !== undefined) return known;
  const candidates = quotableLines(item.text);
  const weights = new Map<string, number>();
  for (const { identifiers } of candidates) for (const identifier of identifiers) weights.set(identifier, 1);
  const text = { candidates, weights };
  quotable.set(item, text);
  return text;
}

/** A longer line is quoted by pieces. */
const MAX_CHARACTERS = 400;

// In units of one identifier: what a text begins with says what it is about, and what it ends with is its latest.
const FIRST_LINE_WORTH = 2;
const ANY_LINE_WORTH = 0.05;
const LAST_LINE_WORTH = 0.2;

/** The lines of a text, each once, with what they are worth when not all of them can be shown, and about what they cost. */
function quotableLines(text: string): readonly Candidate[] {
  const lines = new Map<string, string>();
  for (const line of text.split(LINE_END)) {
    for (const piece of pieces(line.trimEnd())) {
      const key = keyOf(piece);
      // Of lines that say the same, the last one.
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

/** Cut between words; a run that is longer than a piece and has no place to cut it is data, and is not quoted. */
function* pieces(line: string): Generator<string> {
  for (let start = 0; start < line.length; ) {
    const isRest = line.length - start <= MAX_CHARACTERS;
    const end = isRest ? line.length : wordBreakBefore(line, start + MAX_CHARACTERS, start);
    if (end > start) yield start === 0 ? line.slice(0, end).trimEnd() : line.slice(start, end).trim();
    start = end > start ? end : wordBreakAfter(line, start + MAX_CHARACTERS);
  }
}

const BLANK = /\s/;
/** Scripts that put no blanks between words, and their punctuation. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u3000-\u303f\uff00-\uffef]/u;

/** The nearest place between words at or before `index`, and after `start`; `start` where there is none. */
function wordBreakBefore(text: string, index: number, start: number): number {
  for (let cut = index; cut > start; cut--) if (isWordBreak(text, cut)) return cut;
  return start;
}

/** The nearest place between words after `index`; the end of the text where there is none. */
function wordBreakAfter(text: string, index: number): number {
  for (let cut = index + 1; cut < text.length; cut++) if (isWordBreak(text, cut)) return cut;
  return text.length;
}

// A path or a name is one word: only blanks end it.
function isWordBreak(text: string, index: number): boolean {
  if (index >= text.length) return true;
  const before = text.charAt(index - 1);
  const after = text.charAt(index);
  if (BLANK.test(before) || BLANK.test(after)) return true;
  return (UNSPACED.test(before) || UNSPACED.test(after)) && cutBefore(text, index) === index;
}
