import { tryParseJson } from "../../core/json/parse-json.ts";
import {
  asArray,
  asNumber,
  asRecord,
  asText,
  asTimeMs,
  asTokens,
  isRecord,
  type JsonRecord,
} from "../../core/json/read-json.ts";
import type { Block, Message } from "../../core/message/message.ts";
import { readAnthropicMessage } from "../../core/transcript/anthropic-messages.ts";
import {
  assembleTranscript,
  type RequestUsage,
  type TranscriptEntry,
} from "../../core/transcript/assemble-transcript.ts";
import { imageFromUrl } from "../../core/transcript/data-url.ts";
import type { DocumentFormat, TranscriptProblem } from "../../core/transcript/transcript.ts";
import { stamped, textBlocks } from "../../core/transcript/transcript-draft.ts";

export { writeRoo } from "./write.ts";

/**
 * The messages that Roo Code and classic Cline send to the model: `api_conversation_history.json`, a list of Anthropic messages. Roo's tags for
 * condensing and truncating are the same as ours, so that what Roo had hidden stays hidden. All other fields are kept.
 */
export const rooFormat: DocumentFormat = {
  type: "document",
  name: "roo",
  detect: (document) => Array.isArray(document) && isMessage(document[0]) && document.some(isTagged),
  read(document) {
    const reads = asArray(document).map((value, index) => readAnthropicMessage(value, `[${index}]`));
    return assembleTranscript(
      reads.flatMap(({ message }) => (message === undefined ? [] : entriesOf(message))),
      { format: "roo", problems: reads.flatMap(({ problems }) => problems) },
    );
  },
};

function isMessage(value: unknown): boolean {
  return isRecord(value) && (value.role === "user" || value.role === "assistant") && value.tool_calls === undefined;
}

const TAGS = ["isSummary", "condenseId", "condenseParent", "isTruncationMarker", "truncationId", "truncationParent"];

function isTagged(value: unknown): boolean {
  return isRecord(value) && (asNumber(value.ts) !== undefined || TAGS.some((tag) => value[tag] !== undefined));
}

function entriesOf(message: Message): readonly TranscriptEntry[] {
  const entry: TranscriptEntry = { type: "message", message };
  return message.isSummary === true ? [{ type: "compaction", summary: textOf(message) }, entry] : [entry];
}

function textOf({ content }: Message): string {
  if (typeof content === "string") return content;
  return content.flatMap((block) => (block.type === "text" && "text" in block ? [String(block.text)] : [])).join("\n");
}

/**
 * The messages that Roo Code and classic Cline show to the person: `ui_messages.json`. They hold what was said, the requests' usage and the
 * compactions, but not the results that tools returned to the model. Read `api_conversation_history.json` if it exists.
 */
export const rooUiFormat: DocumentFormat = {
  type: "document",
  name: "roo-ui",
  detect: (document) => Array.isArray(document) && isEvent(document[0]),
  read(document) {
    const problems: TranscriptProblem[] = [];
    const entries: TranscriptEntry[] = [];
    let usage: RequestUsage | undefined;
    for (const [index, value] of asArray(document).entries()) {
      if (!isEvent(value)) {
        problems.push({ where: `[${index}]`, reason: "This is no message of the interface." });
        continue;
      }
      if (value.say === "api_req_started") usage = readUsage(value) ?? usage;
      const entry = value.partial === true ? undefined : readEvent(value, entries.length === 0);
      if (entry === undefined) continue;
      const isReply = entry.type === "message" && entry.message.role === "assistant";
      entries.push(isReply ? { ...entry, usage } : entry);
      // Usage is of a request: of several messages of one reply, the first gets it.
      if (isReply) usage = undefined;
    }
    return assembleTranscript(entries, { format: "roo-ui", problems });
  },
};

function isEvent(value: unknown): value is JsonRecord {
  return isRecord(value) && (value.type === "say" || value.type === "ask") && asNumber(value.ts) !== undefined;
}

const USER_KINDS: ReadonlySet<unknown> = new Set(["user_feedback", "user_feedback_diff", "task", "command_output"]);
const REPLY_KINDS: ReadonlySet<unknown> = new Set(["text", "tool", "command", "followup", "completion_result"]);

function readEvent(event: JsonRecord, isFirst: boolean): TranscriptEntry | undefined {
  const kind = event.say ?? event.ask;
  if (kind === "condense_context") return readCondensing(asRecord(event.contextCondense));
  if (kind === "sliding_window_truncation") return readCondensing(asRecord(event.contextTruncation));
  const stamp = { ts: asTimeMs(event.ts) };
  const text = asText(event.text);
  if (kind === "reasoning") {
    return { type: "message", message: stamped("assistant", text ? [{ type: "reasoning", text }] : [], stamp) };
  }
  // The first text is the task.
  const isUser = USER_KINDS.has(kind) || (kind === "text" && isFirst);
  if (!isUser && !REPLY_KINDS.has(kind)) return undefined;
  const content: readonly Block[] = [...textBlocks(text), ...asArray(event.images).flatMap(readImage)];
  return { type: "message", message: stamped(isUser ? "user" : "assistant", content, stamp) };
}

function readImage(value: unknown): readonly Block[] {
  return typeof value === "string" ? [imageFromUrl(value)] : [];
}

function readCondensing(event: JsonRecord | undefined): TranscriptEntry {
  const summary = asText(event?.summary);
  const tokensBefore = asTokens(event?.prevContextTokens);
  return {
    type: "compaction",
    ...(summary !== undefined && { summary }),
    ...(tokensBefore > 0 && { tokensBefore }),
  };
}

/** The usage in an event, whose text is JSON; undefined until the request has ended. */
function readUsage(event: JsonRecord): RequestUsage | undefined {
  const request = asRecord(tryParseJson(asText(event.text) ?? ""));
  if (asNumber(request?.tokensIn) === undefined) return undefined;
  return {
    inputTokens: asTokens(request?.tokensIn),
    outputTokens: asTokens(request?.tokensOut),
    cacheReadTokens: asTokens(request?.cacheReads),
    cacheWriteTokens: asTokens(request?.cacheWrites),
  };
}
