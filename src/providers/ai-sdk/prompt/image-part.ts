import type { LanguageModelV4FilePart } from "@ai-sdk/provider";
import type { ImageSource } from "../../../core/message/message.ts";

/** The image as the packages take it; undefined where it is none that could be sent. */
export function imagePart(source: ImageSource): LanguageModelV4FilePart | undefined {
  if (source.type === "base64") return embedded(source.media_type, source.data);
  if (source.type !== "url" || !URL.canParse(source.url)) return undefined;
  const [, mediaType, data] = DATA_URL.exec(source.url) ?? [];
  if (data !== undefined) return embedded(mediaType, data);
  const url = new URL(source.url);
  if (url.protocol !== "https:" && url.protocol !== "http:") return undefined;
  return { type: "file", mediaType: mediaTypeOf(url), data: { type: "url", url } };
}

const DATA_URL = /^data:([^;,]+);base64,(.+)$/s;

function embedded(mediaType: unknown, data: unknown): LanguageModelV4FilePart | undefined {
  const isImage =
    typeof mediaType === "string" && mediaType.startsWith("image/") && typeof data === "string" && data !== "";
  return isImage ? { type: "file", mediaType, data: { type: "data", data } } : undefined;
}

// Gemini demands the type beside the address; what serves the image corrects a wrong guess.
function mediaTypeOf({ pathname }: URL): string {
  const [, extension = ""] = /\.(png|gif|webp)$/i.exec(pathname) ?? [];
  return `image/${extension.toLowerCase() || "jpeg"}`;
}
