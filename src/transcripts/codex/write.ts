import { asName, asRecord, type JsonRecord } from "../../core/json/read-json.ts";
import { type Block, isKnownBlock, type Message } from "../../core/message/message.ts";
import { contentBlocks, isToolResult, isToolUse } from "../../core/message/tool-pairs.ts";
import type { Transcript, TranscriptUsage } from "../../core/transcript/transcript.ts";
import { writeBlock } from "./write-block.ts";

/**
 * The lines of a Codex session that says what the transcript says. Tags and folds of ours are not written: pass a view to write
 * what is visible. Each line names its message in `message_id`, which Codex ignores and our reader puts together again.
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

/** The type of the item that a call was; results of custom tools are items of their own type. */
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

/** What the session list shows. Context that the program adds begins like this. */
const ADDED_CONTEXT = /^\s*(<|# AGENTS\.md instructions)/;

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
