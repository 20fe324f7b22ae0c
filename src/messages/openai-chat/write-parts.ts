import { asName, asRecord, asText, fieldAt } from "../../core/json/read-json.ts";
import { type Block, isKnownBlock, type TextBlock } from "../../core/message/message.ts";
import { cacheBreakpointOf, imageDetailOf, imageUrlOf } from "../../core/transcript/openai-parts.ts";
import type { OpenAiChatAudioPart, OpenAiChatFilePart, OpenAiChatPart, OpenAiChatTextPart } from "./types.ts";

/** OpenAI refuses longer ids of calls, which other servers make. */
export const MAX_CALL_ID_LENGTH = 40;

export function writeText(block: TextBlock): OpenAiChatTextPart {
  return { type: "text", text: block.text, ...cacheBreakpointOf(block) };
}

/** A block as a part of a user's message; undefined if the API has no such part. */
export function writePart(block: Block): OpenAiChatPart | undefined {
  if (!isKnownBlock(block)) {
    if (block.type === "input_audio") return writeAudio(block);
    return block.type === "file" ? writeFile(block) : undefined;
  }
  if (block.type === "text") return writeText(block);
  const url = block.type === "image" ? imageUrlOf(block) : undefined;
  if (url === undefined) return undefined;
  const detail = imageDetailOf(block);
  return {
    type: "image_url",
    image_url: { url, ...(detail !== undefined && { detail }) },
    ...cacheBreakpointOf(block),
  };
}

function writeAudio(block: Block): OpenAiChatAudioPart | undefined {
  const data = asName(fieldAt(block, "input_audio", "data"));
  const format = fieldAt(block, "input_audio", "format");
  if (data === undefined || (format !== "wav" && format !== "mp3")) return undefined;
  return { type: "input_audio", input_audio: { data, format }, ...cacheBreakpointOf(block) };
}

function writeFile(block: Block): OpenAiChatFilePart | undefined {
  const file = asRecord(fieldAt(block, "file"));
  const file_data = asText(file?.file_data);
  const file_id = asText(file?.file_id);
  const filename = asText(file?.filename);
  if (file_data === undefined && file_id === undefined) return undefined;
  return {
    type: "file",
    file: {
      ...(file_data !== undefined && { file_data }),
      ...(file_id !== undefined && { file_id }),
      ...(filename !== undefined && { filename }),
    },
    ...cacheBreakpointOf(block),
  };
}
