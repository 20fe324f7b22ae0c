import { tryParseJson } from "../../core/json/parse-json.ts";
import { asArray, asName, asRecord, fieldAt, isRecord } from "../../core/json/read-json.ts";
import { assembleTranscript } from "../../core/transcript/assemble-transcript.ts";
import { readOpenAiMessages } from "../../core/transcript/openai-messages.ts";
import type { DocumentFormat } from "../../core/transcript/transcript.ts";

/**
 * SWE-agent's trajectories (`.traj`). The `history` is the conversation; the `trajectory` repeats the whole prompt in each step, and is only read
 * for the working directory. Before version 1 there are no calls, only text. Not kept: thought and action, which the text holds already. Messages
 * have no ids and no times.
 */
export const sweAgentFormat: DocumentFormat = {
  type: "document",
  name: "swe-agent",
  detect(document) {
    if (!isRecord(document)) return false;
    const [step] = asArray(document.trajectory);
    if (isRecord(step)) return "action" in step || "observation" in step || "response" in step;
    return Array.isArray(document.trajectory) && (Array.isArray(document.history) || "environment" in document);
  },
  needs: ([field, , stepField]) => field !== "info" && (field !== "trajectory" || STEP_FIELDS.has(stepField)),
  read(document) {
    const records = asArray(fieldAt(document, "history")).map(withCallId);
    const { entries, problems, systemPrompt } = readOpenAiMessages(records, "history");
    const config = readObject(fieldAt(document, "replay_config"));
    return assembleTranscript(
      entries.map(({ message }) => ({ type: "message", message })),
      {
        format: "swe-agent",
        problems,
        systemPrompt,
        sessionId: asName(fieldAt(config, "problem_statement", "id")),
        modelId: asName(fieldAt(config, "agent", "model", "name")),
        workingDirectory: readFolder(document),
      },
    );
  },
};

// The other fields of a step repeat the prompt.
const STEP_FIELDS: ReadonlySet<unknown> = new Set([undefined, "action", "state"]);

/** The record with the id of the call that it answers, which SWE-agent writes as a list. */
function withCallId(value: unknown): unknown {
  const record = asRecord(value);
  const [id] = asArray(record?.tool_call_ids);
  return record === undefined || id === undefined ? value : { ...record, tool_call_id: id };
}

/** The value of a field that some versions write as an object and some as its JSON. */
function readObject(value: unknown): unknown {
  return typeof value === "string" ? tryParseJson(value) : value;
}

function readFolder(document: unknown): string | undefined {
  const [step] = asArray(fieldAt(document, "trajectory"));
  return asName(fieldAt(readObject(fieldAt(step, "state")), "working_dir"));
}
