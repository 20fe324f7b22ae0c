import { asArray, asName, asRecord, asText, type JsonRecord } from "../../core/json/read-json.ts";
import type { Content } from "../../core/message/message.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import { readAnthropicContent } from "../../core/transcript/anthropic-messages.ts";

/** For the person at the terminal, or for the program itself; the model never sees them. */
const UNSEEN_TYPES: ReadonlySet<string> = new Set([
  "async_hook_response",
  "command_permissions",
  "hook_cancelled",
  "hook_error_during_execution",
  "hook_non_blocking_error",
  "hook_system_message",
]);

/** What the model was told by something attached to the conversation; empty where it was told nothing. */
export function attachmentContent(attachment: JsonRecord, where: string): Content {
  if (UNSEEN_TYPES.has(asText(attachment.type) ?? "")) return "";
  // What was typed while the agent worked may hold images.
  if (Array.isArray(attachment.prompt)) return readAnthropicContent(attachment.prompt, where).content;
  const { prompt, content, snippet, addedBlocks, addedLines } = attachment;
  const body = [prompt, content, snippet, addedBlocks, addedLines].map(textOf).find((text) => text !== "") ?? "";
  const name = asName(attachment.filename) ?? asName(attachment.path);
  return body === "" || name === undefined ? body : `${name}\n${body}`;
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return asArray(value).map(itemText).filter(Boolean).join("\n");
  // The text of a file lies one or two levels down.
  const record = asRecord(value);
  return asText(record?.content) ?? asText(asRecord(record?.file)?.content) ?? "";
}

function itemText(item: unknown): string {
  return typeof item === "string" ? item : item === undefined || item === null ? "" : serialize(item);
}
