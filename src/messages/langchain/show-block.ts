import { asText, fieldAt, type JsonRecord } from "../../core/json/read-json.ts";
import { type Block, type ImageBlock, isKnownBlock, type KnownBlock } from "../../core/message/message.ts";
import { writeAnthropicThinking } from "../../core/transcript/anthropic-messages.ts";
import { imageFromUrl, isBase64 } from "../../core/transcript/data-url.ts";
import { blockAsText, isEmptyResult, NO_OUTPUT } from "../shared/block-text.ts";
import { fitInput, fitToolName } from "../shared/call-ids.ts";
import type { BlockPlace } from "../shared/sendable.ts";

/** The types of blocks that our model does not know and that LangChain's packages pass on, by where their providers take them. */
const OWN_TYPES = {
  user: /^(?:file|audio|video|text-plain|input_audio|document|search_result|container_upload)$/,
  assistant: /^(?:server_tool_use|server_tool_call|server_tool_call_result|compaction|\w+_tool_result)$/,
  result: /^(?:file|document|search_result)$/,
} as const;

/** The shortest limit of the providers. */
const MAX_NAME_LENGTH = 64;

/** The block in a form that LangChain takes, still in our model; undefined for reasoning without a signature, and for blank blocks. */
export function showBlock(block: Block, place: BlockPlace): Block | undefined {
  if (isKnownBlock(block)) return showKnown(block, place);
  const { role, isInResult } = place;
  return OWN_TYPES[isInResult ? "result" : role].test(block.type) ? block : blockAsText(block);
}

function showKnown(block: KnownBlock, { role, isInResult }: BlockPlace): Block | undefined {
  switch (block.type) {
    case "text":
      return isInResult && !/\S/.test(block.text) ? undefined : showText(block.text, fieldAt(block, "role"));
    case "reasoning":
      return writeAnthropicThinking(block) === undefined ? undefined : block;
    case "image":
      return (role === "assistant" && !isInResult) || !isShownImage(block) ? blockAsText(block) : block;
    case "tool_use": {
      const { id, name, input } = block;
      return { type: "tool_use", id, name: fitToolName(name, { maxLength: MAX_NAME_LENGTH }), input: fitInput(input) };
    }
    case "tool_result": {
      const { tool_use_id, is_error } = block;
      // Anthropic refuses an error without a word.
      const content = is_error === true && isEmptyResult(block) ? NO_OUTPUT : (block.content ?? "");
      return { type: "tool_result", tool_use_id, content, ...(is_error === true && { is_error }) };
    }
  }
}

/** A text keeps the role of the system, by which `toLangChain` finds the system messages that open the conversation. */
function showText(text: string, role: unknown): Block {
  return { type: "text", text, ...(role === "system" && { role }) };
}

const IMAGE_TYPES = /^image\/(?:jpeg|jpg|png|gif|webp)$/;

/** Whether LangChain can read the image: it throws for an address that it cannot parse. */
function isShownImage({ source: { ...source } }: ImageBlock): boolean {
  const { type, media_type, data, url }: JsonRecord = source;
  if (type === "file") return true;
  if (type === "url") return isAddress(asText(url) ?? "");
  return IMAGE_TYPES.test(asText(media_type) ?? "") && isBase64(data);
}

function isAddress(url: string): boolean {
  const image = imageFromUrl(url);
  return image.source.type === "base64" ? isShownImage(image) : /^https?:/i.test(url) && URL.canParse(url);
}
