import { asText, fieldAt } from "../../core/json/read-json.ts";
import {
  type Block,
  type ImageBlock,
  isKnownBlock,
  type KnownBlock,
  type Message,
  type TextBlock,
} from "../../core/message/message.ts";
import { isToolResult } from "../../core/message/tool-pairs.ts";
import { imageFromUrl, isBase64 } from "../../core/transcript/data-url.ts";
import { blockAsText } from "../shared/block-text.ts";
import { fitCallIds, fitInput, fitToolName } from "../shared/call-ids.ts";
import { pdfOf, readDocument } from "../shared/documents.ts";
import { thoughtsAsReply } from "../shared/end-of-reply.ts";
import { blocksOf, joinPairs } from "../shared/join-turns.ts";
import { type PromptOptions, systemOf } from "../shared/options.ts";
import { type BlockPlace, sendableMessages } from "../shared/sendable.ts";
import type { AiSdkPrompt } from "./ai-sdk-prompt.ts";
import { writeMessages } from "./write-message.ts";

/**
 * Converts messages to what `generateText` and `streamText` of the AI SDK (versions 5, 6 and 7) take: `generateText({ model, ...prompt })`. Only
 * role and content are sent, and nothing that the SDK or the provider behind it refuses.
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
const MEDIA_BELOW = "[A file: it follows below.]";

/** The messages in an order and with blocks that the AI SDK and the providers behind it take, still in our model. */
function arrange(messages: readonly Message[]): readonly Message[] {
  const joined = joinPairs(sendableMessages(messages, showBlock), { repliesFrom: "start" });
  const arranged = joined.map((message) =>
    message.role === "assistant" ? withoutLastThoughts(message) : withFilesOutside(message),
  );
  return fitCallIds(arranged, { maxLength: MAX_ID_LENGTH });
}

/** A reply without the reasoning at its end, which providers refuse there. If nothing else is left, the reasoning becomes its text. */
function withoutLastThoughts(message: Message): Message {
  const blocks = blocksOf(message);
  const end = blocks.findLastIndex(({ type }) => type !== "reasoning") + 1;
  if (end === blocks.length) return message;
  return { ...message, content: end > 0 ? blocks.slice(0, end) : thoughtsAsReply(blocks) };
}

/**
 * Moves files out of results to the end of the message, as the user's: versions 5 and 7 share no form for files in results, and for many
 * providers the SDK would write them into the result as text.
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

/** Parts of replies that are sent unchanged: calls and results of the provider's own tools. */
const CARRIED_TYPES = /^(?:tool-call|tool-result|reasoning-file|custom)$/;
/** Requests for approval of calls, and the answers. They are settled by now, and the SDK does not send most of them to a provider either. */
const APPROVAL_TYPES = /^tool-approval-/;

/** The media that most providers take from a user: images and PDF. */
const MEDIA_TYPE = /^(?:image\/|application\/pdf$)/;

/** Whether the SDK can decode the text, which throws if not: padding may be left out, but must not be wrong. */
function isDecodable(data: string): boolean {
  // The SDK would decode base64url too, but hands it to providers as it is, and they refuse it.
  return isBase64(data) && (data.length % 4 === 0 || (!data.endsWith("=") && data.length % 4 !== 1));
}

/** The block in a form that the AI SDK takes for any provider, still in our model; undefined for blank blocks and settled approvals. */
function showBlock(block: Block, place: BlockPlace): Block | undefined {
  if (isKnownBlock(block)) return showKnown(block, place);
  const isReply = place.role === "assistant" && !place.isInResult;
  if (isReply && block.type === "redacted_thinking") return sealedReasoning(block);
  if (APPROVAL_TYPES.test(block.type)) return undefined;
  if (place.role === "user") return showDocument(block);
  return isReply && CARRIED_TYPES.test(block.type) ? block : blockAsText(block);
}

/** A PDF in the form of another wire as a file; any other block as text. */
function showDocument(block: Block): Block | undefined {
  const document = readDocument(block);
  const pdf = document && pdfOf(document);
  if (document?.type === "text") return { type: "text", text: document.text };
  if (pdf === undefined || !isDecodable(pdf.data)) return blockAsText(block);
  const { data, filename } = pdf;
  const source = { type: "base64", media_type: "application/pdf", data } as const;
  return { type: "image", source, ...(filename !== undefined && { filename }) };
}

function showKnown(block: KnownBlock, place: BlockPlace): Block | undefined {
  switch (block.type) {
    case "text":
    case "reasoning":
      return block;
    case "image":
      return place.role === "user" ? showMedia(block) : blockAsText(block);
    case "tool_use":
      return { ...block, name: fitToolName(block.name, { maxLength: MAX_NAME_LENGTH }), input: fitInput(block.input) };
    case "tool_result":
      return block;
  }
}

function sealedReasoning(block: Block): Block | undefined {
  const redactedData = asText(fieldAt(block, "data"));
  return redactedData === undefined ? undefined : { type: "reasoning", text: "", redactedData };
}

/** The media block if the SDK can read it, or else a line of text: a log may hold broken media. */
function showMedia(block: ImageBlock): ImageBlock | TextBlock | undefined {
  const mediaType = asText(fieldAt(block, "source", "media_type")) ?? "";
  const data = asText(fieldAt(block, "source", "data")) ?? "";
  if (fieldAt(block, "source", "type") === "base64") {
    return MEDIA_TYPE.test(mediaType) && isDecodable(data) ? block : blockAsText(block);
  }
  const url = asText(fieldAt(block, "source", "url")) ?? "";
  const { source } = imageFromUrl(url);
  if (source.type === "base64") return showMedia({ ...block, source });
  return /^https?:/i.test(url) && URL.canParse(url) ? block : blockAsText(block);
}
