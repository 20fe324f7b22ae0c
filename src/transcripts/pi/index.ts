import {
  asName,
  asNumber,
  asRecord,
  asTimeMs,
  asTokens,
  isRecord,
  type JsonRecord,
} from "../../core/json/read-json.ts";
import { contentBlocks, isToolResult } from "../../core/message/tool-pairs.ts";
import { assembleTranscript, type TranscriptEntry } from "../../core/transcript/assemble-transcript.ts";
import { type BranchRecord, findBranch } from "../../core/transcript/find-branch.ts";
import type { LinesFormat, TranscriptProblem, TranscriptReader } from "../../core/transcript/transcript.ts";
import { stamped, textBlocks } from "../../core/transcript/transcript-draft.ts";
import { readContent, readMessage } from "./read-message.ts";

const NAME = "pi";

/** Sessions of pi: `~/.pi/agent/sessions/**.jsonl`. Lines of the first versions have no ids. */
export const piFormat: LinesFormat = { type: "lines", name: NAME, detect, createReader };

function detect(records: readonly unknown[]): boolean {
  return records.some((value) => {
    const record = asRecord(value);
    return record?.type === "session" && asName(record.id) !== undefined && "cwd" in record && "timestamp" in record;
  });
}

interface TreeLine extends BranchRecord {
  readonly line: number;
  readonly ts: number | undefined;
  readonly part: SessionPart | undefined;
}

function createReader(): TranscriptReader {
  const records = new Map<string, TreeLine>();
  // The ids by line, header included: a compaction of the first versions names the first line that it kept by this index.
  const ids: string[] = [];
  const problems: TranscriptProblem[] = [];
  let [sessionId, workingDirectory, usedModelId, chosenModelId, lastId]: (string | undefined)[] = [];

  const add = (record: JsonRecord, line: number): void => {
    const id = asName(record.id) ?? `line-${line}`;
    const earlier = records.get(id);
    if (earlier !== undefined) {
      const reason = `Line ${earlier.line} has the same id; this one was passed over.`;
      problems.push({ where: `line ${line}`, reason });
      return;
    }
    const ts = asTimeMs(record.timestamp);
    const previousId = lastId;
    const parentId = record.parentId === null ? undefined : (asName(record.parentId) ?? previousId);
    const part = readPart(record, { id, ts, ids });
    if (part === "broken") problems.push({ where: `line ${line}`, reason: "This message has no known form." });
    records.set(id, { id, parentId, previousId, line, ts, part: part === "broken" ? undefined : part });
    ids.push(id);
    lastId = id;
    usedModelId = asName(asRecord(record.message)?.model) ?? usedModelId;
    if (record.type === "model_change") chosenModelId = asName(record.modelId) ?? chosenModelId;
  };

  return {
    read(record, line) {
      if (!isRecord(record)) {
        problems.push({ where: `line ${line}`, reason: "This is no record." });
      } else if (record.type === "session") {
        sessionId ??= asName(record.id);
        workingDirectory ??= asName(record.cwd);
        chosenModelId = asName(record.modelId) ?? chosenModelId;
        ids.push("");
      } else {
        add(record, line);
      }
    },
    finish() {
      const { lines, problems: branchProblems } = newestBranch(records);
      return assembleTranscript(placeCompactions(lines), {
        format: NAME,
        problems: [...problems, ...branchProblems],
        sessionId,
        workingDirectory,
        modelId: usedModelId ?? chosenModelId,
      });
    },
  };
}

interface PartContext {
  readonly id: string;
  readonly ts: number | undefined;
  /** The ids of all lines so far. */
  readonly ids: readonly string[];
}

