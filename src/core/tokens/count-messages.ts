import { checkMessages, isChecked } from "../message/check-messages.ts";
import type { Block, CountTokens, Message } from "../message/message.ts";
import { checkedCounter } from "./checked-counter.ts";
import { countContentTokens } from "./count-content.ts";

/** By content, which a tagged copy shares with its message; a text has no identity, so there the message stands for it. */
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
  const counts = countsOf(counter);
  if (!isChecked(message)) checkMessages([message]);
  const key = typeof message.content === "string" ? message : message.content;
  const known = counts.get(key);
  if (known !== undefined) return known;
  const count = counter(message.content);
  counts.set(key, count);
  return count;
}

/** Tokens of one block by itself, counted once per counter and block. */
export function countBlockTokens(block: Block, countTokens: CountTokens): number {
  const counter = checkedCounter(countTokens);
  const counts = countsOf(counter);
  const known = counts.get(block);
  if (known !== undefined) return known;
  const count = counter([block]);
  counts.set(block, count);
  return count;
}

/**
 * The sum of {@link countMessageTokens} over `messages`.
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
  return messages.reduce((sum, message) => sum + countMessageTokens(message, countTokens), 0);
}

function countsOf(countTokens: CountTokens): WeakMap<object, number> {
  const known = countsByCounter.get(countTokens);
  if (known !== undefined) return known;
  const counts = new WeakMap<object, number>();
  countsByCounter.set(countTokens, counts);
  return counts;
}
