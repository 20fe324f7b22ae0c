import { asText, fieldAt, type JsonRecord } from "../../core/json/read-json.ts";
import { type Block, type ImageBlock, isKnownBlock, type KnownBlock } from "../../core/message/message.ts";
import { imageFromUrl, isBase64 } from "../../core/transcript/data-url.ts";
import { blockAsText } from "../shared/block-text.ts";
import { fitInput } from "../shared/call-ids.ts";
import { type Document, pdfOf, readDocument } from "../shared/documents.ts";
import type { BlockPlace } from "../shared/sendable.ts";

/** Gemini's parts that our model does not know and that are sent unchanged. The type of such a block is the name of the part's main field. */
const OWN_TYPES: readonly string[] = ["fileData", "executableCode", "codeExecutionResult", "toolCall", "toolResponse"];

/** The fields that a part of any kind may have. */
const PART_FIELDS: readonly string[] = ["thoughtSignature", "partMetadata", "videoMetadata", "mediaResolution"];

/** The block in a form that the API takes, still in our model; undefined for reasoning that is not Gemini's, and for blank blocks. */
export function showBlock(block: Block, place: BlockPlace): Block | undefined {
  if (isKnownBlock(block)) return showKnown(block);
  // White space that the model sent. Our text blocks may not be blank, so it has a type of its own; the API takes it back.
  if (block.type === "blank_text") return asText(fieldAt(block, "text")) === "" ? undefined : block;
  if (isOwnBlock(block, place)) return block;
  const document = place.role === "user" ? readDocument(block) : undefined;
  return document === undefined ? blockAsText(block) : showDocument(block, document);
}

/** A document in the form of another wire: as text, by its address, the bytes of a PDF, or else a line of text about it. */
function showDocument(block: Block, document: Document): Block | undefined {
  if (document.type === "text") return { type: "text", text: document.text };
  if (document.type === "link") {
    return { type: "fileData", fileData: { mimeType: "application/pdf", fileUri: document.url } };
  }
  const pdf = pdfOf(document);
  if (pdf === undefined || !isBase64(pdf.data)) return blockAsText(block);
  return { type: "image", source: { type: "base64", media_type: "application/pdf", data: pdf.data } };
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
      return { ...partFields(block), type: "tool_use", id, name: showName(name), input: fitInput(input) };
    }
    case "tool_result":
      return block;
  }
}

/** Whether reasoning is Gemini's: it is marked as a thought, or signed. */
function isOwnThought(block: Block): boolean {
  return fieldAt(block, "thought") === true || typeof fieldAt(block, "thoughtSignature") === "string";
}

/** The block's fields that belong to its part and are sent back with it, such as a signature. */
export function partFields(block: Block): JsonRecord {
  const all: JsonRecord = { ...block };
  return Object.fromEntries(PART_FIELDS.filter((name) => all[name] !== undefined).map((name) => [name, all[name]]));
}

/** The name of a function in characters that the API takes; it must begin with a letter or `_`. */
function showName(name: string): string {
  const shown = name.replace(/[^a-zA-Z0-9_.:-]/g, "_").slice(0, 120);
  return /^[a-zA-Z_]/.test(shown) ? shown : `_${shown}`;
}

/** Image formats that the API cannot read. It takes many formats of other media, such as audio and documents. */
const OTHER_IMAGE = /^image\/(?!(?:png|jpeg|webp|heic|heif)$)/;

function showImage(block: ImageBlock): Block | undefined {
  const source: JsonRecord = block.source;
  const url = source.type === "url" ? asText(source.url) : undefined;
  const document = url === undefined ? undefined : readDocument(block);
  if (document !== undefined) return showDocument(block, document);
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
