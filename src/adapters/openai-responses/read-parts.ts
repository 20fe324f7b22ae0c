import { asName, asRecord, asText } from "../../core/json/read-json.ts";
import { type Block, isKnownBlock } from "../../core/message/message.ts";
import { imageFromUrl } from "../../core/transcript/data-url.ts";

/** A part of a message, or of a tool's output, as a block. */
export function readPart(value: unknown): Block {
  const part = asRecord(value);
  if (part === undefined) return unknownBlock(value);
  const { image_url, ...rest } = part;
  const text = textOfPart(part);
  if (text !== undefined) return { ...part, type: "text", text };
  const url = asName(image_url);
  return part.type === "input_image" && url !== undefined ? { ...rest, ...imageFromUrl(url) } : unknownBlock(value);
}

/** The text of a part, or of a refusal; undefined for any other part. */
export function textOfPart(value: unknown): string | undefined {
  const field = textFieldOf(value);
  return field === undefined ? undefined : asText(asRecord(value)?.[field]);
}

const TEXT_FIELDS = new Map<unknown, "text" | "refusal">([
  ["input_text", "text"],
  ["output_text", "text"],
  ["text", "text"],
  ["refusal", "refusal"],
]);

/** The field that holds a part's text; undefined where it is no text. */
export function textFieldOf(value: unknown): "text" | "refusal" | undefined {
  const field = TEXT_FIELDS.get(asRecord(value)?.type);
  return field !== undefined && typeof asRecord(value)?.[field] === "string" ? field : undefined;
}

/** Carries a value of an unknown form as a block, whose type is changed if it is that of one of our blocks. */
export function unknownBlock(value: unknown): Block {
  const record = asRecord(value);
  if (record === undefined) return { type: "unknown_item", value };
  const type = asName(record.type) ?? (record.role === undefined ? "unknown_item" : "message");
  return { ...record, type: isKnownBlock({ type }) ? `${type}_item` : type };
}
