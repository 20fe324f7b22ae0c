import { type Block, type ImageSource, isKnownBlock } from "../../message/message.ts";
import { contentBlocks } from "../../message/tool-pairs.ts";
import { countOf } from "../stand-in.ts";
import { findEncodedData, MEDIA_TYPE } from "./encoded-data.ts";

/** True for an image, and for a block that we do not know but that carries a file, a picture or a sound in base64. */
export function isMedium(block: Block): boolean {
  if (isKnownBlock(block)) return block.type === "image";
  return findEncodedData(block).characters > 0;
}

/** How many images a block is, or holds. */
export function countImages(block: Block): number {
  if (!isKnownBlock(block)) return 0;
  if (block.type === "image") return isPicture(block.source) ? 1 : 0;
  return block.type === "tool_result" ? sum(contentBlocks(block.content ?? "").map(countImages)) : 0;
}

/** What a block is and, where it says so, how large: "image/png of 1,204 bytes". */
export function describeMedium(block: Block): string {
  if (isKnownBlock(block)) return block.type === "image" ? describeImage(block.source) : block.type;
  const { characters, mediaType } = findEncodedData(block);
  const name = mediaType === undefined ? block.type : `${block.type} ${mediaType}`;
  return characters === 0 ? name : `${name} of ${decodedSize(characters)}`;
}

/** On some wires a file or a sound comes as an image does. */
function isPicture(source: ImageSource): boolean {
  const { mediaType = "image/" } = inlineData(source);
  return mediaType.startsWith("image/");
}

function describeImage(source: ImageSource): string {
  const { mediaType = "image", data } = inlineData(source);
  return data === undefined ? mediaType : `${mediaType} of ${decodedSize(data.length)}`;
}

interface InlineData {
  readonly mediaType?: string;
  readonly data?: string;
}

/** Of a source, no more is checked than that it is an object. */
function inlineData(source: ImageSource): InlineData {
  const { media_type: mediaType, data }: Readonly<Record<string, unknown>> = { ...source };
  return {
    ...(typeof mediaType === "string" && MEDIA_TYPE.test(mediaType) ? { mediaType } : {}),
    ...(typeof data === "string" ? { data } : {}),
  };
}

/** Padding aside. */
function decodedSize(base64Characters: number): string {
  return countOf(Math.floor((base64Characters * 3) / 4), "byte");
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
