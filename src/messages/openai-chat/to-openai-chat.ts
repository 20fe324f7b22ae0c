import { assert } from "../../core/assert.ts";
import { asArray, fieldAt } from "../../core/json/read-json.ts";
import { type Block, isKnownBlock, type Message } from "../../core/message/message.ts";
import { cacheBreakpointOf } from "../../core/transcript/openai-parts.ts";
import { blockAsText } from "../shared/block-text.ts";
import { type Document, openAiFile, pdfOf, readDocument } from "../shared/documents.ts";
import { blocksOf, joinPairs } from "../shared/join-turns.ts";
import { type PromptOptions, systemOf } from "../shared/options.ts";
import { type BlockPlace, sendableMessages } from "../shared/sendable.ts";
import { writeLegacyReply, writeLegacyResult } from "./legacy-calls.ts";
import type {
  OpenAiChatMessage,
  OpenAiChatPart,
  OpenAiChatPrompt,
  OpenAiChatReasoning,
  OpenAiChatRefusalPart,
  OpenAiChatTextPart,
} from "./types.ts";
import { audioIdOf, writeAssistant } from "./write-assistant.ts";
import { writePart } from "./write-parts.ts";
import { writeUser } from "./write-user.ts";

export interface OpenAiChatOptions extends PromptOptions {
  /**
   * The field in which the server takes reasoning: `reasoning_content` for DeepSeek and servers like it, `reasoning_details` for OpenRouter.
   * OpenAI's own API takes none.
   * @default none: reasoning is left out
   */
  readonly reasoning?: OpenAiChatReasoning | undefined;
}

/**
 * Converts messages to what `client.chat.completions.create` takes: spread the result into the call. Give it what `session.prepare()` returned, or
 * any messages.
 *
 * `fromOpenAiChat` gives the same messages back, except for what this API cannot hold: ids, times and tags of messages; whether a result was an
 * error; reasoning, unless the server wants it; blocks of other providers, which become text; images and files in results, which become a user
 * message behind them; ids of calls beyond 40 characters, and names of tools with characters that it refuses. Text comes before calls, and results
 * that are spread over messages are one. Arguments stay as the model wrote them, also where they are no JSON.
 * @example
 * ```ts
 * import { toOpenAiChat } from "palimpsest/messages";
 * const prompt = toOpenAiChat([{ role: "user", content: "Why?" }], { system: "Be brief." });
 * console.log(prompt.messages.map(({ role }) => role)); // [ 'system', 'user' ]
 * // await client.chat.completions.create({ model: "gpt-5.4", ...prompt });
 * ```
 */
export function toOpenAiChat(messages: readonly Message[], options?: OpenAiChatOptions): OpenAiChatPrompt {
  const system = systemOf(options);
  const reasoning = options?.reasoning;
  assert(
    reasoning === undefined || reasoning === "reasoning_content" || reasoning === "reasoning_details",
    "options.reasoning",
    reasoning,
    '"reasoning_content" or "reasoning_details"',
  );
  const sendable = sendableMessages(messages, (block, place) => showBlock(block, place, reasoning));
  const written = joinPairs(sendable, { repliesFrom: "first-call" }).flatMap(
    (message): readonly OpenAiChatMessage[] => {
      if (message.role === "user") return writeUser(message.content);
      if (typeof message.content === "string") return [{ role: "assistant", content: message.content }];
      return writeAssistant(blocksOf(message), reasoning);
    },
  );
  const conversation = reasoning === "reasoning_content" ? written.map(plainMessage) : written;
  return {
    messages: [...(system === undefined ? [] : [{ role: "system" as const, content: system }]), ...conversation],
  };
}

/** The block in a form that the API takes, still in our model; undefined for reasoning that it does not take, and for blank blocks. */
function showBlock(
  block: Block,
  { role, isInResult }: BlockPlace,
  reasoning: OpenAiChatReasoning | undefined,
): Block | undefined {
  const document = role === "user" ? readDocument(block) : undefined;
  if (document !== undefined) return showDocument(block, document);
  if (!isKnownBlock(block)) return isOwn(block, { role, isInResult }) ? block : blockAsText(block);
  switch (block.type) {
    case "text":
    case "tool_use":
    case "tool_result":
      return block;
    case "image":
      return role === "user" && writePart(block) !== undefined ? block : blockAsText(block);
    case "reasoning":
      return isTakenBack(block, reasoning) ? block : undefined;
  }
}

/** A document as text, as the bytes of a PDF, or else as a line about it: the API takes no addresses. */
function showDocument(block: Block, document: Document): Block | undefined {
  if (document.type === "text") return { type: "text", text: document.text };
  const pdf = pdfOf(document);
  if (pdf === undefined) return blockAsText(block);
  return { ...(block.type === "file" ? block : cacheBreakpointOf(block)), type: "file", file: openAiFile(pdf) };
}

function isOwn(block: Block, { role, isInResult }: BlockPlace): boolean {
  if (role === "assistant") return audioIdOf(block) !== undefined || writeLegacyReply(block) !== undefined;
  return writePart(block) !== undefined || (!isInResult && writeLegacyResult(block) !== undefined);
}

function isTakenBack(block: Block, reasoning: OpenAiChatReasoning | undefined): boolean {
  if (reasoning === undefined) return false;
  if (reasoning === "reasoning_details") return asArray(fieldAt(block, "reasoning_details")).length > 0;
  return "text" in block && block.text !== "";
}

/** A message for servers with `reasoning_content`: they know `system` but not `developer`, and many take lists only for media. */
function plainMessage(message: OpenAiChatMessage): OpenAiChatMessage {
  switch (message.role) {
    case "developer":
      return { ...message, role: "system", content: plainContent(message.content) };
    case "system":
    case "tool":
      return { ...message, content: plainContent(message.content) };
    case "user":
      return { ...message, content: isTextList(message.content) ? plainContent(message.content) : message.content };
    case "assistant":
      return { ...message, content: message.content === null ? null : plainContent(message.content) };
    case "function":
      return message;
  }
}

function isTextList(content: string | readonly OpenAiChatPart[]): content is readonly OpenAiChatTextPart[] {
  return typeof content !== "string" && content.every(({ type }) => type === "text");
}

function plainContent(content: string | readonly (OpenAiChatTextPart | OpenAiChatRefusalPart)[]): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : part.refusal)).join("\n\n");
}
