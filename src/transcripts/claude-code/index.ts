import { asName, isRecord, type JsonRecord } from "../../core/json/read-json.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import { assembleTranscript } from "../../core/transcript/assemble-transcript.ts";
import type { LinesFormat, TranscriptProblem, TranscriptReader } from "../../core/transcript/transcript.ts";
import { mergeReplies } from "./merge-replies.ts";
import { readPart, type SessionRecord } from "./read-record.ts";
import { selectRecords } from "./select-records.ts";

export { writeClaudeCode } from "./write.ts";

const NAME = "claude-code";

/** Sessions of Claude Code: `~/.claude/projects/<folder>/<session>.jsonl`, and those of its sub-agents. */
export const claudeCodeFormat: LinesFormat = {
  type: "lines",
  name: NAME,
  detect: (records) => records.some((record) => isRecord(record) && isSessionRecord(record)),
  createReader,
};

/** Lines that may come before the first one of the tree. */
const BOOKKEEPING: ReadonlySet<unknown> = new Set([
  "file-history-snapshot",
  "last-prompt",
  "permission-mode",
  "ai-title",
]);

function isSessionRecord(record: JsonRecord): boolean {
  if ("parentUuid" in record) return typeof record.type === "string" && asName(record.uuid) !== undefined;
  if (record.type === "summary") return asName(record.leafUuid) !== undefined;
  if (record.type === "queue-operation") return asName(record.operation) !== undefined;
  return BOOKKEEPING.has(record.type) && (asName(record.sessionId) ?? asName(record.messageId)) !== undefined;
}

function createReader(): TranscriptReader {
  const records = new Map<string, SessionRecord>();
  const problems: TranscriptProblem[] = [];
  let [sessionId, workingDirectory, modelId]: (string | undefined)[] = [];
  // Sub-agents have trees of their own.
  let [lastMainId, lastSideId]: (string | undefined)[] = [];

  const add = (record: JsonRecord, line: number): void => {
    const isSidechain = record.isSidechain === true;
    const previousId = isSidechain ? lastSideId : lastMainId;
    const id = asName(record.uuid) ?? `line-${line}`;
    const { part, problems: partProblems } = readPart(record, id, `line ${line}`);
    for (const problem of partProblems) problems.push(problem);
    const known = records.get(id);
    if (known !== undefined) {
      if (serialize(known.part) === serialize(part)) return;
      problems.push({
        where: `line ${line}`,
        reason: `Line ${known.line} has the same uuid; this one was passed over.`,
      });
      return;
    }
    records.set(id, { id, parentId: parentIdOf(record, previousId), previousId, line, isSidechain, part });
    if (part?.type === "reply") modelId = part.modelId ?? modelId;
    if (isSidechain) lastSideId = id;
    else lastMainId = id;
  };

  return {
    read(record, line) {
      if (!isRecord(record)) {
        problems.push({ where: `line ${line}`, reason: "This is no record." });
        return;
      }
      sessionId = asName(record.sessionId) ?? sessionId;
      workingDirectory ??= asName(record.cwd);
      if (isTreeRecord(record)) add(record, line);
    },
    finish() {
      const selected = selectRecords(records);
      return assembleTranscript(mergeReplies(selected.records), {
        format: NAME,
        problems: [...problems, ...selected.problems],
        sessionId,
        workingDirectory,
        modelId,
      });
    },
  };
}

/** Lines without a uuid are of the tree only where they are conversation: files that were stripped have them. */
function isTreeRecord(record: JsonRecord): boolean {
  return asName(record.uuid) !== undefined || record.type === "user" || record.type === "assistant";
}

function parentIdOf(record: JsonRecord, previousId: string | undefined): string | undefined {
  // A compaction starts a new tree; what it continues may be gone.
  if (record.type === "system" && record.subtype === "compact_boundary") {
    return asName(record.logicalParentUuid) ?? previousId;
  }
  return record.parentUuid === null ? undefined : (asName(record.parentUuid) ?? previousId);
}
