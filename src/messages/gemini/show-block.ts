import { asText, fieldAt, isRecord, type JsonRecord } from "../../core/json/read-json.ts";
import { type Block, type ImageBlock, isKnownBlock, type KnownBlock } from "../../core/message/message.ts";
import { imageFromUrl } from "../../core/transcript/data-url.ts";
import { blockAsText, isBase64 } from "../shared/block-text.ts";
import type { BlockPlace } from "../shared/sendable.ts";

/** Parts of this API that we only carry: a block is named after the field that says what the part is. */
const OWN_TYPES: readonly string[] = ["fileData", "executableCode", "codeExecutionResult", "toolCall", "toolResponse"];

/** What else a part has, whatever it is. */
const PART_FIELDS: readonly string[] = ["thoughtSignature", "partMetadata", "videoMetadata", "mediaResolution"];

/** A block as this API can say it; undefined for reasoning that no Gemini thought, and for what says nothing. */
export function showBlock(block: Block, place: BlockPlace): Block | undefined {
  if (isKnownBlock(block)) return showKnown(block);
  // White space that the model said: no block of ours may be blank, and this API takes it back.
  if (block.type === "blank_text") return asText(fieldAt(block, "text")) === "" ? undefined : block;
  return isOwnBlock(block, place) ? block : blockAsText(block);
}

function isOwnBlock(block: Block, { isInResult }: BlockPlace): boolean {
  if (!Object.hasOwn(block, block.type)) return false;
  return isInResult ? block.type === "fileData" : OWN_TYPES.includes(block.type);
}

function showKnown(block: KnownBlock): Block | undefined {
  switch (block.type) {
    case "text":
      return { ...partFields(block), type: "text", text: block.text };
    case "reasoning":
      return isOwnThought(block) ? block : undefined;
    case "image":
      return showImage(block);
    case "tool_use": {
      const { id, name, input } = block;
      return { ...partFields(block), type: "tool_use", id, name: showName(name), input: showArguments(input) };
    }
    case "tool_result":
      return block;
  }
}

/** A thought of Gemini's says so, or is signed by it. */
function isOwnThought(block: Block): boolean {
  return fieldAt(block, "thought") === true || typeof fieldAt(block, "thoughtSignature") === "string";
}

/** The fields that a block has beside what it says and that go back with its part. */
export function partFields(block: Block): JsonRecord {
  const all: JsonRecord = { ...block };
  return Object.fromEntries(PART_FIELDS.filter((name) => all[name] !== undefined).map((name) => [name, all[name]]));
}

function showArguments(input: unknown): JsonRecord {
  if (isRecord(input)) return input;
  return input === undefined || input === null ? {} : { input };
}

/** Names of functions begin with a letter or `_`. */
function showName(name: string): string {
  const shown = name.replace(/[^a-zA-Z0-9_.:-]/g, "_").slice(0, 120);
  return /^[a-zA-Z_]/.test(shown) ? shown : `_${shown}`;
}

/** Images in a format that it cannot read; other media, such as sounds and documents, it takes in many. */
const OTHER_IMAGE = /^image\/(?!(?:png|jpeg|webp|heic|heif)$)/;

function showImage(block: ImageBlock): Block | undefined {
  const source: JsonRecord = block.source;
  const url = source.type === "url" ? asText(source.url) : undefined;
  const image = url === undefined ? block : imageFromUrl(url);
  if (image.source.type === "url")
    return /^[a-z]+:/i.test(image.source.url) ? shownImage(block, image) : blockAsText(block);
  const { media_type: mediaType, data }: JsonRecord = { ...image.source };
  const shownType = typeof mediaType === "string" ? mediaType.replace(/^image\/jpg$/, "image/jpeg") : "";
  if (!isBase64(data) || shownType === "" || OTHER_IMAGE.test(shownType)) {
    return blockAsText(block);
  }
  return shownImage(block, { type: "image", source: { type: "base64", media_type: shownType, data } });
}

function shownImage(block: Block, { source }: ImageBlock): Block {
  return { ...partFields(block), type: "image", source };
}
