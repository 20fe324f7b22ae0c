import { checkMessages } from "../message/check-messages.ts";
import type { CountTokens, Message } from "../message/message.ts";
import type { MessagesSize, RawSize } from "./calibration.ts";
import { countContentTokens } from "./count-content.ts";
import { countMessageTokens } from "./count-messages.ts";

/** What came since the anchor, or all messages, as we count them. */
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

/** What was measured, and the messages right behind it. */
export function addMeasured(measured: MeasuredMessages, behind: MeasuredMessages): MeasuredMessages {
  const { input, reply } = merge(behind.reply, behind.rest);
  const { rest } = measured;
  return { reply: measured.reply, rest: { input: add(rest.input, input), reply: add(rest.reply, reply) } };
}

function sizeOf(message: Message, countTokens: CountTokens): RawSize {
  const blocks = typeof message.content === "string" ? 1 : message.content.length;
  return { tokens: countMessageTokens(message, countTokens), blocks };
}

/** All of it, apart by who wrote it. */
export function merge(reply: RawSize, rest: MessagesSize): MessagesSize {
  return { input: rest.input, reply: add(reply, rest.reply) };
}

function add(a: RawSize, b: RawSize): RawSize {
  return { tokens: a.tokens + b.tokens, blocks: a.blocks + b.blocks };
}
