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

/** What providers add to a message for its role and its ends, and joining it to its neighbour. */
export const TOKENS_PER_ITEM = 5;

/** Items are shortened no further than this: then rather some are left out. */
export const LEAST_ITEM_TOKENS = 64;

/**
 * Cuts a conversation into at most `maxParts` parts that fit their budget, in order. Only where they would not fit, long
 * items are shortened in the middle, the longest first; in the end items in the middle are left out. So the model reads what
 * it can take, however large the conversation is.
 */
export function splitIntoParts(
  sized: readonly SizedItem[],
  { budgetTokens, countTokens, maxParts }: SplitOptions,
): readonly (readonly RequestItem[])[] {
  for (let limit = budgetTokens; limit >= LEAST_ITEM_TOKENS; limit /= 2) {
    const estimate = sized.map((each) => (each.tokens <= limit ? each : { ...each, tokens: limit }));
    if (pack(estimate, budgetTokens).length > maxParts) continue;
    const shortened = sized.map((each) => shorten(each, limit, countTokens));
    const parts = pack(shortened, budgetTokens);
    // A fence that is longer than the limit stays: then items are left out below.
    if (parts.length <= maxParts && shortened.every(({ tokens }) => tokens <= budgetTokens)) return parts.map(itemsOf);
  }
  const shortest = sized.map((each) => shorten(each, LEAST_ITEM_TOKENS, countTokens));
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

/** Fills part after part, in order. */
function pack(items: readonly SizedItem[], budgetTokens: number): readonly (readonly SizedItem[])[] {
  const parts: SizedItem[][] = [];
  let room = 0;
  for (const each of items) {
    if (parts.length === 0 || each.tokens > room) {
      parts.push([]);
      room = budgetTokens;
    }
    parts.at(-1)?.push(each);
    room -= each.tokens;
  }
  return parts;
}

/** The fence stays: only what is inside becomes shorter. */
function shorten({ item, tokens }: SizedItem, limit: number, countTokens: (text: string) => number): SizedItem {
  if (tokens <= limit) return { item, tokens };
  const body = shortenText(item.body, limit, sizeWith(item, countTokens));
  return measureItem({ ...item, body }, countTokens);
}

/** What stands where items are missing; it has fewer tokens than this in every tokenizer. */
const GAP: SizedItem = {
  item: { role: "user", messageIndex: -1, open: "", body: "[… messages left out …]", close: "" },
  tokens: LEAST_ITEM_TOKENS / 2,
};

const NEWEST_SHARE = 0.75;

/** Keeps the oldest and the newest of what there is room for, and says that something is missing between them. */
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

/** As many items as there is room for, in order. */
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
