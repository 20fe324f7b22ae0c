import { asName, asRecord, asText, fieldAt, type JsonRecord } from "../../core/json/read-json.ts";

/**
 * An item of the SDK's as the Responses API has it, for the converter of that API. Without what the model does not see, and what the SDK
 * may drop from one call to the next: ids, status, and what the provider added.
 */
export function wireItem(item: JsonRecord): JsonRecord {
  const type = asName(item.type) ?? "message";
  const { id: _id, status: _status, providerData, callId, ...rest } = item;
  switch (type) {
    case "message":
      return { ...rest, type, content: wireContent(item.content) };
    case "reasoning":
      return { ...asRecord(providerData), type, summary: item.content, content: item.rawContent };
    case "function_call_result":
      return { type: "function_call_output", call_id: callId, output: wireOutput(item.output) };
    case "computer_call_result":
      return { type: "computer_call_output", call_id: callId, output: wireScreenshot(item.output) };
    case "unknown":
    case "hosted_tool_call":
    case "program":
    case "program_output":
    case "compaction":
      // Nothing of ours reads them, so they are kept whole.
      return item;
    default:
      return { ...rest, ...(asName(callId) !== undefined && { call_id: callId }) };
  }
}

/** Parts of a message, or of a tool's output. */
function wireContent(content: unknown): unknown {
  return Array.isArray(content) ? content.map(wirePart) : content;
}

function wirePart(value: unknown): unknown {
  const part = asRecord(value);
  if (part === undefined) return value;
  const { providerData: _, promptCacheBreakpoint: __, ...rest } = part;
  if (part.type !== "input_image" && part.type !== "image") return rest;
  const url = imageUrl(part.image);
  return url === undefined ? rest : { type: "input_image", image_url: url, detail: part.detail };
}

function wireOutput(output: unknown): unknown {
  if (typeof output === "string") return output;
  if (Array.isArray(output)) return output.map(wirePart);
  const text = fieldAt(output, "type") === "text" ? asText(fieldAt(output, "text")) : undefined;
  return text ?? [wirePart(output)];
}

function wireScreenshot(output: unknown): unknown {
  const data = asName(fieldAt(output, "data"));
  return data === undefined ? output : { type: "computer_screenshot", image_url: data };
}

function imageUrl(image: unknown): string | undefined {
  const data = asName(fieldAt(image, "data"));
  const mediaType = asName(fieldAt(image, "mediaType")) ?? "image/png";
  if (data !== undefined) return data.startsWith("data:") ? data : `data:${mediaType};base64,${data}`;
  return asName(image) ?? asName(fieldAt(image, "url"));
}
