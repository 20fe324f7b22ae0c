import { asArray, asName, asRecord, asText, asTokens, fieldAt, isRecord } from "../../core/json/read-json.ts";
import { readAnthropicMessage } from "../../core/transcript/anthropic-messages.ts";
import {
  assembleTranscript,
  type RequestUsage,
  type TranscriptEntry,
} from "../../core/transcript/assemble-transcript.ts";
import type { DocumentFormat, TranscriptProblem } from "../../core/transcript/transcript.ts";

/**
 * Sessions of Cline's SDK: `<session>.messages.json`, and `*.compaction.json`, which is the context after a compaction in the
 * same form; `session.json` beside them has no messages. Attached files become text, and items of tool
 * results that are no blocks their JSON; all other fields of messages stay.
 */
export const clineSdkFormat: DocumentFormat = {
  type: "document",
  name: "cline-sdk",
  detect: (document) => isSession(document) || isHeader(document),
  read(document) {
    const problems: TranscriptProblem[] = isHeader(document)
      ? [{ where: "messages_path", reason: "The messages are in another file, which this one names." }]
      : [];
    const entries: TranscriptEntry[] = [];
    let modelId: string | undefined;
    for (const [index, value] of asArray(fieldAt(document, "messages")).entries()) {
      const { message, problems: found } = readAnthropicMessage(withFilesAsText(value), `messages[${index}]`);
      problems.push(...found);
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

/** `session.json`, which lies beside the messages. */
function isHeader(document: unknown): boolean {
  return (
    asText(fieldAt(document, "session_id")) !== undefined && asText(fieldAt(document, "messages_path")) !== undefined
  );
}

/** A file that was attached is text to the model. */
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

/** The summary that a compaction left is marked on the message that carries it. */
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
  // What was cached is part of the input here.
  const inputTokens = input >= cached ? input - cached : input;
  return { inputTokens, outputTokens: asTokens(metrics.outputTokens), cacheReadTokens, cacheWriteTokens };
}
