import { asArray, asName, asText, fieldAt, isRecord } from "../../core/json/read-json.ts";
import { assembleTranscript } from "../../core/transcript/assemble-transcript.ts";
import { readGeminiRecord, withoutRepeatedResults } from "../../core/transcript/gemini-records.ts";
import type { DocumentFormat } from "../../core/transcript/transcript.ts";

/**
 * The Gemini CLI's session files up to early 2026: one document. A record holds calls and their results; here the results become the user message
 * after it. Left out: notices, and what the person was shown in place of the content (displayContent, resultDisplay).
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

/** Whether a path leads to what only the person was shown: it is large, and the model never sees it. */
function isUnseen([, , field, , callField]: readonly (string | number)[]): boolean {
  return field === "displayContent" || (field === "toolCalls" && callField === "resultDisplay");
}
