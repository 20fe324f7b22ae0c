import { asArray, asName, asNumber, asRecord, asText, fieldAt, isRecord } from "../../core/json/read-json.ts";
import { assembleTranscript, type TranscriptEntry } from "../../core/transcript/assemble-transcript.ts";
import { readOpenAiMessages, readOpenAiUsage } from "../../core/transcript/openai-messages.ts";
import type { DocumentFormat } from "../../core/transcript/transcript.ts";

/**
 * mini-swe-agent's trajectories (`.traj.json`): only text, with actions in code fences and outputs as user messages. Reasoning, usage, time and id
 * come from the provider's raw response. The oldest form is a bare list of messages: see the openai format.
 */
export const miniSweAgentFormat: DocumentFormat = {
  type: "document",
  name: "mini-swe-agent",
  detect(document) {
    if (!isRecord(document)) return false;
    const name = asText(document.trajectory_format);
    if (name !== undefined) return name.startsWith("mini-swe-agent");
    return asText(fieldAt(document, "info", "mini_version")) !== undefined;
  },
  read(document) {
    const records = asArray(fieldAt(document, "messages"));
    const responses = records.map((record) => fieldAt(record, "extra", "response"));
    const replies = records.map((record, index) => withReply(record, responses[index]));
    const { entries, problems, systemPrompt } = readOpenAiMessages(replies, "messages");
    return assembleTranscript(
      entries.map(({ message, recordIndex }): TranscriptEntry => {
        const isReply = message.role === "assistant";
        const usage = isReply ? readOpenAiUsage(fieldAt(responses[recordIndex], "usage")) : undefined;
        return { type: "message", message, usage };
      }),
      {
        format: "mini-swe-agent",
        problems,
        systemPrompt,
        sessionId: asName(fieldAt(document, "instance_id")),
        modelId:
          asName(fieldAt(document, "info", "config", "model", "model_name")) ??
          asName(fieldAt(responses.find(isRecord), "model")),
        workingDirectory: asName(fieldAt(document, "info", "config", "environment", "cwd")),
      },
    );
  },
};

/** The message with the id, time and reasoning of the provider's response. */
function withReply(record: unknown, response: unknown): unknown {
  const message = asRecord(record);
  const reply = asRecord(fieldAt(response, "choices", 0, "message"));
  if (message === undefined || response === undefined) return record;
  const created = asNumber(fieldAt(response, "created"));
  return {
    ...message,
    id: asName(fieldAt(response, "id")),
    ts: created === undefined ? undefined : created * 1_000,
    reasoning: reply?.reasoning_content ?? reply?.reasoning,
    reasoning_details: reply?.reasoning_details,
  };
}
