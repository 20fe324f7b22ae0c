import { tryParseJson } from "../json/parse-json.ts";
import { asText, fieldAt } from "../json/read-json.ts";
import type { ToolUseBlock } from "../message/message.ts";
import { serialize } from "../tokens/serialize.ts";

/** What a call's arguments are in a `tool_use` block. */
export interface CallInput {
  readonly input: unknown;
  /** The arguments as the model wrote them, where our JSON of the input is another text. */
  readonly arguments?: string;
}

/** Arguments come as a text of JSON: an object or a list is parsed, anything else stays the text that it is. */
export function readCallArguments(text: string): CallInput {
  if (text.trim() === "") return { input: {} };
  const parsed = tryParseJson(text);
  if (typeof parsed !== "object" || parsed === null) return { input: text };
  return serialize(parsed) === text ? { input: parsed } : { input: parsed, arguments: text };
}

/** The reverse of {@link readCallArguments}; arguments that were clipped since are written anew. */
export function writeCallArguments(block: ToolUseBlock): string {
  const { input = {} } = block;
  if (typeof input === "string") return input;
  const json = serialize(input);
  const original = asText(fieldAt(block, "arguments"));
  return original !== undefined && serialize(tryParseJson(original)) === json ? original : json;
}
