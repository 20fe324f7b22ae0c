import { assert } from "../../core/assert.ts";
import { asName, fieldAt } from "../../core/json/read-json.ts";
import { type Block, isKnownBlock, type Message } from "../../core/message/message.ts";
import { contentBlocks, isToolResult, isToolUse } from "../../core/message/tool-pairs.ts";
import { cacheBreakpointOf } from "../../core/transcript/openai-parts.ts";
import { blockAsText } from "../shared/block-text.ts";
import { type Document, openAiFile, pdfOf, readDocument } from "../shared/documents.ts";
import { blocksOf } from "../shared/join-turns.ts";
import { type PromptOptions, systemOf } from "../shared/options.ts";
import { type BlockPlace, sendableMessages } from "../shared/sendable.ts";
import { writeCarried } from "./carried-items.ts";
import { itemIdOf } from "./item-ids.ts";
import { findNativePairs } from "./native-calls.ts";
import type { OpenAiInputMessage, OpenAiResponsesItem, OpenAiResponsesPrompt } from "./types.ts";
import { isCustom, writeOutput } from "./write-call.ts";
import { writePart } from "./write-parts.ts";
import { type ReplyContext, writeReply } from "./write-reply.ts";

export interface OpenAiResponsesOptions extends PromptOptions {
  /**
   * Whether the API stored its replies, as it does unless `store` is false: then it takes reasoning back by its id alone. Otherwise it takes only
   * reasoning with `encrypted_content` (`include: ["reasoning.encrypted_content"]`).
   * @default false
   */
  readonly stored?: boolean | undefined;
}

/**
 * Converts messages to what `client.responses.create` takes: spread the result into the call. Give it what `session.prepare()` returned, or any
 * messages.
 *
 * `fromOpenAiResponses` gives the same messages back, except for what this API cannot hold: ids, times and tags of messages; whether a result was
 * an error; reasoning that it could not take back; blocks of other providers, which become text; ids of calls beyond 64 characters, and names of
 * tools with characters that it refuses. A reply of one text is a string, and neighbouring replies are one message. An item keeps its id only
 * if it comes right behind the item that it followed; a call of a built-in tool that was folded, or whose output was, becomes a function's.
 * @example
 * ```ts
 * import { toOpenAiResponses } from "palimpsest/messages";
 * const prompt = toOpenAiResponses([{ role: "user", content: "Why?" }], { system: "Be brief." });
 * console.log(prompt); // { instructions: 'Be brief.', input: [ { role: 'user', content: 'Why?' } ] }
 * // await client.responses.create({ model: "gpt-5.4", store: false, ...prompt });
 * ```
 */
export function toOpenAiResponses(
  messages: readonly Message[],
  options?: OpenAiResponsesOptions,
): OpenAiResponsesPrompt {
  const instructions = systemOf(options);
  const isStored = options?.stored ?? false;
  assert(typeof isStored === "boolean", "options.stored", isStored, "true or false");
  const sendable = sendableMessages(messages, (block, place) => showBlock(block, place, isStored));
  const calls = sendable.flatMap(({ content }) => contentBlocks(content).filter(isToolUse));
  const customIds = new Set(calls.filter(isCustom).map(({ id }) => id));
  const context: PromptContext = {
    isStored,
    customIds,
    usedIds: new Set(),
    nativePairs: findNativePairs(sendable),
    nativeIds: new Set(),
  };
  const input = sendable.flatMap((message): readonly OpenAiResponsesItem[] => {
    if (message.role === "assistant") return writeReply(blocksOf(message), context);
    if (typeof message.content === "string") return [{ role: "user", content: message.content }];
    return writeUser(message.content, context);
  });
  return { ...(instructions !== undefined && { instructions }), input };
}

