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
const TOKENS_PER_ITEM = 5;

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
    const parts = pack(
      sized.map((each) => shorten(each, limit, countTokens)),
      budgetTokens,
    );
    // Shortened texts may come out a little larger than was asked for: then half as much is.
    if (parts.length <= maxParts) return parts.map(itemsOf);
  }
  const shortest = sized.map((each) => shorten(each, LEAST_ITEM_TOKENS, countTokens));
  return pack(leaveOutMiddle(shortest, budgetTokens * maxParts), budgetTokens)
    .slice(0, maxParts)
    .map(itemsOf);
}

export function measureItem(item: RequestItem, countTokens: (text: string) => number): SizedItem {
  return { item, tokens: countTokens(`${item.open}${item.body}${item.close}`) + TOKENS_PER_ITEM };
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
  const fenceTokens = countTokens(item.open) + countTokens(item.close);
  const body = shortenText(item.body, limit - TOKENS_PER_ITEM - fenceTokens, countTokens);
  return measureItem({ ...item, body }, countTokens);
}

const OLDEST_SHARE = 0.25;

/** Keeps the oldest and the newest of what there is room for, and says that something is missing between them. */
function leaveOutMiddle(items: readonly SizedItem[], roomTokens: number): readonly SizedItem[] {
  // Packing leaves up to one item's room unused in each part.
  const count = Math.floor(roomTokens / (2 * LEAST_ITEM_TOKENS));
  const [first] = items;
  if (items.length <= count || first === undefined) return items;
  const oldest = Math.floor(count * OLDEST_SHARE);
  const gap: RequestItem = { role: "user", messageIndex: -1, open: "", body: "[… messages left out …]", close: "" };
  return [
    ...items.slice(0, oldest),
    { item: gap, tokens: LEAST_ITEM_TOKENS },
    ...items.slice(items.length - (count - oldest)),
  ];
}
