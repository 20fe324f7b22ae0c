import { asArray, asName, asText, isRecord, type JsonRecord } from "../../core/json/read-json.ts";
import { assembleTranscript } from "../../core/transcript/assemble-transcript.ts";
import { withoutRepeatedResults } from "../../core/transcript/gemini-records.ts";
import type { LinesFormat, TranscriptProblem, TranscriptReader } from "../../core/transcript/transcript.ts";
import { createRecordLog } from "./record-log.ts";

/**
 * The Gemini CLI's session files since 2026: a header, then records that are written again whenever they change, patches of
 * the header, rewinds, and whole new histories after a compression. What was rewound is left out; what was compressed is not.
 */
export const geminiCliJsonlFormat: LinesFormat = {
  type: "lines",
  name: "gemini-cli-jsonl",
  detect: ([header]) =>
    isRecord(header) &&
    asText(header.sessionId) !== undefined &&
    asText(header.projectHash) !== undefined &&
    // With messages in it, it is a document on one line.
    asArray(header.messages).length === 0,
  createReader,
};

function createReader(): TranscriptReader {
  const problems: TranscriptProblem[] = [];
  const addProblem = (where: string, reason: string) => void problems.push({ where, reason });
  const log = createRecordLog(addProblem);
  let header: JsonRecord = {};

  return {
    read(record, line) {
      const where = `line ${line}`;
      if (!isRecord(record)) return addProblem(where, "This is no record.");
      const { $set: patch, $rewindTo: target } = record;
      if (typeof target === "string") return log.rewind(target, where);
      if (asName(record.id) !== undefined) return log.put(record, where);
      const { messages, ...fields } = isRecord(patch) ? patch : record;
      header = { ...header, ...fields };
      if (Array.isArray(messages)) log.replace(messages, where);
    },
    finish() {
      const records = log.records();
      return assembleTranscript(withoutRepeatedResults(records.flatMap(({ entries }) => entries)), {
        format: "gemini-cli-jsonl",
        problems: [...problems, ...records.flatMap((record) => record.problems)],
        sessionId: asName(header.sessionId),
        modelId: records.findLast(({ modelId }) => modelId !== undefined)?.modelId,
        workingDirectory: asName(asArray(header.directories)[0]),
      });
    },
  };
}
