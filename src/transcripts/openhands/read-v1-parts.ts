import { tryParseJson } from "../../core/json/parse-json.ts";
import { asArray, asName, asRecord, asText, fieldAt, type JsonRecord } from "../../core/json/read-json.ts";
import type { Block } from "../../core/message/message.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import { imageFromUrl } from "../../core/transcript/data-url.ts";
import { textBlocks } from "../../core/transcript/transcript-draft.ts";

export function readParts(value: unknown): readonly Block[] {
  if (typeof value === "string") return textBlocks(value);
  return asArray(value).flatMap((part): readonly Block[] => {
    const text = asText(fieldAt(part, "text"));
    if (text !== undefined) return textBlocks(text);
    return asArray(fieldAt(part, "image_urls")).flatMap((url) => (typeof url === "string" ? [imageFromUrl(url)] : []));
  });
}

/** Thoughts with their signatures; a plain text of them only where there are none. */
export function reasoningBlocks({ thinking_blocks, reasoning_content }: JsonRecord): readonly Block[] {
  const signed = asArray(thinking_blocks).flatMap((value): readonly Block[] => {
    const { type, thinking, ...rest } = asRecord(value) ?? {};
    const text = asText(thinking);
    if (text !== undefined) return [{ ...rest, type: "reasoning", text }];
    return type === "redacted_thinking" ? [{ ...rest, type }] : [];
  });
  const plain = asName(reasoning_content);
  return signed.length > 0 || plain === undefined ? signed : [{ type: "reasoning", text: plain }];
}

export function readCall({ tool_call, tool_name, action }: JsonRecord, id: string): Block {
  const args = fieldAt(tool_call, "arguments") ?? fieldAt(tool_call, "function", "arguments");
  const name = asName(tool_name) ?? asName(fieldAt(tool_call, "name")) ?? "action";
  const input = typeof args === "string" ? (asRecord(tryParseJson(args)) ?? args) : (args ?? action ?? {});
  return { type: "tool_use", id, name, input };
}

/** What a tool returned: in parts, as text, or else as the fields of its result. */
export function observationText(observation: JsonRecord): string {
  const { content, output, text, error, message } = observation;
  const parts = readParts(content).map((block) => asText(fieldAt(block, "text")) ?? "[image]");
  if (parts.length > 0) return parts.join("\n");
  const plain = [output, text, error, message].map(asName).find((value) => value !== undefined);
  const { kind: _, ...rest } = observation;
  return plain ?? (Object.keys(rest).length === 0 ? "" : serialize(rest));
}
