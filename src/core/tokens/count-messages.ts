import { checkMessages, isChecked } from "../message/check-messages.ts";
import { logSegments, SEGMENT_MESSAGES } from "../message/log-segments.ts";
import type { Block, CountTokens, Message } from "../message/message.ts";
import { checkedCounter } from "./checked-counter.ts";
import { countContentTokens } from "./count-content.ts";

/** Keyed by the content array, which a tagged copy shares with its message; by the message where its content is a string. */
const countsByCounter = new WeakMap<CountTokens, WeakMap<object, number>>();

/**
 * Tokens of a message's content as it stands, counted once per counter and message, its tagged copies included.
 * @default countTokens countContentTokens
 * @example
 * ```ts
 * import { countMessageTokens } from "palimpsest/core";
 * console.log(countMessageTokens({ role: "user", content: "Why does it blink?" })); // 5
 * ```
 */
export function countMessageTokens(message: Message, countTokens: CountTokens = countContentTokens): number {
  const counter = checkedCounter(countTokens);
  if (!isChecked(message)) checkMessages([message]);
  return countOnce(message, { counter, counts: countsOf(counter) });
}

/** A counter, and what it has counted. */
interface Counting {
  readonly counter: CountTokens;
  readonly counts: WeakMap<object, number>;
}

function countOnce(message: Message, { counter, counts }: Counting): number {
  const key = typeof message.content === "string" ? message : message.content;
  const cached = counts.get(key);
  if (cached !== undefined) return cached;
  const count = counter(message.content);
  counts.set(key, count);
  return count;
}

/** Tokens of one block by itself, counted once per counter and block. */
export function countBlockTokens(block: Block, countTokens: CountTokens): number {
  const counter = checkedCounter(countTokens);
  const counts = countsOf(counter);
  const cached = counts.get(block);
  if (cached !== undefined) return cached;
  const count = counter([block]);
  counts.set(block, count);
  return count;
}

/**
 * Counts the tokens of messages: the sum of what {@link countMessageTokens} gives for each.
 * @default countTokens countContentTokens
 * @example
 * ```ts
 * import { countMessagesTokens } from "palimpsest";
 * const tokens = countMessagesTokens([{ role: "user", content: "Why does it blink?" }, { role: "assistant", content: "Twice is a tug." }]);
 * console.log(tokens); // 11
 * ```
 */
export function countMessagesTokens(
  messages: readonly Message[],
  countTokens: CountTokens = countContentTokens,
): number {
  checkMessages(messages);
  const counter = checkedCounter(countTokens);
  const counting = { counter, counts: countsOf(counter) };
  if (messages.length < SEGMENT_MESSAGES) return countAll(messages, counting);
  // A long conversation is counted again and again: of most segments, the sum is known.
  return logSegments(messages).reduce((sum, { messages: segment, isFrozen }) => {
    if (!isFrozen) return sum + countAll(segment, counting);
    const tokens = counting.counts.get(segment) ?? countAll(segment, counting);
    counting.counts.set(segment, tokens);
    return sum + tokens;
  }, 0);
}

function countAll(messages: readonly Message[], counting: Counting): number {
  return messages.reduce((sum, message) => sum + countOnce(message, counting), 0);
}

function countsOf(countTokens: CountTokens): WeakMap<object, number> {
  const cached = countsByCounter.get(countTokens);
  if (cached !== undefined) return cached;
  const counts = new WeakMap<object, number>();
  countsByCounter.set(countTokens, counts);
  return counts;
}
