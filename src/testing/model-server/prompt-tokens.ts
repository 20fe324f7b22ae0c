import { countTextTokens } from "../../core/tokens/o200k/count-text-tokens.ts";
import { isJsonObject, type JsonObject } from "./json.ts";

/** The parts of a request that a model reads, on any wire. */
const PROMPT_FIELDS = [
  "system",
  "systemInstruction",
  "system_instruction",
  "messages",
  "contents",
  "tools",
  "functions",
  "generateContentRequest",
] as const;

/** Strings that steer the protocol or carry media, and are no text. */
const NOT_TEXT: ReadonlySet<string> = new Set([
  "type",
  "role",
  "id",
  "tool_use_id",
  "tool_call_id",
  "cache_control",
  "signature",
  "thoughtSignature",
  "media_type",
  "mimeType",
  "data",
  "url",
  "fileUri",
  "model",
]);

/** Objects of the user's own making: their keys are text too, and may have any name. */
const COUNTED_AS_JSON: ReadonlySet<string> = new Set(["input", "args", "response", "tools", "functions"]);

/** The tokens of all text in system prompt, tools and messages. */
export function countPromptTokens(body: JsonObject): number {
  let tokens = 0;
  for (const field of PROMPT_FIELDS) {
    for (const text of textsOf(body[field], field)) tokens += countTextTokens(text);
  }
  return tokens;
}

function* textsOf(value: unknown, key: string): Generator<string> {
  if (NOT_TEXT.has(key)) return;
  if (typeof value === "string") yield value;
  else if (COUNTED_AS_JSON.has(key) && value !== undefined) yield JSON.stringify(value);
  else if (Array.isArray(value)) for (const item of value) yield* textsOf(item, key);
  else if (isJsonObject(value)) for (const [field, inner] of Object.entries(value)) yield* textsOf(inner, field);
}
