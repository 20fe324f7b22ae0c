import type { Message } from "../../core/message/message.ts";
import { contentBlocks } from "../../core/message/tool-pairs.ts";
import { writeAnthropicBlock } from "../../core/transcript/anthropic-messages.ts";
import type { Transcript, TranscriptCompaction, TranscriptUsage } from "../../core/transcript/transcript.ts";

/**
 * Writes a transcript as the lines of a Claude Code session, one message per line. Our tags and folds are not written: pass a view to write what
 * is visible.
 * @example
 * ```ts
 * import { readTranscript, writeClaudeCode } from "palimpsest/transcripts";
 * const bytes = async function* () { yield Buffer.from('[{ "role": "user", "content": "Why?" }]'); };
 * console.log(writeClaudeCode(await readTranscript(bytes())).length); // 1
 * ```
 */
export function writeClaudeCode(transcript: Transcript): readonly string[] {
  const usages = new Map(transcript.usages.map((usage) => [usage.messageIndex, usage]));
  const lines: string[] = [];
  let parentUuid: string | null = null;
  // Claude Code orders lines by time: a message without one takes the time of the message before.
  let ts = 0;
  const write = (uuid: string, fields: object): void => {
    lines.push(JSON.stringify({ ...envelope(transcript), parentUuid, uuid, timestamp: isoTime(ts), ...fields }));
    parentUuid = uuid;
  };

  for (let index = 0; index <= transcript.messages.length; index++) {
    const message = transcript.messages[index];
    ts = message?.ts ?? ts;
    const boundaries = compactionsAt(transcript, index);
    for (const [place, compaction] of boundaries.entries()) {
      write(`compaction-${index}-${place}`, boundaryFields(compaction, parentUuid));
    }
    if (message === undefined) break;
    const hasSummary = boundaries.at(-1)?.summary !== undefined && message.role === "user";
    const fields =
      message.role === "user"
        ? { ...userFields(message), ...(hasSummary && { isCompactSummary: true }) }
        : replyFields(message, { index, modelId: transcript.modelId, usage: usages.get(index) });
    write(message.id ?? `message-${index}`, fields);
  }
  return lines;
}

function compactionsAt({ compactions }: Transcript, index: number): readonly TranscriptCompaction[] {
  return compactions.filter(({ messageIndex }) => messageIndex === index);
}

function envelope({ sessionId, workingDirectory }: Transcript): object {
  return { isSidechain: false, userType: "external", cwd: workingDirectory, sessionId };
}

/** The time in ISO form; that of the epoch if a date cannot hold it. */
function isoTime(ts: number): string {
  return new Date(Math.abs(ts) <= 8.64e15 ? ts : 0).toISOString();
}

function boundaryFields({ tokensBefore }: TranscriptCompaction, logicalParentUuid: string | null): object {
  return {
    parentUuid: null,
    logicalParentUuid,
    type: "system",
    subtype: "compact_boundary",
    content: "Conversation compacted",
    compactMetadata: { trigger: "auto", preTokens: tokensBefore },
  };
}

function userFields({ content }: Message): object {
  const blocks = typeof content === "string" ? content : content.map(writeAnthropicBlock);
  return { type: "user", message: { role: "user", content: blocks } };
}

interface ReplyContext {
  readonly index: number;
  readonly modelId: string | undefined;
  readonly usage: TranscriptUsage | undefined;
}

function replyFields({ id, content }: Message, { index, modelId, usage }: ReplyContext): object {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : contentBlocks(content);
  return {
    type: "assistant",
    message: {
      id: id ?? `message-${index}`,
      type: "message",
      role: "assistant",
      model: modelId,
      content: blocks.map(writeAnthropicBlock),
      stop_reason: null,
      stop_sequence: null,
      usage: {
        input_tokens: usage?.inputTokens ?? 0,
        cache_creation_input_tokens: usage?.cacheWriteTokens ?? 0,
        cache_read_input_tokens: usage?.cacheReadTokens ?? 0,
        output_tokens: usage?.outputTokens ?? 0,
      },
    },
  };
}
