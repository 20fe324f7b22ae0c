import { checkMessages } from "../message/check-messages.ts";
import type { CountTokens, Message } from "../message/message.ts";
import type { MessagesSize, RawSize } from "./calibration.ts";
import { countContentTokens } from "./count-content.ts";
import { countMessageTokens } from "./count-messages.ts";

/** The size of the messages since the anchor, or of all messages where there is none, by our own count. */
export interface MeasuredMessages {
  /** The reply to the anchored prompt. */
  readonly reply: RawSize;
  readonly rest: MessagesSize;
}

const NOTHING: RawSize = { tokens: 0, blocks: 0 };

/** Measures the messages since the anchor. @default countTokens countContentTokens */
export function measure(messages: readonly Message[], countTokens: CountTokens = countContentTokens): MeasuredMessages {
  checkMessages(messages);
  let reply = NOTHING;
  let input = NOTHING;
  let otherReplies = NOTHING;
  for (const [i, message] of messages.entries()) {
    const size = sizeOf(message, countTokens);
    if (message.role === "user") input = add(input, size);
    else if (i === 0) reply = size;
    else otherReplies = add(otherReplies, size);
  }
  return { reply, rest: { input, reply: otherReplies } };
}

/** The measure of two runs of messages, `next` right after `measured`. */
export function addMeasured(measured: MeasuredMessages, next: MeasuredMessages): MeasuredMessages {
  const { input, reply } = merge(next.reply, next.rest);
  const { rest } = measured;
  return { reply: measured.reply, rest: { input: add(rest.input, input), reply: add(rest.reply, reply) } };
}

function sizeOf(message: Message, countTokens: CountTokens): RawSize {
  const blocks = typeof message.content === "string" ? 1 : message.content.length;
  return { tokens: countMessageTokens(message, countTokens), blocks };
}

/** Adds the reply to the anchored prompt to the other replies. */
export function merge(reply: RawSize, rest: MessagesSize): MessagesSize {
  return { input: rest.input, reply: add(reply, rest.reply) };
}

function add(a: RawSize, b: RawSize): RawSize {
  return { tokens: a.tokens + b.tokens, blocks: a.blocks + b.blocks };
}
