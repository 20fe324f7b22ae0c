import { asArray, asName, asRecord, asText, asTimeMs, asTokens, isRecord, type JsonRecord } from "../json/read-json.ts";
import type { Block, Content, ToolResultBlock } from "../message/message.ts";
import { isToolResult, isToolUse } from "../message/tool-pairs.ts";
import type { RequestUsage, TranscriptEntry } from "./assemble-transcript.ts";
import { readGeminiParts, readResponse } from "./gemini-session-parts.ts";
import type { TranscriptProblem } from "./transcript.ts";
import { stamped, textBlocks } from "./transcript-draft.ts";

/** One record of the Gemini CLI, as it was read. */
export interface GeminiRecord {
  /** A turn and, where it called tools, their results; or a compaction. */
  readonly entries: readonly TranscriptEntry[];
  readonly modelId?: string | undefined;
  readonly problems: readonly TranscriptProblem[];
}

// Messages that only the user sees, not the model.
const NOTICE_TYPES = new Set(["info", "error", "warning"]);
const COMPRESSED = /\bcompressed from ([\d,]+)/i;

export function readGeminiRecord(value: unknown, where: string): GeminiRecord {
  const record = asRecord(value);
  const type = asText(record?.type);
  if (record === undefined || type === undefined) return problem(where, "This is no message: it has no type.");
  if (type === "user") return readUser(record, where);
  if (type === "gemini") return readReply(record, where);
  return NOTICE_TYPES.has(type) ? readNotice(record) : problem(where, `There is no message of type ${type}.`);
}

function problem(where: string, reason: string): GeminiRecord {
  return { entries: [], problems: [{ where, reason }] };
}

function readNotice({ content }: JsonRecord): GeminiRecord {
  const tokens = COMPRESSED.exec(asText(content) ?? "")?.[1];
  const tokensBefore = Number(tokens?.replaceAll(",", ""));
  return { entries: tokens === undefined ? [] : [{ type: "compaction", tokensBefore }], problems: [] };
}

function readUser(record: JsonRecord, where: string): GeminiRecord {
  const stamp = { id: asName(record.id), ts: asTimeMs(record.timestamp) };
  const content: Content =
    typeof record.content === "string" ? record.content : readGeminiParts(record.content, stamp.id ?? where);
  if (content.length === 0) return problem(where, "The user's message is empty.");
  return { entries: [{ type: "message", message: stamped("user", content, stamp) }], problems: [] };
}

function readReply(record: JsonRecord, where: string): GeminiRecord {
  const stamp = { id: asName(record.id), ts: asTimeMs(record.timestamp) };
  const name = stamp.id ?? where;
  const { calls, results, problems, ts } = readToolCalls(record.toolCalls, { name, where });
  // A file that the CLI has rewritten has the calls among the parts, too.
  const parts = readGeminiParts(record.content, name).filter(
    (block) => calls.length === 0 || block.type !== "tool_use",
  );
  const blocks = [...asArray(record.thoughts).flatMap(readThought), ...parts, ...calls];
  if (blocks.length === 0) return problem(where, "The reply is empty.");
  const reply: TranscriptEntry = {
    type: "message",
    message: stamped("assistant", blocks, stamp),
    usage: readUsage(record.tokens),
  };
  const answer = stamped("user", results, { id: `${name}/results`, ts: ts ?? stamp.ts });
  const answers: readonly TranscriptEntry[] = results.length === 0 ? [] : [{ type: "message", message: answer }];
  return { entries: [reply, ...answers], modelId: asName(record.model), problems };
}

function readThought(value: unknown): readonly Block[] {
  const { subject, description, ...rest } = asRecord(value) ?? {};
  const text = [asText(subject), asText(description)].filter((each) => each !== undefined && each !== "").join("\n\n");
  return text === "" ? [] : [{ ...rest, type: "reasoning", text }];
}

interface ToolCalls {
  readonly calls: readonly Block[];
  readonly results: readonly ToolResultBlock[];
  readonly problems: readonly TranscriptProblem[];
  /** The end of the last call. */
  readonly ts: number | undefined;
}

function readToolCalls(value: unknown, { name, where }: { readonly name: string; readonly where: string }): ToolCalls {
  const calls: Block[] = [];
  const results: ToolResultBlock[] = [];
  const problems: TranscriptProblem[] = [];
  let ts: number | undefined;
  for (const [index, each] of asArray(value).entries()) {
    const call = asRecord(each);
    const toolName = asText(call?.name);
    if (call === undefined || toolName === undefined) {
      problems.push({ where: `${where}.toolCalls[${index}]`, reason: "This is no call: it has no name." });
      continue;
    }
    const id = asName(call.id) ?? `${name}/call-${index}`;
    calls.push({ type: "tool_use", id, name: toolName, input: call.args ?? {} });
    const result = readResult(call, id);
    if (result !== undefined) results.push(result);
    ts = asTimeMs(call.timestamp) ?? ts;
  }
  return { calls, results, problems, ts };
}

/** The result of a call; undefined for a call that was interrupted. */
function readResult({ result, status }: JsonRecord, id: string): ToolResultBlock | undefined {
  if (result === undefined || result === null) return undefined;
  const blocks = (Array.isArray(result) ? result : [result]).flatMap((part: unknown) => {
    const response = asRecord(asRecord(part)?.functionResponse);
    return response === undefined ? readGeminiParts(part, id) : [readResponse(response, id)];
  });
  const responses = blocks.filter(isToolResult);
  const [first] = responses;
  const isError = status === "error" || responses.some((response) => response.is_error);
  const content: Content =
    blocks.length === 1 && first !== undefined ? (first.content ?? "") : blocks.flatMap(itemsOfResult);
  return { type: "tool_result", tool_use_id: id, content, ...(isError && { is_error: true }) };
}

function itemsOfResult(block: Block): readonly Block[] {
  if (!isToolResult(block)) return [block];
  return typeof block.content === "string" ? textBlocks(block.content) : (block.content ?? []);
}

function readUsage(value: unknown): RequestUsage | undefined {
  if (!isRecord(value)) return undefined;
  const cacheReadTokens = Math.min(asTokens(value.cached), asTokens(value.input));
  return {
    inputTokens: asTokens(value.input) - cacheReadTokens + asTokens(value.tool),
    outputTokens: asTokens(value.output) + asTokens(value.thoughts),
    cacheReadTokens,
    cacheWriteTokens: 0,
  };
}

/** Leaves out repeated results: some files have a result with its call, and again in a message of the user. */
export function withoutRepeatedResults(entries: readonly TranscriptEntry[]): readonly TranscriptEntry[] {
  const answeredIds = new Set<string>();
  return entries.flatMap((entry) => {
    if (entry.type === "compaction" || typeof entry.message.content === "string") return [entry];
    const { content } = entry.message;
    const fresh = content.filter((block) => !isToolResult(block) || !answeredIds.has(block.tool_use_id));
    for (const block of fresh) {
      // A second call with the same id has a result of its own.
      if (isToolUse(block)) answeredIds.delete(block.id);
      else if (isToolResult(block)) answeredIds.add(block.tool_use_id);
    }
    return fresh.length === content.length ? [entry] : [{ ...entry, message: { ...entry.message, content: fresh } }];
  });
}
