import { tryParseJson } from "../json/parse-json.ts";
import { asText, fieldAt } from "../json/read-json.ts";
import type { ToolUseBlock } from "../message/message.ts";
import { serialize } from "../tokens/serialize.ts";

/** The fields of a `tool_use` block for a call's arguments. */
export interface CallInput {
  readonly input: unknown;
  /** The arguments as the model wrote them, where our JSON of the input is another text. */
  readonly arguments?: string;
}

/** Reads arguments that are given as JSON text: an object or a list is parsed, anything else stays a text. */
export function readCallArguments(text: string): CallInput {
  if (text.trim() === "") return { input: {} };
  const parsed = tryParseJson(text);
  if (typeof parsed !== "object" || parsed === null) return { input: text };
  return serialize(parsed) === text ? { input: parsed } : { input: parsed, arguments: text };
}

/** The reverse of {@link readCallArguments}: the original text, or the JSON of the input where that was clipped since. */
export function writeCallArguments(block: ToolUseBlock): string {
  const { input = {} } = block;
  if (typeof input === "string") return input;
  const json = serialize(input);
  const original = asText(fieldAt(block, "arguments"));
  return original !== undefined && serialize(tryParseJson(original)) === json ? original : json;
}
