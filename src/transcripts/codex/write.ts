import { tryParseJson } from "../../core/json/parse-json.ts";
import { asName, asRecord, type JsonRecord } from "../../core/json/read-json.ts";
import {
  type Block,
  type Content,
  isKnownBlock,
  type KnownBlock,
  type Message,
  type ToolResultBlock,
} from "../../core/message/message.ts";
import { contentBlocks, isToolResult, isToolUse } from "../../core/message/tool-pairs.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import { imageToUrl } from "../../core/transcript/data-url.ts";
import type { Transcript, TranscriptUsage } from "../../core/transcript/transcript.ts";

/**
 * Writes a transcript as the lines of a Codex session. Our tags and folds are not written: pass a view to write what is visible. Each line has the
 * id of its message in `message_id`, which Codex ignores and by which our reader joins the items of a message again.
 * @example
 * ```ts
 * import { readTranscript, writeCodex } from "palimpsest/transcripts";
 * const bytes = async function* () { yield Buffer.from('[{ "role": "user", "content": "Why?" }]'); };
 * console.log(writeCodex(await readTranscript(bytes())).length); // 4
 * ```
 */
export function writeCodex(transcript: Transcript): readonly string[] {
  const usages = new Map(transcript.usages.map((usage) => [usage.messageIndex, usage]));
  const itemTypes = new Map(transcript.messages.flatMap(({ content }) => contentBlocks(content).flatMap(callType)));
  const lines: string[] = [];
  let ts = transcript.messages[0]?.ts ?? 0;
  const write = (type: string, payload: object, fields: object = {}): void => {
    lines.push(JSON.stringify({ timestamp: isoTime(ts), type, payload, ...fields }));
  };

  write("session_meta", headerOf(transcript, isoTime(ts)));
  write("turn_context", { cwd: transcript.workingDirectory, model: transcript.modelId });
  const totals = { input_tokens: 0, cached_input_tokens: 0, output_tokens: 0, total_tokens: 0 };
  for (let index = 0; index <= transcript.messages.length; index++) {
    const message = transcript.messages[index];
    ts = message?.ts ?? ts;
    for (const { messageIndex, summary } of transcript.compactions) {
      if (messageIndex === index) write("compacted", { message: summary ?? "", replacement_history: [] });
    }
    if (message === undefined) break;
    const message_id = message.id ?? `message-${index}`;
    for (const item of itemsOf(message, itemTypes)) write("response_item", item, { message_id });
    const typed = typedText(message);
    if (typed !== undefined) write("event_msg", { type: "user_message", message: typed, images: [] });
    const usage = usages.get(index);
    if (usage !== undefined) write("event_msg", tokenCount(usage, totals));
  }
  return lines;
}

/** The time in ISO form; that of the epoch if a date cannot hold it. */
function isoTime(ts: number): string {
  return new Date(Math.abs(ts) <= 8.64e15 ? ts : 0).toISOString();
}

function headerOf({ sessionId, workingDirectory, systemPrompt }: Transcript, timestamp: string): object {
  return {
    id: sessionId,
    timestamp,
    cwd: workingDirectory,
    originator: "palimpsest",
    cli_version: "0.0.0",
    ...(systemPrompt !== undefined && { base_instructions: { text: systemPrompt } }),
  };
}

/** The id and the item type of a call that has one; the type of a result's item depends on it. */
function callType(block: Block): readonly (readonly [string, string])[] {
  const type = asName(asRecord(block)?.item_type);
  return isToolUse(block) && type !== undefined ? [[block.id, type]] : [];
}

