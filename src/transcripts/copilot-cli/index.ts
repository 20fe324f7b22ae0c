import { asName, asRecord, asText, asTimeMs, isRecord, type JsonRecord } from "../../core/json/read-json.ts";
import { assembleTranscript, type TranscriptEntry } from "../../core/transcript/assemble-transcript.ts";
import type { LinesFormat, TranscriptProblem, TranscriptReader } from "../../core/transcript/transcript.ts";
import { readEvent } from "./read-event.ts";

const NAME = "copilot-cli";

/** Sessions of the GitHub Copilot CLI: `~/.copilot/session-state/<session>/events.jsonl`. */
export const copilotCliFormat: LinesFormat = {
  type: "lines",
  name: NAME,
  detect: (records) => records.some((record) => isRecord(record) && isEvent(record)),
  createReader,
};

const EVENT_TYPE = /^(session|system|user|assistant|tool|hook|subagent|skill|permission)\.[a-z_]+$/;

function isEvent(record: JsonRecord): boolean {
  return isRecord(record.data) && EVENT_TYPE.test(asText(record.type) ?? "") && "parentId" in record;
}

function createReader(): TranscriptReader {
  const entries: TranscriptEntry[] = [];
  const problems: TranscriptProblem[] = [];
  const seenIds = new Set<string>();
  const subAgent = { firstLine: 0, count: 0 };
  let [sessionId, systemPrompt, workingDirectory, modelId]: (string | undefined)[] = [];

  const readSession = (type: string, data: JsonRecord): void => {
    if (type === "system.message") systemPrompt = asName(data.content) ?? systemPrompt;
    if (type === "session.start" || type === "session.resume") {
      sessionId ??= asName(data.sessionId);
      workingDirectory ??= asName(asRecord(data.context)?.cwd);
      modelId = asName(data.selectedModel) ?? modelId;
    }
    if (type === "session.model_change") modelId = asName(data.newModel) ?? modelId;
    if (type === "assistant.message") modelId = asName(data.model) ?? modelId;
  };

  return {
    read(record, line) {
      const data = asRecord(asRecord(record)?.data);
      const type = asName(asRecord(record)?.type);
      if (!isRecord(record) || data === undefined || type === undefined) {
        problems.push({ where: `line ${line}`, reason: "This is no event." });
        return;
      }
      const id = asName(record.id) ?? `line-${line}`;
      if (seenIds.has(id)) {
        problems.push({
          where: `line ${line}`,
          reason: `An event before it has the id ${id}; this one was passed over.`,
        });
        return;
      }
      seenIds.add(id);
      const added = readEvent(type, data, { id, ts: asTimeMs(record.timestamp) });
      // A call that the event belongs to: it was said to, or by, the sub-agent that the call started.
      if (asName(data.parentToolCallId) !== undefined) {
        if (added.length > 0 && subAgent.count++ === 0) subAgent.firstLine = line;
        return;
      }
      readSession(type, data);
      for (const entry of added) entries.push(entry);
    },
    finish: () =>
      assembleTranscript(entries, {
        format: NAME,
        problems: [...problems, ...subAgentNote(subAgent)],
        sessionId,
        systemPrompt,
        modelId,
        workingDirectory,
      }),
  };
}

function subAgentNote({ firstLine, count }: { readonly firstLine: number; readonly count: number }) {
  if (count === 0) return [];
  return [{ where: `line ${firstLine}`, reason: `${count} event(s) of sub-agents were left out, from here on.` }];
}
