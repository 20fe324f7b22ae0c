import { tryParseJson } from "../json/parse-json.ts";
import {
  asArray,
  asName,
  asRecord,
  asText,
  asTimeMs,
  asTokens,
  fieldAt,
  isRecord,
  type JsonRecord,
} from "../json/read-json.ts";
import type { Block, Content, Message } from "../message/message.ts";
import { serialize } from "../tokens/serialize.ts";
import { readAnthropicBlock } from "./anthropic-messages.ts";
import type { RequestUsage } from "./assemble-transcript.ts";
import { imageFromUrl } from "./data-url.ts";
import type { TranscriptProblem } from "./transcript.ts";
import { stamped, textBlocks } from "./transcript-draft.ts";

/** A conversation that was read from the form of OpenAI's chat API. */
export interface OpenAiConversation {
  /** The system messages before the first other one. Later ones are among the entries, with the role of the user. */
  readonly systemPrompt: string | undefined;
  readonly entries: readonly OpenAiEntry[];
  readonly problems: readonly TranscriptProblem[];
}

export interface OpenAiEntry {
  readonly message: Message;
  /** The index of its record. */
  readonly recordIndex: number;
}

/** Reads messages in the form of OpenAI's chat API; `where` is the name of their list in problems. */
export function readOpenAiMessages(records: readonly unknown[], where: string): OpenAiConversation {
  const systemTexts: string[] = [];
  const entries: OpenAiEntry[] = [];
  const problems: TranscriptProblem[] = [];
  let lastFunctionCallId = "";

  for (const [recordIndex, value] of records.entries()) {
    const place = `${where}[${recordIndex}]`;
    const record = asRecord(value);
    const role = asText(record?.role);
    if (record === undefined || role === undefined) {
      problems.push({ where: place, reason: "This is no message: it has no role." });
      continue;
    }
    if (isSystemRole(role) && entries.length === 0) {
      systemTexts.push(contentText(record.content));
      continue;
    }
    if (isRecord(record.function_call)) lastFunctionCallId = functionCallId(recordIndex);
    const message = readMessage(record, role, { functionCallId: lastFunctionCallId, recordIndex });
    if (message === undefined) problems.push({ where: place, reason: `A message of role ${role} with nothing in it.` });
    else entries.push({ message, recordIndex });
  }
  return { systemPrompt: systemTexts.length === 0 ? undefined : systemTexts.join("\n\n"), entries, problems };
}

interface FunctionContext {
  /** The id for the last `function_call`, an old form without ids; its answer has none either. */
  readonly functionCallId: string;
  readonly recordIndex: number;
}

function readMessage(record: JsonRecord, role: string, context: FunctionContext): Message | undefined {
  const stamp = { id: asName(record.id), ts: asTimeMs(record.ts ?? record.timestamp) };
  switch (role) {
    case "assistant": {
      const content = readAssistantContent(record, context.recordIndex);
      return isEmpty(content) ? undefined : stamped("assistant", content, stamp);
    }
    case "tool":
    case "function": {
      const id = asText(record.tool_call_id) ?? (role === "function" ? context.functionCallId : undefined);
      if (id === undefined) break;
      const result: Block = { type: "tool_result", tool_use_id: id, content: readContent(record.content) };
      return stamped("user", [result], stamp);
    }
  }
  const content = readContent(record.content);
  if (isEmpty(content)) return undefined;
  // Our messages have two roles: another role is kept in `sourceRole`, so that it can be written back.
  return { ...stamped("user", content, stamp), ...(role !== "user" && { sourceRole: role }) };
}

function isEmpty(content: Content): boolean {
  return typeof content === "string" ? content.trim() === "" : content.length === 0;
}

function isSystemRole(role: string): boolean {
  return role === "system" || role === "developer";
}

function readContent(content: unknown): Content {
  if (typeof content === "string") return content;
  if (content === undefined || content === null) return [];
  return (Array.isArray(content) ? content : [content]).map(readPart);
}

function readPart(value: unknown): Block {
  if (typeof value === "string") return { type: "text", text: value };
  const part = asRecord(value);
  const type = asText(part?.type);
  const text = asText(part?.text);
  if (part !== undefined && type === "text" && text !== undefined) return { ...part, type };
  const refusal = asText(part?.refusal);
  if (type === "refusal" && refusal !== undefined) return { type: "text", text: refusal };
  const url = asText(fieldAt(part, "image_url", "url")) ?? asText(part?.image_url);
  if (type === "image_url" && url !== undefined) return imageFromUrl(url);
  // Some files mix in blocks of Anthropic's API; unknown blocks are kept as they are.
  return readAnthropicBlock(value);
}

function contentText(content: unknown): string {
  const read = readContent(content);
  if (typeof read === "string") return read;
  return read
    .map((block) => ("text" in block && typeof block.text === "string" ? block.text : serialize(block)))
    .join("\n");
}

function readAssistantContent(record: JsonRecord, recordIndex: number): Content {
  const reasoning = readReasoning(record);
  const calls = [
    ...asArray(record.tool_calls).flatMap((call, index) => readCall(call, `call_${recordIndex}_${index}`)),
    ...(isRecord(record.function_call) ? functionCall(record.function_call, functionCallId(recordIndex)) : []),
  ];
  const content = readContent(record.content);
  const refusal = textBlocks(asText(record.refusal));
  if (reasoning.length === 0 && calls.length === 0 && refusal.length === 0) return content;
  const texts = typeof content === "string" ? textBlocks(content) : content;
  return [...reasoning, ...texts, ...refusal, ...calls];
}

/** Reads reasoning in the forms of this API's various providers. The details are opaque, and must be sent back unchanged. */
function readReasoning({ reasoning_content, reasoning, reasoning_details }: JsonRecord): readonly Block[] {
  const text = asText(reasoning_content) ?? asText(reasoning) ?? "";
  const details = Array.isArray(reasoning_details) && reasoning_details.length > 0 ? { reasoning_details } : undefined;
  return text === "" && details === undefined ? [] : [{ type: "reasoning", text, ...details }];
}

function readCall(value: unknown, fallbackId: string): readonly Block[] {
  const call = asRecord(value);
  const id = asName(call?.id) ?? fallbackId;
  if (isRecord(call?.function)) return functionCall(call.function, id);
  const name = asText(fieldAt(call, "custom", "name"));
  if (name !== undefined) return [{ type: "tool_use", id, name, input: fieldAt(call, "custom", "input") }];
  return textBlocks(serialize(value));
}

function functionCall(call: JsonRecord, id: string): readonly Block[] {
  return [{ type: "tool_use", id, name: asText(call.name) ?? "", input: readArguments(call.arguments) }];
}

function functionCallId(recordIndex: number): string {
  return `call_${recordIndex}`;
}

function readArguments(value: unknown): unknown {
  if (typeof value !== "string") return value ?? {};
  if (value.trim() === "") return {};
  const parsed = tryParseJson(value);
  return parsed === undefined ? value : parsed;
}

/** Reads the usage that OpenAI's chat API reports; undefined where the value is none. */
export function readOpenAiUsage(value: unknown): RequestUsage | undefined {
  const usage = asRecord(value);
  if (usage?.prompt_tokens === undefined) return undefined;
  const input = asTokens(usage.prompt_tokens);
  const cacheReadTokens = Math.min(asTokens(fieldAt(usage, "prompt_tokens_details", "cached_tokens")), input);
  const outputTokens = asTokens(usage.completion_tokens);
  return { inputTokens: input - cacheReadTokens, outputTokens, cacheReadTokens, cacheWriteTokens: 0 };
}