/** The block in a form that the API takes, still in our model; undefined for reasoning that it cannot take back, and for blank blocks. */
function showBlock(block: Block, { role, isInResult }: BlockPlace, isStored: boolean): Block | undefined {
  const isInput = role === "user";
  const document = isInput ? readDocument(block) : undefined;
  if (document !== undefined) return showDocument(block, document);
  if (!isKnownBlock(block)) {
    const isOwn =
      (isInput && writePart(block) !== undefined) || (!isInResult && writeCarried(block, isStored) !== undefined);
    return isOwn ? block : blockAsText(block);
  }
  switch (block.type) {
    case "text":
    case "tool_use":
    case "tool_result":
      return block;
    case "image":
      return isInput && writePart(block) !== undefined ? block : blockAsText(block);
    case "reasoning":
      return isTakenBack(block, isStored) ? block : undefined;
  }
}

/** A document as text, by its address, as the bytes of a PDF, or else as a line about it; a file of this API in another format as it came. */
function showDocument(block: Block, document: Document): Block | undefined {
  if (document.type === "text") return { type: "text", text: document.text };
  if (document.type === "link") return block.type === "input_file" ? block : linkedFile(block, document.url);
  const pdf = pdfOf(document);
  if (pdf === undefined)
    return block.type === "input_file" && document.filename !== undefined ? block : blockAsText(block);
  return {
    ...(block.type === "input_file" ? block : cacheBreakpointOf(block)),
    type: "input_file",
    ...openAiFile(pdf),
  };
}

function linkedFile(block: Block, file_url: string): Block {
  return { type: "input_file", file_url, ...cacheBreakpointOf(block) };
}

/** Whether the API takes reasoning back: it must have its id, and be in the API's store or encrypted in the item. */
function isTakenBack(block: Block, isStored: boolean): boolean {
  const isKnown = itemIdOf(block) !== undefined && Array.isArray(fieldAt(block, "summary"));
  return isKnown && (isStored || asName(fieldAt(block, "encrypted_content")) !== undefined);
}

interface PromptContext extends ReplyContext {
  /** Ids of the calls of custom tools. */
  readonly customIds: ReadonlySet<string>;
}

function writeUser(blocks: readonly Block[], context: PromptContext): readonly OpenAiResponsesItem[] {
  const items: OpenAiResponsesItem[] = [];
  let speech: Block[] = [];
  const endSpeech = () => {
    if (speech.length > 0) items.push(writeSpeech(speech));
    speech = [];
  };
  for (const block of blocks) {
    const [first] = speech;
    const written = writeWhole(block, context);
    if (written !== undefined || (first !== undefined && roleOf(first) !== roleOf(block))) endSpeech();
    if (written === undefined) speech.push(block);
    else items.push(...written);
  }
  endSpeech();
  return items;
}

/** A block as an item of its own; an empty list if that item was written already, undefined if the block is part of a message. */
function writeWhole(
  block: Block,
  { isStored, customIds, usedIds, nativePairs, nativeIds }: PromptContext,
): readonly OpenAiResponsesItem[] | undefined {
  const native =
    isToolResult(block) && nativeIds.has(block.tool_use_id) ? nativePairs.get(block.tool_use_id) : undefined;
  if (native !== undefined) return [native.output];
  if (isToolResult(block)) return [writeOutput(block, isCustom(block) || customIds.has(block.tool_use_id))];
  const carried = writeCarried(block, isStored);
  const id = carried === undefined ? undefined : asName(fieldAt(carried, "id"));
  if (carried === undefined || id === undefined) return carried === undefined ? undefined : [carried];
  if (usedIds.has(id)) return [];
  usedIds.add(id);
  return [carried];
}

/** Writes neighbouring blocks of one speaker as a message: blocks of the system may stand in a user's message. */
function writeSpeech(blocks: readonly Block[]): OpenAiInputMessage {
  const [first] = blocks;
  const role = first === undefined ? "user" : roleOf(first);
  const parts = blocks.flatMap((block) => writePart(block) ?? []);
  const [part] = parts;
  const isPlain = parts.length === 1 && part?.type === "input_text" && part.prompt_cache_breakpoint === undefined;
  // A single text as a string, as most clients send it. Our content is a list here only because the role is a field of the blocks.
  return { role, content: role !== "user" && isPlain ? part.text : parts };
}

function roleOf(block: Block): OpenAiInputMessage["role"] {
  const role = isKnownBlock(block) && block.type === "text" ? fieldAt(block, "role") : undefined;
  return role === "system" || role === "developer" ? role : "user";
}
