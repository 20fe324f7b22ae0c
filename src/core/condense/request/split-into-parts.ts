import type { RequestItem } from "./request-items.ts";
import { shortenText } from "./shorten-text.ts";

/** An item with its size in a request. */
export interface SizedItem {
  readonly item: RequestItem;
  readonly tokens: number;
}

export interface SplitOptions {
  /** What one part may hold. */
  readonly budgetTokens: number;
  readonly countTokens: (text: string) => number;
  readonly maxParts: number;
}

/** Tokens that an item takes beyond its text: for its message's role and ends, and for joining it to its neighbour. */
export const TOKENS_PER_ITEM = 5;

/** Items are not shortened below this; some are left out instead. */
export const LEAST_ITEM_TOKENS = 64;

/**
 * Cuts a conversation into at most `maxParts` parts that fit their budget, in order. Where they would not fit, the longest
 * items are shortened in the middle; where that is not enough, items in the middle of the conversation are left out.
 */
export function splitIntoParts(
  sized: readonly SizedItem[],
  { budgetTokens, countTokens, maxParts }: SplitOptions,
): readonly (readonly RequestItem[])[] {
  for (let limit = budgetTokens; limit >= LEAST_ITEM_TOKENS; limit /= 2) {
    const estimate = sized.map((item) => (item.tokens <= limit ? item : { ...item, tokens: limit }));
    if (pack(estimate, budgetTokens).length > maxParts) continue;
    const shortened = sized.map((item) => shorten(item, limit, countTokens));
    const parts = pack(shortened, budgetTokens);
    // Fences are not shortened: where one is longer than the limit, items are left out below.
    if (parts.length <= maxParts && shortened.every(({ tokens }) => tokens <= budgetTokens)) return parts.map(itemsOf);
  }
  const shortest = sized.map((item) => shorten(item, LEAST_ITEM_TOKENS, countTokens));
  return pack(leaveOutMiddle(shortest, budgetTokens, maxParts), budgetTokens).map(itemsOf);
}

export function measureItem(item: RequestItem, countTokens: (text: string) => number): SizedItem {
  return { item, tokens: sizeWith(item, countTokens)(item.body) };
}

/** The size of an item with another text inside its fence. */
function sizeWith({ open, close }: RequestItem, countTokens: (text: string) => number): (body: string) => number {
  return (body) => countTokens(`${open}${body}${close}`) + TOKENS_PER_ITEM;
}

function itemsOf(part: readonly SizedItem[]): readonly RequestItem[] {
  return part.map(({ item }) => item);
}

/** Puts items into parts in order; an item that does not fit opens the next part. */
function pack(items: readonly SizedItem[], budgetTokens: number): readonly (readonly SizedItem[])[] {
  const parts: SizedItem[][] = [];
  let room = 0;
  for (const item of items) {
    if (parts.length === 0 || item.tokens > room) {
      parts.push([]);
      room = budgetTokens;
    }
    parts.at(-1)?.push(item);
    room -= item.tokens;
  }
  return parts;
}

/** Shortens the text of an item to the limit; its fence stays. */
function shorten({ item, tokens }: SizedItem, limit: number, countTokens: (text: string) => number): SizedItem {
  if (tokens <= limit) return { item, tokens };
  const body = shortenText(item.body, limit, sizeWith(item, countTokens));
  return measureItem({ ...item, body }, countTokens);
}

/** Stands where items are left out. No tokenizer counts more tokens for it. */
const GAP: SizedItem = {
  item: { role: "user", messageIndex: -1, open: "", body: "[… messages left out …]", close: "" },
  tokens: LEAST_ITEM_TOKENS / 2,
};

const NEWEST_SHARE = 0.75;

/** Keeps the oldest and the newest items that there is room for, with a note between them that some are missing. */
function leaveOutMiddle(items: readonly SizedItem[], budgetTokens: number, maxParts: number): readonly SizedItem[] {
  const fitting = items.filter(({ tokens }) => tokens <= budgetTokens);
  const largest = fitting.reduce((most, { tokens }) => Math.max(most, tokens), GAP.tokens);
  // Packing leaves less than the largest item's room unused in each part.
  const roomTokens = Math.max(budgetTokens, maxParts * (budgetTokens - largest));
  const newest = takeFirst(fitting.toReversed(), Math.max(roomTokens * NEWEST_SHARE, largest)).toReversed();
  const restTokens = roomTokens - sumOf(newest) - GAP.tokens;
  if (restTokens < 0) return newest;
  const oldest = takeFirst(fitting.slice(0, fitting.length - newest.length), restTokens);
  return oldest.length + newest.length === items.length ? items : [...oldest, GAP, ...newest];
}

/** As many of the first items as there is room for. */
function takeFirst(items: readonly SizedItem[], roomTokens: number): readonly SizedItem[] {
  let tokens = 0;
  const end = items.findIndex((each) => {
    tokens += each.tokens;
    return tokens > roomTokens;
  });
  return end < 0 ? items : items.slice(0, end);
}

function sumOf(items: readonly SizedItem[]): number {
  return items.reduce((sum, { tokens }) => sum + tokens, 0);
}
