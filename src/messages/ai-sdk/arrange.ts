import { type Block, isKnownBlock, type Message } from "../../core/message/message.ts";
import { isToolResult } from "../../core/message/tool-pairs.ts";
import { fitCallIds } from "../shared/call-ids.ts";
import { blocksOf, joinPairs } from "../shared/join-turns.ts";
import { sendableMessages } from "../shared/sendable.ts";
import { showBlock } from "./show-block.ts";

const MAX_ID_LENGTH = 64;
const EMPTY_REPLY = "[The reply was empty.]";
const MEDIA_BELOW = "[A file: it follows below.]";

/** The messages in an order and with blocks that the AI SDK and the providers behind it take, still in our model. */
export function arrange(messages: readonly Message[]): readonly Message[] {
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
