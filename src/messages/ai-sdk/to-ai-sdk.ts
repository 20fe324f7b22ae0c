import { asText, fieldAt, isRecord } from "../../core/json/read-json.ts";
import {
  type Block,
  type ImageBlock,
  isKnownBlock,
  type KnownBlock,
  type Message,
  type TextBlock,
} from "../../core/message/message.ts";
import { isToolResult } from "../../core/message/tool-pairs.ts";
import { imageFromUrl } from "../../core/transcript/data-url.ts";
import { blockAsText } from "../shared/block-text.ts";
import { fitCallIds, fitToolName } from "../shared/call-ids.ts";
import { blocksOf, joinPairs } from "../shared/join-turns.ts";
import { type PromptOptions, systemOf } from "../shared/options.ts";
import { type BlockPlace, sendableMessages } from "../shared/sendable.ts";
import type { AiSdkPrompt } from "./ai-sdk-prompt.ts";
import { writeMessages } from "./write-message.ts";

/**
 * Messages as `generateText` and `streamText` of the AI SDK take them, versions 5, 6 and 7: `generateText({ model, ...prompt })`. Only role and content
 * are sent, and nothing that the SDK or the provider behind it refuses.
 *
 * `fromAiSdk` gives the same messages back, except for what the SDK cannot hold: ids, times and tags of messages; reasoning at the end of a
 * reply; blocks of other wires, and media that are neither image nor PDF, which become text; files that a tool returned, which follow as
 * the user's; ids and names of calls with characters that providers refuse, and arguments that are no object. Neighbours of one role that share
 * calls and results are one message, results come before what the user said, and calls that nobody answered have a result that says so.
 * @example
 * ```ts
 * import { toAiSdk } from "palimpsest/messages";
 * const prompt = toAiSdk([{ id: "m1", role: "user", content: "Why?" }], { system: "Be brief." });
 * console.log(prompt); // { system: 'Be brief.', messages: [ { role: 'user', content: 'Why?' } ] }
 * ```
 */
export function toAiSdk(messages: readonly Message[], options?: PromptOptions): AiSdkPrompt {
  const system = systemOf(options);
  return { ...(system !== undefined && { system }), messages: writeMessages(arrange(messages)) };
}

const MAX_ID_LENGTH = 64;
const EMPTY_REPLY = "[The reply was empty.]";
const MEDIA_BELOW = "[A file: it follows below.]";

/** The messages in an order and with blocks that the AI SDK and the providers behind it take, still in our model. */
function arrange(messages: readonly Message[]): readonly Message[] {
  const joined = joinPairs(sendableMessages(messages, showBlock), { repliesFrom: "start" });
  const arranged = joined.map((message) =>
    message.role === "assistant" ? withoutLastThoughts(message) : withFilesOutside(message),
  );
  return fitCallIds(arranged, { maxLength: MAX_ID_LENGTH });
}

/** A reply must not end with thoughts. Where there is nothing else, they are said. */
function withoutLastThoughts(message: Message): Message {
  const blocks = blocksOf(message);
  const end = blocks.findLastIndex(({ type }) => type !== "reasoning") + 1;
  if (end === blocks.length) return message;
  if (end > 0) return { ...message, content: blocks.slice(0, end) };
  const texts = blocks.flatMap((block) => (isKnownBlock(block) && block.type === "reasoning" ? [block.text] : []));
  return { ...message, content: texts.join("\n\n").trim() || EMPTY_REPLY };
}

/**
 * Files in results follow as the user's: versions 5 and 7 have no form for them in common, and for many providers the SDK would write them
 * into the result as text.
 */
function withFilesOutside(message: Message): Message {
  const { content } = message;
  if (typeof content === "string" || !content.some(hasFile)) return message;
  const results = content.filter(isToolResult);
  const files = results.flatMap((block) => contentOf(block).filter(isFile));
  return { ...message, content: [...content.map(withoutFiles), ...files] };
}

function withoutFiles(block: Block): Block {
  if (!isToolResult(block) || !hasFile(block)) return block;
  const items = contentOf(block).map((item): Block => (isFile(item) ? { type: "text", text: MEDIA_BELOW } : item));
  return { ...block, content: items };
}

function hasFile(block: Block): boolean {
  return isToolResult(block) && contentOf(block).some(isFile);
}

function contentOf(block: Block): readonly Block[] {
  return isToolResult(block) && Array.isArray(block.content) ? block.content : [];
}

function isFile({ type }: Block): boolean {
  return type === "image";
}

const MAX_NAME_LENGTH = 64;

/** Parts of replies that we only carry: what a provider's own tools did. */
const CARRIED_TYPES = /^(?:tool-call|tool-result|reasoning-file|custom)$/;
/** Decisions on calls that are made by now: the SDK itself sends most of them to nobody. */
const APPROVAL_TYPES = /^tool-approval-/;

/** What most providers take from a user: images and PDF. */
const MEDIA_TYPE = /^(?:image\/|application\/pdf$)/;

const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/** The SDK decodes what it is given, and throws at what cannot be decoded: padding may be left out, but not be wrong. */
function isBase64(data: string): boolean {
  return BASE64.test(data) && (data.length % 4 === 0 || (!data.endsWith("=") && data.length % 4 !== 1));
}

/** A block as the AI SDK can say it, whatever provider is behind it; undefined for what says nothing. */
function showBlock(block: Block, place: BlockPlace): Block | undefined {
  if (isKnownBlock(block)) return showKnown(block, place);
  const isReply = place.role === "assistant" && !place.isInResult;
  if (isReply && block.type === "redacted_thinking") return sealedReasoning(block);
  if (APPROVAL_TYPES.test(block.type)) return undefined;
  return isReply && CARRIED_TYPES.test(block.type) ? block : blockAsText(block);
}

function showKnown(block: KnownBlock, place: BlockPlace): Block | undefined {
  switch (block.type) {
    case "text":
    case "reasoning":
      return block;
    case "image":
      return place.role === "user" ? showMedia(block) : blockAsText(block);
    case "tool_use":
      return { ...block, name: fitToolName(block.name, { maxLength: MAX_NAME_LENGTH }), input: inputOf(block.input) };
    case "tool_result":
      return block;
  }
}

/** Providers take an object and nothing else. */
function inputOf(input: unknown): unknown {
  if (isRecord(input)) return input;
  return input === undefined || input === null ? {} : { input };
}

function sealedReasoning(block: Block): Block | undefined {
  const redactedData = asText(fieldAt(block, "data"));
  return redactedData === undefined ? undefined : { type: "reasoning", text: "", redactedData };
}

/** A log may hold media that are broken: those become words. */
function showMedia(block: ImageBlock): ImageBlock | TextBlock | undefined {
  const mediaType = asText(fieldAt(block, "source", "media_type")) ?? "";
  const data = asText(fieldAt(block, "source", "data")) ?? "";
  if (fieldAt(block, "source", "type") === "base64") {
    return MEDIA_TYPE.test(mediaType) && isBase64(data) ? block : blockAsText(block);
  }
  const url = asText(fieldAt(block, "source", "url")) ?? "";
  const { source } = imageFromUrl(url);
  if (source.type === "base64") return showMedia({ ...block, source });
  return /^https?:/i.test(url) && URL.canParse(url) ? block : blockAsText(block);
}
