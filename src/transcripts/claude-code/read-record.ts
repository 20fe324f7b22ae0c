import { asArray, asName, asRecord, asText, asTimeMs, asTokens, type JsonRecord } from "../../core/json/read-json.ts";
import type { Block, Content } from "../../core/message/message.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import { readAnthropicContent } from "../../core/transcript/anthropic-messages.ts";
import type { RequestUsage } from "../../core/transcript/assemble-transcript.ts";
import type { BranchRecord } from "../../core/transcript/find-branch.ts";
import type { TranscriptProblem } from "../../core/transcript/transcript.ts";

/** A line of the file: its position in the tree, and the part that it adds to the conversation, if any. */
export interface SessionRecord extends BranchRecord {
  readonly line: number;
  readonly isSidechain: boolean;
  readonly part: Part | undefined;
}

export type Part = ReplyPart | UserPart | BoundaryPart;

/** A part of a reply. One message of the API is written as several lines, which share its id and that of the request. */
export interface ReplyPart {
  readonly type: "reply";
  readonly replyId: string;
  readonly requestId: string | undefined;
  readonly ts: number | undefined;
  readonly blocks: readonly Block[];
  readonly usage: RequestUsage | undefined;
  readonly modelId: string | undefined;
}

export interface UserPart {
  readonly type: "user";
  readonly kind: "said" | "attached" | "summary";
  readonly ts: number | undefined;
  readonly content: Content;
}

/** The agent compacted its context here. */
export interface BoundaryPart {
  readonly type: "boundary";
  readonly tokensBefore: number | undefined;
}

export interface ReadPart {
  readonly part: Part | undefined;
  readonly problems: readonly TranscriptProblem[];
}

/** Reads the part that a line adds to the conversation; a line of bookkeeping has none. */
export function readPart(record: JsonRecord, id: string, where: string): ReadPart {
  switch (record.type) {
    case "assistant":
      return readReply(record, id, where);
    case "user":
      return readUser(record, where);
    case "attachment": {
      const content = attachmentContent(asRecord(record.attachment) ?? {}, where);
      return { part: userPart(record, "attached", content), problems: [] };
    }
    case "system":
      return { part: readSystem(record), problems: [] };
    default:
      return { part: undefined, problems: [] };
  }
}

function readReply(record: JsonRecord, id: string, where: string): ReadPart {
  const message = asRecord(record.message);
  if (message === undefined) return { part: undefined, problems: [{ where, reason: "This reply has no message." }] };
  const { content, problems } = readAnthropicContent(message.content, where);
  const modelId = asName(message.model);
  const part: ReplyPart = {
    type: "reply",
    replyId: asName(message.id) ?? id,
    requestId: asName(record.requestId),
    ts: asTimeMs(record.timestamp),
    blocks: typeof content === "string" ? [{ type: "text", text: content }] : content,
    usage: readUsage(message.usage),
    // Claude Code writes notices of its own as replies of the model "<synthetic>".
    modelId: modelId === "<synthetic>" ? undefined : modelId,
  };
  return { part, problems };
}

function readUsage(value: unknown): RequestUsage | undefined {
  const usage = asRecord(value);
  return (
    usage && {
      inputTokens: asTokens(usage.input_tokens),
      outputTokens: asTokens(usage.output_tokens),
      cacheReadTokens: asTokens(usage.cache_read_input_tokens),
      cacheWriteTokens: asTokens(usage.cache_creation_input_tokens),
    }
  );
}

function readUser(record: JsonRecord, where: string): ReadPart {
  const message = asRecord(record.message);
  if (message === undefined)
    return { part: undefined, problems: [{ where, reason: "This user line has no message." }] };
  const { content, problems } = readAnthropicContent(message.content, where);
  return { part: userPart(record, record.isCompactSummary === true ? "summary" : "said", content), problems };
}

function readSystem(record: JsonRecord): Part | undefined {
  if (record.subtype === "local_command") return userPart(record, "attached", asText(record.content) ?? "");
  if (record.subtype !== "compact_boundary") return undefined;
  const tokensBefore = asTokens(asRecord(record.compactMetadata)?.preTokens);
  return { type: "boundary", tokensBefore: tokensBefore > 0 ? tokensBefore : undefined };
}

function userPart(record: JsonRecord, kind: UserPart["kind"], content: Content): UserPart | undefined {
  return content.length === 0 ? undefined : { type: "user", kind, ts: asTimeMs(record.timestamp), content };
}

/** Types of attachments that the model never sees: they are for the person at the terminal, or for the program itself. */
const UNSEEN_TYPES: ReadonlySet<string> = new Set([
  "async_hook_response",
  "command_permissions",
  "hook_cancelled",
  "hook_error_during_execution",
  "hook_non_blocking_error",
  "hook_system_message",
]);

/** The content of an attachment as the model saw it; empty if the model did not see it. */
function attachmentContent(attachment: JsonRecord, where: string): Content {
  if (UNSEEN_TYPES.has(asText(attachment.type) ?? "")) return "";
  // A prompt that was typed while the agent worked; it may hold images.
  if (Array.isArray(attachment.prompt)) return readAnthropicContent(attachment.prompt, where).content;
  const { prompt, content, snippet, addedBlocks, addedLines } = attachment;
  const body = [prompt, content, snippet, addedBlocks, addedLines].map(textOf).find((text) => text !== "") ?? "";
  const name = asName(attachment.filename) ?? asName(attachment.path);
  return body === "" || name === undefined ? body : `${name}\n${body}`;
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return asArray(value).map(itemText).filter(Boolean).join("\n");
  // The text of a file is one or two levels down.
  const record = asRecord(value);
  return asText(record?.content) ?? asText(asRecord(record?.file)?.content) ?? "";
}

function itemText(item: unknown): string {
  return typeof item === "string" ? item : item === undefined || item === null ? "" : serialize(item);
}
