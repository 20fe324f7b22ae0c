import { type Block, type ImageSource, isKnownBlock } from "../../message/message.ts";
import { contentBlocks } from "../../message/tool-pairs.ts";
import { countOf } from "../stand-in.ts";

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

/** What a block carries in base64. */
interface EncodedData {
  /** Of base64; 0 where there is none. */
  readonly characters: number;
  readonly mediaType?: string;
}

/** Shorter than this, it is an id or a hash. */
const LEAST_CHARACTERS = 1_024;
/** What a provider sealed is no picture or sound, and may be what makes it accept the rest. */
const SEALED_FIELD = /encrypted|signature/i;
const TYPE_FIELD = /^(?:media|mime)_?type$/i;
const MEDIA_TYPE = /^[\w.+-]{1,40}\/[\w.+-]{1,80}$/;
const DATA_URL = /^data:([^,;]*)[^,]{0,100},/;

const known = new WeakMap<Block, EncodedData>();

/** Finds base64 anywhere in a block that we do not know; what cannot be written as JSON has none. */
function findEncodedData(block: Block): EncodedData {
  const found = known.get(block);
  if (found !== undefined) return found;
  const data = search(block);
  known.set(block, data);
  return data;
}

function search(block: Block): EncodedData {
  let characters = 0;
  const mediaTypes: string[] = [];
  try {
    // Shows every field at any depth. Strings are left out of the text, which nobody reads.
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

/** By its beginning: the rest may be megabytes. */
function isBase64(text: string, start: number): boolean {
  return text.length - start >= LEAST_CHARACTERS && /^[\w+/-]+$/.test(text.slice(start, start + LEAST_CHARACTERS));
}
