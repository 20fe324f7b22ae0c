import { asText, fieldAt, isRecord } from "../../core/json/read-json.ts";
import {
  type Block,
  type ImageBlock,
  isKnownBlock,
  type KnownBlock,
  type TextBlock,
} from "../../core/message/message.ts";
import { imageFromUrl } from "../../core/transcript/data-url.ts";
import { blockAsText } from "../shared/block-text.ts";
import { fitToolName } from "../shared/call-ids.ts";
import type { BlockPlace } from "../shared/sendable.ts";

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
export function showBlock(block: Block, place: BlockPlace): Block | undefined {
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
