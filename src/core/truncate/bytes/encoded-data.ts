import type { Block } from "../../message/message.ts";

/** What a block carries in base64. */
export interface EncodedData {
  /** Of base64; 0 where there is none. */
  readonly characters: number;
  readonly mediaType?: string;
}

/** Shorter than this, it is an id or a hash. */
const LEAST_CHARACTERS = 1_024;
/** What a provider sealed is no picture or sound, and may be what makes it accept the rest. */
const SEALED_FIELD = /encrypted|signature/i;
const TYPE_FIELD = /^(?:media|mime)_?type$/i;
export const MEDIA_TYPE = /^[\w.+-]{1,40}\/[\w.+-]{1,80}$/;
const DATA_URL = /^data:([^,;]*)[^,]{0,100},/;

const known = new WeakMap<Block, EncodedData>();

/** Finds base64 anywhere in a block that we do not know; what cannot be written as JSON has none. */
export function findEncodedData(block: Block): EncodedData {
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
