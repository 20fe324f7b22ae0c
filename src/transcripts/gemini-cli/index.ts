import { asArray, asName, asText, fieldAt, isRecord } from "../../core/json/read-json.ts";
import { assembleTranscript } from "../../core/transcript/assemble-transcript.ts";
import { readGeminiRecord, withoutRepeatedResults } from "../../core/transcript/gemini-records.ts";
import type { DocumentFormat } from "../../core/transcript/transcript.ts";

/**
 * The Gemini CLI's session files up to early 2026: one document. Calls and results lie in one record; here the results are the
 * user message after it. Not carried: what the person was shown instead (displayContent, resultDisplay), notices.
 */
export const geminiCliFormat: DocumentFormat = {
  type: "document",
  name: "gemini-cli",
  detect: (document) =>
    isRecord(document) && asText(document.sessionId) !== undefined && asText(document.projectHash) !== undefined,
  needs: (path) => !isUnseen(path),
  read(document) {
    const values = asArray(fieldAt(document, "messages"));
    const records = values.map((record, index) => readGeminiRecord(record, `messages[${index}]`));
    return assembleTranscript(withoutRepeatedResults(records.flatMap(({ entries }) => entries)), {
      format: "gemini-cli",
      problems: records.flatMap(({ problems }) => problems),
      sessionId: asName(fieldAt(document, "sessionId")),
      modelId: records.findLast((record) => record.modelId !== undefined)?.modelId,
      workingDirectory: asName(fieldAt(document, "directories", 0)),
    });
  },
};

/** What the person was shown: large, and never seen by the model. */
function isUnseen([, , field, , callField]: readonly (string | number)[]): boolean {
  return field === "displayContent" || (field === "toolCalls" && callField === "resultDisplay");
}
