import { checkMessages } from "../message/check-messages.ts";
import type { CountTokens, Message } from "../message/message.ts";
import { checkedCounter } from "./checked-counter.ts";
import { countContentTokens } from "./count-content.ts";

const countsByCounter = new WeakMap<CountTokens, WeakMap<Message, number>>();

/**
 * Tokens of a message's content as it stands, counted once per message object and counter.
 * @default countTokens countContentTokens
 */
export function countMessageTokens(message: Message, countTokens: CountTokens = countContentTokens): number {
  const counter = checkedCounter(countTokens);
  const counts = countsOf(counter);
  const known = counts.get(message);
  if (known !== undefined) return known;
  checkMessages([message]);
  const count = counter(message.content);
  counts.set(message, count);
  return count;
}

/**
 * The sum of {@link countMessageTokens} over `messages`.
 * @default countTokens countContentTokens
 */
export function countMessagesTokens(
  messages: readonly Message[],
  countTokens: CountTokens = countContentTokens,
): number {
  checkMessages(messages);
  return messages.reduce((sum, message) => sum + countMessageTokens(message, countTokens), 0);
}

function countsOf(countTokens: CountTokens): WeakMap<Message, number> {
  const known = countsByCounter.get(countTokens);
  if (known !== undefined) return known;
  const counts = new WeakMap<Message, number>();
  countsByCounter.set(countTokens, counts);
  return counts;
}
