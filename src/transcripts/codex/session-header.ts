import { asName, asRecord, type JsonRecord } from "../../core/json/read-json.ts";
import type { TranscriptFields } from "../../core/transcript/transcript-draft.ts";

/** Gathers what the lines around the conversation say about the session. */
export interface SessionHeader {
  readMeta(payload: JsonRecord): void;
  readTurn(payload: JsonRecord): void;
  fields(): TranscriptFields;
}

export function createSessionHeader(): SessionHeader {
  let [sessionId, systemPrompt, workingDirectory, modelId]: (string | undefined)[] = [];
  return {
    readMeta(payload) {
      // A resumed or forked session names the one that it comes from on a second line.
      sessionId ??= asName(payload.id);
      workingDirectory ??= asName(payload.cwd);
      systemPrompt ??= asName(asRecord(payload.base_instructions)?.text) ?? asName(payload.instructions);
    },
    readTurn(payload) {
      modelId = asName(payload.model) ?? modelId;
      workingDirectory ??= asName(payload.cwd);
    },
    fields: () => ({ sessionId, systemPrompt, workingDirectory, modelId }),
  };
}
