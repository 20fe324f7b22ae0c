import { fieldAt } from "../../core/json/read-json.ts";
import { type Block, isKnownBlock, type Message } from "../../core/message/message.ts";
import { isToolUse } from "../../core/message/tool-pairs.ts";
import { fitCallIds } from "../shared/call-ids.ts";
import { blocksOf, joinPairs } from "../shared/join-turns.ts";
import { type PromptOptions, systemOf } from "../shared/options.ts";
import { sendableMessages } from "../shared/sendable.ts";
import type { LangChainMessage, LangChainPrompt } from "./langchain-prompt.ts";
import { showBlock } from "./show-block.ts";
import { writeMessage } from "./write-message.ts";

const MAX_ID_LENGTH = 64;
const EMPTY_REPLY = "[The reply was empty.]";

/**
 * What a chat model of LangChain's takes: `model.invoke(prompt.messages)`. Give it what `session.prepare()` returned, or any messages. Nothing
 * of LangChain is imported: its models make their messages of these objects.
 *
 * Left out: marks for a provider's cache, and reasoning that is not signed or sealed by Anthropic. What the system said among the messages is
 * the user's, as not every provider takes it there.
 * @example
 * ```ts
 * import { toLangChain } from "palimpsest/messages";
 * const prompt = toLangChain([{ role: "user", content: "Why?" }], { system: "Be brief." });
 * console.log(prompt.messages.map(({ role }) => role)); // [ 'system', 'user' ]
 * // await model.invoke(prompt.messages);
 * ```
 */
export function toLangChain(messages: readonly Message[], options?: PromptOptions): LangChainPrompt {
  const system = systemOf(options);
  const joined = joinPairs(sendableMessages(messages, showBlock), { repliesFrom: "first-call" });
  const last = joined.length - 1;
  const replies = joined.map((message, index) => withoutLastThoughts(message, index === last));
  const fitted = fitCallIds(replies, { maxLength: MAX_ID_LENGTH });
  const opening = openingOf(fitted);
  return {
    messages: [
      ...(system === undefined ? [] : [{ role: "system" as const, content: system }]),
      ...opening.flatMap(writeMessage).map(asSystem),
      ...fitted.slice(opening.length).flatMap(writeMessage),
    ],
  };
}

/** What the system said before anything else; a conversation whose next turn is the assistant's would begin with that. */
function openingOf(messages: readonly Message[]): readonly Message[] {
  const end = messages.findIndex((message) => !isSystem(message));
  return messages[end]?.role === "user" ? messages.slice(0, end) : [];
}

function isSystem(message: Message): boolean {
  const blocks = typeof message.content === "string" ? [] : message.content;
  return blocks.length > 0 && blocks.every((block) => fieldAt(block, "role") === "system");
}

function asSystem({ content }: LangChainMessage): LangChainMessage {
  const [first, ...others] = typeof content === "string" ? [] : content;
  const isText = others.length === 0 && typeof first?.text === "string" && first.type === "text";
  return { role: "system", content: isText ? String(first.text) : content };
}

/** A reply must not end with thoughts. Where there is nothing else, they are said. */
function withoutLastThoughts(message: Message, isLast: boolean): Message {
  const blocks = blocksOf(message);
  const end = blocks.findLastIndex((block) => block.type !== "reasoning") + 1;
  if (message.role === "user" || end === blocks.length || blocks.some(isToolUse)) return message;
  if (end === 0) return { ...message, content: saidThoughts(blocks) };
  return { ...message, content: blocks.slice(0, end).map((block) => (isLast ? trimmed(block) : block)) };
}

function saidThoughts(blocks: readonly Block[]): string {
  const texts = blocks.flatMap((block) => (isKnownBlock(block) && block.type === "reasoning" ? [block.text] : []));
  return texts.join("\n\n").trim() || EMPTY_REPLY;
}

/** The end of a prompt must not be white space. */
function trimmed(block: Block): Block {
  return isKnownBlock(block) && block.type === "text" ? { ...block, text: block.text.trimEnd() } : block;
}
