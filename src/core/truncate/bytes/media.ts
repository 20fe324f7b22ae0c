import { type Block, type ImageSource, isKnownBlock } from "../../message/message.ts";
import { contentBlocks } from "../../message/tool-pairs.ts";
import { countOf } from "../stand-in.ts";
import { sum } from "../sum.ts";

/** Whether a block is an image, or an unknown block that carries a file, a picture or a sound in base64. */
export function isMedium(block: Block): boolean {
  if (isKnownBlock(block)) return block.type === "image";
  return findEncodedData(block).characters > 0;
}

/** How many images a block is or holds. */
export function countImages(block: Block): number {
  if (!isKnownBlock(block)) return 0;
  if (block.type === "image") return isPicture(block.source) ? 1 : 0;
  return block.type === "tool_result" ? sum(contentBlocks(block.content ?? "").map(countImages)) : 0;
}

/** Names a block's media type and, where it is known, its size: "image/png of 1,204 bytes". */
export function describeMedium(block: Block): string {
  if (isKnownBlock(block)) return block.type === "image" ? describeImage(block.source) : block.type;
  const { characters, mediaType } = findEncodedData(block);
  const name = mediaType === undefined ? block.type : `${block.type} ${mediaType}`;
  return characters === 0 ? name : `${name} of ${decodedSize(characters)}`;
}

/** False for files and sounds, which some wires send as images. */
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

/** Reads a source without trusting its fields: `checkMessages` only makes sure that it is an object. */
function inlineData(source: ImageSource): InlineData {
  const { media_type: mediaType, data }: Readonly<Record<string, unknown>> = { ...source };
  return {
    ...(typeof mediaType === "string" && MEDIA_TYPE.test(mediaType) ? { mediaType } : {}),
    ...(typeof data === "string" ? { data } : {}),
  };
}

/** The size of base64 data once decoded, without regard to padding. */
function decodedSize(base64Characters: number): string {
  return countOf(Math.floor((base64Characters * 3) / 4), "byte");
}

/** The base64 data in an unknown block. */
interface EncodedData {
  /** Length of the base64; 0 where there is none. */
  readonly characters: number;
  readonly mediaType?: string;
}

/** A shorter string is taken for an id or a hash. */
const LEAST_CHARACTERS = 1_024;
/** Encrypted content and signatures are no media, and the provider may refuse the message without them. */
const SEALED_FIELD = /encrypted|signature/i;
const TYPE_FIELD = /^(?:media|mime)_?type$/i;
const MEDIA_TYPE = /^[\w.+-]{1,40}\/[\w.+-]{1,80}$/;
const DATA_URL = /^data:([^,;]*)[^,]{0,100},/;

const encodedData = new WeakMap<Block, EncodedData>();

/** Finds base64 anywhere in an unknown block; none in a block that cannot be written as JSON. Cached per block. */
function findEncodedData(block: Block): EncodedData {
  const known = encodedData.get(block);
  if (known !== undefined) return known;
  const data = searchBase64(block);
  encodedData.set(block, data);
  return data;
}

function searchBase64(block: Block): EncodedData {
  let characters = 0;
  const mediaTypes: string[] = [];
  try {
    // Used to visit every field at any depth; the JSON itself is thrown away, so strings are left out of it.
    JSON.stringify(block, (field, value: unknown) => {
      if (typeof value !== "string") return value;
      const [prefix = "", urlType = ""] = DATA_URL.exec(value.slice(0, 200)) ?? [];
      const isType = TYPE_FIELD.test(field);
      if (isType || urlType !== "") mediaTypes.push(isType ? value.slice(0, 200) : urlType);
      if (!SEALED_FIELD.test(field) && isBase64(value, prefix.length)) characters += value.length - prefix.length;
      return undefined;
    });
  } catch {
    return { characters: 0 };
  }
  const mediaType = mediaTypes.find((type) => MEDIA_TYPE.test(type));
  return mediaType === undefined ? { characters } : { characters, mediaType };
}

/** Tests only the beginning of a string: the rest may be megabytes. */
function isBase64(text: string, start: number): boolean {
  return text.length - start >= LEAST_CHARACTERS && /^[\w+/-]+$/.test(text.slice(start, start + LEAST_CHARACTERS));
}
