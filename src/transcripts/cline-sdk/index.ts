import { asArray, asName, asRecord, asText, asTokens, fieldAt, isRecord } from "../../core/json/read-json.ts";
import { readAnthropicMessage } from "../../core/transcript/anthropic-messages.ts";
import {
  assembleTranscript,
  type RequestUsage,
  type TranscriptEntry,
} from "../../core/transcript/assemble-transcript.ts";
import type { DocumentFormat, TranscriptProblem } from "../../core/transcript/transcript.ts";

/**
 * Sessions of Cline's SDK: `<session>.messages.json`, and `*.compaction.json`, which holds the context after a compaction in the same form. The
 * `session.json` beside them has no messages. Attached files become text; items of tool results that are no blocks become their JSON; all other
 * fields of messages are kept.
 */
export const clineSdkFormat: DocumentFormat = {
  type: "document",
  name: "cline-sdk",
  detect: (document) => isSession(document) || isHeader(document),
  read(document) {
    const problems: TranscriptProblem[] = isHeader(document)
      ? [
          {
            where: "messages_path",
            reason: `The messages are in another file: pass ${asText(fieldAt(document, "messages_path"))}.`,
          },
        ]
      : [];
    const entries: TranscriptEntry[] = [];
    let modelId: string | undefined;
    for (const [index, value] of asArray(fieldAt(document, "messages")).entries()) {
      const { message, problems: messageProblems } = readAnthropicMessage(withFilesAsText(value), `messages[${index}]`);
      problems.push(...messageProblems);
      if (message === undefined) continue;
      const usage = message.role === "assistant" ? readUsage(value) : undefined;
      entries.push(...readCompaction(value), { type: "message", message, usage });
      modelId = asName(fieldAt(value, "modelInfo", "id")) ?? modelId;
    }
    return assembleTranscript(entries, {
      format: "cline-sdk",
      problems,
      sessionId: asName(fieldAt(document, "sessionId")) ?? asName(fieldAt(document, "session_id")),
      systemPrompt: asText(fieldAt(document, "system_prompt")),
      modelId: modelId ?? asName(fieldAt(document, "model")),
      workingDirectory: asName(fieldAt(document, "cwd")),
    });
  },
};

function isSession(document: unknown): boolean {
  if (!isRecord(document) || asText(document.sessionId) === undefined || !Array.isArray(document.messages))
    return false;
  return asText(document.agent) !== undefined || asText(document.updated_at) !== undefined;
}

/** Whether a document is the `session.json`, which only names the file of the messages. */
function isHeader(document: unknown): boolean {
  return (
    asText(fieldAt(document, "session_id")) !== undefined && asText(fieldAt(document, "messages_path")) !== undefined
  );
}

/** The message with attached files as text blocks, as the model sees them. */
function withFilesAsText(value: unknown): unknown {
  const content = fieldAt(value, "content");
  if (!isRecord(value) || !Array.isArray(content)) return value;
  return { ...value, content: content.map(fileAsText) };
}

function fileAsText(block: unknown): unknown {
  const text = asText(fieldAt(block, "content"));
  if (fieldAt(block, "type") !== "file" || text === undefined) return block;
  return { type: "text", text: `${asText(fieldAt(block, "path")) ?? ""}\n${text}` };
}

/** The compaction that a message is the summary of, by its metadata; an empty list for any other message. */
function readCompaction(value: unknown): readonly TranscriptEntry[] {
  const metadata = asRecord(fieldAt(value, "metadata"));
  if (metadata?.kind !== "compaction" && metadata?.kind !== "compaction_summary") return [];
  const summary = asName(metadata.summary);
  const tokensBefore = asTokens(metadata.tokensBefore);
  return [
    {
      type: "compaction",
      ...(summary !== undefined && { summary }),
      ...(tokensBefore > 0 && { tokensBefore }),
    },
  ];
}

function readUsage(value: unknown): RequestUsage | undefined {
  const metrics = asRecord(fieldAt(value, "metrics"));
  if (metrics === undefined) return undefined;
  const [cacheReadTokens, cacheWriteTokens] = [asTokens(metrics.cacheReadTokens), asTokens(metrics.cacheWriteTokens)];
  const input = asTokens(metrics.inputTokens);
  const cached = cacheReadTokens + cacheWriteTokens;
  // Cline's input count mostly includes cached tokens.
  const inputTokens = input >= cached ? input - cached : input;
  return { inputTokens, outputTokens: asTokens(metrics.outputTokens), cacheReadTokens, cacheWriteTokens };
}
