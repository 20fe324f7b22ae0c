import { type Block, type ImageSource, isKnownBlock } from "../../message/message.ts";
import { contentBlocks } from "../../message/tool-pairs.ts";
import { countOf } from "../stand-in.ts";
import { findEncodedData } from "./encoded-data.ts";

/** True for an image, and for a block that we do not know but that carries a file, a picture or a sound in base64. */
export function isMedium(block: Block): boolean {
  return isImage(block) || (!isKnownBlock(block) && findEncodedData(block).characters > 0);
}

/** How many images a block is, or holds. */
export function countImages(block: Block): number {
  if (!isKnownBlock(block)) return 0;
  if (block.type === "image") return 1;
  return block.type === "tool_result" ? contentBlocks(block.content ?? "").filter(isImage).length : 0;
}

/** What a block is and, where it says so, how large: "image/png of 1,204 bytes". */
export function describeMedium(block: Block): string {
  if (isKnownBlock(block)) return block.type === "image" ? describeImage(block.source) : block.type;
  const { characters, mediaType } = findEncodedData(block);
  const name = mediaType === undefined ? block.type : `${block.type} ${mediaType}`;
  return characters === 0 ? name : `${name} of ${decodedSize(characters)}`;
}

function isImage(block: Block): boolean {
  return isKnownBlock(block) && block.type === "image";
}

function describeImage(source: ImageSource): string {
  // Of a source, no more is checked than that it is an object.
  const fields: Readonly<Record<string, unknown>> = { ...source };
  const { media_type: mediaType, data } = fields;
  const name = typeof mediaType === "string" && /^image\/[\w.+-]{1,80}$/.test(mediaType) ? mediaType : "image";
  return typeof data === "string" ? `${name} of ${decodedSize(data.length)}` : name;
}

/** Padding aside. */
function decodedSize(base64Characters: number): string {
  return countOf(Math.floor((base64Characters * 3) / 4), "byte");
}
