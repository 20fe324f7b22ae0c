/** Fields of message parts that OpenAI's two APIs share, read from blocks of any origin. */

import { asName, asRecord, asText, fieldAt } from "../json/read-json.ts";
import { shortHash } from "../message/fold-id.ts";
import type { Block, ImageBlock } from "../message/message.ts";
import { imageToUrl } from "./data-url.ts";

/** A cache breakpoint of OpenAI's APIs. */
export interface OpenAiCacheBreakpoint {
  mode: "explicit";
  ttl?: "30m" | "12h";
}

/** The resolution at which the model reads an image. */
export type OpenAiImageDetail = "auto" | "low" | "high" | "original";

/** The cache breakpoint of a block as a field to be spread into a part; an empty object where it has none. */
export function cacheBreakpointOf(block: Block): { prompt_cache_breakpoint?: OpenAiCacheBreakpoint } {
  const mark = asRecord(fieldAt(block, "prompt_cache_breakpoint"));
  if (mark?.mode !== "explicit") return {};
  const { ttl } = mark;
  const isTime = ttl === "30m" || ttl === "12h";
  return { prompt_cache_breakpoint: { mode: "explicit", ...(isTime && { ttl }) } };
}

export function imageDetailOf(block: Block): OpenAiImageDetail | undefined {
  const detail = fieldAt(block, "detail");
  return detail === "auto" || detail === "low" || detail === "high" || detail === "original" ? detail : undefined;
}

/** The URL of an image; undefined for one that only its own provider can read, such as an uploaded file. */
export function imageUrlOf({ source, ...image }: ImageBlock): string | undefined {
  const isUrl = source.type === "url" && asName(source.url) !== undefined;
  const isData =
    source.type === "base64" && asText(source.data) !== undefined && asName(source.media_type) !== undefined;
  return isUrl || isData ? imageToUrl({ ...image, source }) : undefined;
}

/** Makes a call's id fit an API: not empty, and of at most `maxLength` characters. The result depends on the id alone, so that calls and results still pair. */
export function fitCallId(id: string, maxLength: number): string {
  if (id !== "" && id.length <= maxLength) return id;
  const hash = shortHash(id);
  return `${id.slice(0, maxLength - hash.length - 1)}_${hash}`;
}
