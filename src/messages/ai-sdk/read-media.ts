import { asText, isRecord, type JsonRecord } from "../../core/json/read-json.ts";
import type { Block, ImageSource } from "../../core/message/message.ts";
import { bytesOf, plainValue, toBase64 } from "./plain-value.ts";
import { readProviderOptions } from "./seals.ts";

const DATA_URL = /^data:([^;,]*)(?:;[^;,]*)*;base64,/i;
const ANY_IMAGE = "image/*";

/**
 * A file or an image, wherever its bytes are: in all of the forms that versions 5, 6 and 7 have for them. Files of every kind are image
 * blocks with their type: so they are counted as media, and not as the text of their base64. A reference to a provider's storage is carried as it is.
 */
export function readMedia(part: JsonRecord): Block {
  const mediaType = asText(part.mediaType);
  const isImage = part.type === "image" || (asText(part.type)?.startsWith("image-") ?? false);
  const source = sourceOf(
    part.data ?? part.image ?? part.url,
    mediaType ?? (isImage ? ANY_IMAGE : "application/octet-stream"),
  );
  const plain = plainValue(part);
  if (source === undefined) return { type: "file", ...(isRecord(plain) && plain) };
  return {
    type: "image",
    source,
    ...(source.type === "url" && mediaType !== undefined && { mediaType }),
    ...(typeof part.filename === "string" && { filename: part.filename }),
    ...readProviderOptions(part.providerOptions),
  };
}

function sourceOf(data: unknown, mediaType: string): ImageSource | undefined {
  if (isRecord(data) && data.type === "data") return sourceOf(data.data, mediaType);
  if (isRecord(data) && data.type === "url") return sourceOf(data.url, mediaType);
  if (data instanceof URL) return sourceOf(data.href, mediaType);
  const bytes = bytesOf(data);
  if (bytes !== undefined) return { type: "base64", media_type: mediaType, data: toBase64(bytes) };
  if (typeof data !== "string" || data === "") return undefined;
  if (/^https?:/i.test(data)) return { type: "url", url: data };
  // Only the beginning is matched: the rest may be megabytes.
  const [prefix, ownType = ""] = DATA_URL.exec(data.slice(0, 200)) ?? [];
  if (prefix === undefined) return { type: "base64", media_type: mediaType, data };
  return { type: "base64", media_type: ownType === "" ? mediaType : ownType, data: data.slice(prefix.length) };
}