function itemsOf(message: Message, itemTypes: ReadonlyMap<string, string>): readonly object[] {
  const { content, role } = message;
  const blocks: readonly Block[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const items: JsonRecord[] = [];
  const sourceRole = asName(asRecord({ ...message })?.sourceRole) ?? role;
  let parts: object[] | undefined;
  for (const block of blocks) {
    const written = writeBlock(block, { role: sourceRole, itemTypes });
    if (written.type === "item") {
      items.push(written.item);
      parts = undefined;
    } else if (parts === undefined || role === "assistant") {
      parts = [written.part];
      items.push({ type: "message", role: sourceRole, content: parts, ...written.fields });
    } else {
      parts.push(written.part);
    }
  }
  return items;
}

/** The beginning of context that Codex itself adds to the conversation. */
const ADDED_CONTEXT = /^\s*(<|# AGENTS\.md instructions)/;

/** The text that the person typed, which Codex shows in its list of sessions; undefined for other messages. */
function typedText(message: Message): string | undefined {
  if (message.role !== "user" || "sourceRole" in message || contentBlocks(message.content).some(isToolResult))
    return undefined;
  const { content } = message;
  const text = typeof content === "string" ? content : content.map((block) => textOf(block)).join("\n");
  return text === "" || ADDED_CONTEXT.test(text) ? undefined : text;
}

function textOf(block: Block): string {
  return isKnownBlock(block) && block.type === "text" ? block.text : "";
}

type Totals = Record<"input_tokens" | "cached_input_tokens" | "output_tokens" | "total_tokens", number>;

function tokenCount(usage: TranscriptUsage, totals: Totals): object {
  const prompt = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  const last = {
    input_tokens: prompt,
    cached_input_tokens: usage.cacheReadTokens,
    output_tokens: usage.outputTokens,
    total_tokens: prompt + usage.outputTokens,
  };
  totals.input_tokens += last.input_tokens;
  totals.cached_input_tokens += last.cached_input_tokens;
  totals.output_tokens += last.output_tokens;
  totals.total_tokens += last.total_tokens;
  return { type: "token_count", info: { total_token_usage: { ...totals }, last_token_usage: last } };
}

/** A block that was written: as an item of its own, or as a part of a message. */
type WrittenBlock =
  | { readonly type: "item"; readonly item: JsonRecord }
  | { readonly type: "part"; readonly part: object; readonly fields: JsonRecord };

interface WriteContext {
  readonly role: string;
  /** The item types of calls by their ids; a call without one is a function's. */
  readonly itemTypes: ReadonlyMap<string, string>;
}

/** The reverse of reading an item. */
function writeBlock(block: Block, context: WriteContext): WrittenBlock {
  const fields: JsonRecord = { ...block };
  return isKnownBlock(block) ? writeKnown(block, fields, context) : { type: "item", item: fields };
}

function writeKnown(block: KnownBlock, fields: JsonRecord, { role, itemTypes }: WriteContext): WrittenBlock {
  switch (block.type) {
    case "text": {
      const { type: _, text, item_id, ...rest } = fields;
      const part = { type: role === "assistant" ? "output_text" : "input_text", text };
      return { type: "part", part, fields: { ...rest, ...(item_id !== undefined && { id: item_id }) } };
    }
    case "image":
      return { type: "part", part: { type: "input_image", image_url: imageToUrl(block) }, fields: {} };
    case "reasoning": {
      const { text, summary, ...rest } = fields;
      const written = summary ?? (text === "" ? [] : [{ type: "summary_text", text }]);
      return { type: "item", item: { ...rest, summary: written } };
    }
    case "tool_use":
      return { type: "item", item: writeCall(fields) };
    case "tool_result":
      return { type: "item", item: writeResult(block, itemTypes.get(block.tool_use_id)) };
  }
}

function writeResult({ tool_use_id: call_id, content }: ToolResultBlock, callType: string | undefined): JsonRecord {
  if (callType === "tool_search_call") {
    return {
      type: "tool_search_output",
      call_id,
      tools: typeof content === "string" ? (tryParseJson(content) ?? []) : [],
    };
  }
  const type = callType === "custom_tool_call" ? "custom_tool_call_output" : "function_call_output";
  return { type, call_id, output: writeOutput(content) };
}

function writeCall({ type: _, id, name, input, item_type, item_id, ...rest }: JsonRecord): JsonRecord {
  const type = asName(item_type) ?? "function_call";
  const call = { ...rest, type, ...(item_id !== undefined && { id: item_id }), call_id: id, name };
  switch (type) {
    case "function_call":
      return { ...call, arguments: typeof input === "string" ? input : serialize(input) };
    case "custom_tool_call":
      return { ...call, input };
    case "local_shell_call":
      return { ...call, action: input };
    default:
      return { ...call, arguments: input };
  }
}

function writeOutput(content: Content | undefined): unknown {
  if (content === undefined || typeof content === "string") return content ?? "";
  return content.map((block) => {
    if (!isKnownBlock(block)) return block;
    if (block.type === "image") return { type: "input_image", image_url: imageToUrl(block) };
    return { type: "input_text", text: block.type === "text" ? block.text : serialize(block) };
  });
}
