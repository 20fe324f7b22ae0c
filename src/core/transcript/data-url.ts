import type { ImageBlock } from "../message/message.ts";

const BASE64_IMAGE = /^data:(image\/[a-z0-9.+-]+)(?:;[^;,]*)*;base64,/i;

/** An image block for a URL; a data URL becomes an image with base64 data. */
export function imageFromUrl(url: string): ImageBlock {
  // Only the beginning is matched: the rest may be megabytes.
  const match = BASE64_IMAGE.exec(url.slice(0, 200));
  if (match === null) return { type: "image", source: { type: "url", url } };
  const [prefix, mediaType = ""] = match;
  return { type: "image", source: { type: "base64", media_type: mediaType, data: url.slice(prefix.length) } };
}

/** The reverse of {@link imageFromUrl}. */
export function imageToUrl({ source }: ImageBlock): string {
  return source.type === "url" ? source.url : `data:${source.media_type};base64,${source.data}`;
}

/** Whether a value is text in base64: providers, and some clients before them, refuse media in any other form. */
export function isBase64(text: unknown): text is string {
  return typeof text === "string" && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
}
