import {
  asArray,
  asName,
  asRecord,
  asText,
  asTimeMs,
  asTokens,
  isRecord,
  type JsonRecord,
} from "../../core/json/read-json.ts";
import type { Block } from "../../core/message/message.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import { assembleTranscript, type TranscriptEntry } from "../../core/transcript/assemble-transcript.ts";
import type { LinesFormat, TranscriptProblem, TranscriptReader } from "../../core/transcript/transcript.ts";
import { type MessageStamp, stamped, textBlocks } from "../../core/transcript/transcript-draft.ts";

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
      // The event is of a sub-agent, which this call of the main agent started.
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

/** The entries that an event adds to the conversation; most events add none. */
function readEvent(type: string, data: JsonRecord, stamp: MessageStamp): readonly TranscriptEntry[] {
  switch (type) {
    case "user.message":
      // The transformed content is what the model got: the prompt with the program's additions.
      return userEntry(textBlocks(asName(data.transformedContent) ?? asText(data.content)), stamp);
    case "system.notification":
      return userEntry(textBlocks(asText(data.content)), stamp);
    case "assistant.message":
      return [{ type: "message", message: stamped("assistant", replyBlocks(data), stamp) }];
    case "tool.execution_complete":
      return userEntry(resultBlocks(data), stamp);
    case "session.compaction_complete":
      return data.success === false ? [] : compactionEntries(data, stamp);
    default:
      return [];
  }
}

function userEntry(blocks: readonly Block[], stamp: MessageStamp): readonly TranscriptEntry[] {
  return [{ type: "message", message: stamped("user", blocks, stamp) }];
}

function replyBlocks(data: JsonRecord): readonly Block[] {
  return [
    ...reasoningBlocks(data),
    ...textBlocks(asText(data.content)),
    ...asArray(data.toolRequests).flatMap(callBlocks),
  ];
}

function reasoningBlocks({ reasoningText, reasoningOpaque, encryptedContent }: JsonRecord): readonly Block[] {
  const text = asText(reasoningText) ?? "";
  if (text === "" && reasoningOpaque === undefined && encryptedContent === undefined) return [];
  const signature = {
    ...(reasoningOpaque !== undefined && { reasoningOpaque }),
    ...(encryptedContent !== undefined && { encryptedContent }),
  };
  return [{ type: "reasoning", text, ...signature }];
}

function callBlocks(value: unknown): readonly Block[] {
  const request = asRecord(value);
  const [id, name] = [asName(request?.toolCallId), asName(request?.name)];
  if (id === undefined || name === undefined) return [];
  return [{ type: "tool_use", id, name, input: request?.arguments ?? {} }];
}

function resultBlocks(data: JsonRecord): readonly Block[] {
  const id = asName(data.toolCallId);
  if (id === undefined) return [];
  const outcome = data.success === false ? (data.error ?? data.result) : (data.result ?? data.error);
  const record = asRecord(outcome);
  const content = asText(outcome) ?? asText(record?.content) ?? asText(record?.message) ?? outcomeJson(outcome);
  return [{ type: "tool_result", tool_use_id: id, content, ...(data.success === false && { is_error: true }) }];
}

function outcomeJson(outcome: unknown): string {
  return outcome === undefined ? "" : serialize(outcome);
}

function compactionEntries(data: JsonRecord, stamp: MessageStamp): readonly TranscriptEntry[] {
  const summary = asName(data.summaryContent);
  const tokensBefore = asTokens(data.preCompactionTokens);
  return [
    { type: "compaction", ...(summary && { summary }), ...(tokensBefore > 0 && { tokensBefore }) },
    ...userEntry(textBlocks(summary), stamp),
  ];
}
