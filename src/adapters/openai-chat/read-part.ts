import { asRecord, asText, fieldAt } from "../../core/json/read-json.ts";
import { type Block, isKnownBlock } from "../../core/message/message.ts";
import { imageFromUrl } from "../../core/transcript/data-url.ts";

/** A part of an item's content as a block; what is not known is carried as it is. */
export function readPart(value: unknown): Block {
  const part = asRecord(value);
  const type = asText(part?.type);
  if (part === undefined || type === undefined) return { type: "part", part: value };
  const text = asText(part.text);
  if (type === "text" && text !== undefined) return { ...part, type, text };
  const refusal = asText(part.refusal);
  if (type === "refusal" && refusal !== undefined) return { type: "text", text: refusal };
  const url = asText(fieldAt(part, "image_url", "url")) ?? asText(part.image_url);
  if (type === "image_url" && url !== undefined) {
    const { image_url: _, ...rest } = part;
    return { ...rest, ...imageFromUrl(url) };
  }
  const block = { ...part, type };
  // One of ours by name only: its fields are not those that our code relies on.
  return isKnownBlock(block) ? { type: "part", part } : block;
}