function readPart(record: JsonRecord, { id, ts, ids }: PartContext): SessionPart | "broken" | undefined {
  switch (record.type) {
    case "message": {
      const message = asRecord(record.message);
      if (message === undefined) return "broken";
      const entry = readMessage(message, { id, ts: ts ?? asTimeMs(message.timestamp) });
      return entry && { type: "entry", entry };
    }
    case "custom_message":
      return {
        type: "entry",
        entry: { type: "message", message: stamped("user", readContent(record.content), { id, ts }) },
      };
    case "branch_summary": {
      const message = stamped("user", textBlocks(asName(record.summary)), { id, ts });
      return { type: "entry", entry: { type: "message", message } };
    }
    case "compaction": {
      const firstKeptId = asName(record.firstKeptEntryId) ?? ids[asNumber(record.firstKeptEntryIndex) ?? -1];
      const tokensBefore = asTokens(record.tokensBefore) || undefined;
      return { type: "compaction", summary: asName(record.summary), tokensBefore, firstKeptId };
    }
    default:
      return undefined;
  }
}

function newestBranch(records: ReadonlyMap<string, TreeLine>) {
  const all = [...records.values()];
  const leaf = all.at(-1);
  if (leaf === undefined) return { lines: [], problems: [] };
  const { ids, brokenIds } = findBranch(records, leaf.id);
  const branch = new Set(ids);
  const leftOut = all.filter(({ id, part }) => part !== undefined && !branch.has(id));
  const lines = ids.flatMap((id): readonly SessionLine[] => {
    const { part, ts } = records.get(id) ?? {};
    return part === undefined ? [] : [{ id, ts, part }];
  });
  const problems = [
    ...brokenIds.map((id) => ({
      where: `line ${records.get(id)?.line}`,
      reason: "Its parent is not in the file, or leads back to it; it was placed after the line before it.",
    })),
    ...leftOut.slice(0, 1).map(({ line }) => ({
      where: `line ${line}`,
      reason: `${leftOut.length} record(s) of other branches were left out, from here on.`,
    })),
  ];
  return { lines, problems };
}

/** What one line of the file adds to the conversation. */
type SessionPart =
  | { readonly type: "entry"; readonly entry: TranscriptEntry }
  | {
      readonly type: "compaction";
      readonly summary: string | undefined;
      readonly tokensBefore: number | undefined;
      /** The id of the first line that stayed in the context. */
      readonly firstKeptId: string | undefined;
    };

interface SessionLine {
  readonly id: string;
  readonly ts: number | undefined;
  readonly part: SessionPart;
}

/** The entries of a branch. A summary is placed before the first message that was kept, where the model saw it, although its line comes later. */
function placeCompactions(lines: readonly SessionLine[]): readonly TranscriptEntry[] {
  const places = new Map(lines.map(({ id }, index) => [id, index]));
  const starts = pairStarts(lines);
  const summariesAt = new Map<number, TranscriptEntry[]>();
  for (const [index, { id, ts, part }] of lines.entries()) {
    if (part.type !== "compaction") continue;
    const kept = places.get(part.firstKeptId ?? "") ?? index;
    const place = starts[Math.min(kept, index)] ?? index;
    const { summary, tokensBefore } = part;
    const entries = summariesAt.get(place) ?? [];
    summariesAt.set(place, entries);
    entries.push({ type: "compaction", ...(summary && { summary }), ...(tokensBefore && { tokensBefore }) });
    entries.push({ type: "message", message: stamped("user", textBlocks(summary), { id, ts }) });
  }
  return lines.flatMap(({ part }, index) => [
    ...(summariesAt.get(index) ?? []),
    ...(part.type === "entry" ? [part.entry] : []),
  ]);
}

/** For each line, the index of the nearest line at or before it that does not separate a call from its results. */
function pairStarts(lines: readonly SessionLine[]): readonly number[] {
  const starts: number[] = [];
  for (const [index, line] of lines.entries()) starts.push(hasResults(line) ? (starts.at(-1) ?? 0) : index);
  return starts;
}

function hasResults(line: SessionLine): boolean {
  if (line.part.type !== "entry" || line.part.entry.type !== "message") return false;
  return contentBlocks(line.part.entry.message.content).some(isToolResult);
}
