/** What the parts of messages have in common in both of OpenAI's APIs, read from blocks that may come from anywhere. */

import { asName, asRecord, asText, fieldAt } from "../json/read-json.ts";
import { shortHash } from "../message/fold-id.ts";
import type { Block, ImageBlock } from "../message/message.ts";
import { imageToUrl } from "./data-url.ts";

/** Where a prompt may be cut for the provider's cache. */
export interface OpenAiCacheBreakpoint {
  mode: "explicit";
  ttl?: "30m" | "12h";
}

/** How closely the model looks at an image. */
export type OpenAiImageDetail = "auto" | "low" | "high" | "original";

/** The field for a part, or none. */
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

/** The address of an image; undefined for one that only its own provider can find, such as an uploaded file. */
export function imageUrlOf({ source, ...image }: ImageBlock): string | undefined {
  const isUrl = source.type === "url" && asName(source.url) !== undefined;
  const isData =
    source.type === "base64" && asText(source.data) !== undefined && asName(source.media_type) !== undefined;
  return isUrl || isData ? imageToUrl({ ...image, source }) : undefined;
}

/** The id of a call as an API takes it: none is empty, or longer than this. It follows from the id alone, so that calls and results still pair. */
export function fitCallId(id: string, maxLength: number): string {
  if (id !== "" && id.length <= maxLength) return id;
  const hash = shortHash(id);
  return `${id.slice(0, maxLength - hash.length - 1)}_${hash}`;
}
