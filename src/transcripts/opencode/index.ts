import { asArray, asName, asRecord, asTimeMs, asTokens, fieldAt, isRecord } from "../../core/json/read-json.ts";
import type { Block } from "../../core/message/message.ts";
import {
  assembleTranscript,
  type RequestUsage,
  type TranscriptEntry,
} from "../../core/transcript/assemble-transcript.ts";
import type { DocumentFormat, TranscriptProblem } from "../../core/transcript/transcript.ts";
import { stamped } from "../../core/transcript/transcript-draft.ts";
import { type PartRead, readPart } from "./read-part.ts";

/**
 * What `opencode export` writes: one document. A part holds a tool's call and its result, and a message may hold the replies to several requests;
 * here each reply becomes a message, followed by one with its results. Not kept: steps, patches, titles, times of parts.
 */
export const opencodeFormat: DocumentFormat = {
  type: "document",
  name: "opencode",
  detect(document) {
    const messages = asRecord(document)?.messages;
    const [first] = asArray(messages);
    if (first !== undefined)
      return isRecord(fieldAt(first, "info")) && asName(fieldAt(first, "info", "role")) !== undefined;
    return Array.isArray(messages) && asName(fieldAt(document, "info", "projectID")) !== undefined;
  },
  needs: (path) => !isUnseen(path),
  read(document) {
    const values = asArray(fieldAt(document, "messages"));
    const messages = values.map((message, index) => readMessage(message, `messages[${index}]`));
    const firstReply = values.find((message) => fieldAt(message, "info", "path", "cwd") !== undefined);
    return assembleTranscript(joinSummaries(messages), {
      format: "opencode",
      problems: messages.flatMap(({ problems }) => problems),
      sessionId: asName(fieldAt(document, "info", "id")),
      modelId: messages.findLast(({ modelId }) => modelId !== undefined)?.modelId,
      workingDirectory:
        asName(fieldAt(document, "info", "directory")) ?? asName(fieldAt(firstReply, "info", "path", "cwd")),
    });
  },
};

/** The entries with each summary joined to its compaction. The user's message asks for it, and the reply is the summary; older files have only the reply. */
function joinSummaries(messages: readonly MessageRead[]): readonly TranscriptEntry[] {
  const entries: TranscriptEntry[] = [];
  let askedAt: number | undefined;
  for (const message of messages) {
    if (message.summary !== undefined) {
      const compaction = { type: "compaction", summary: message.summary } as const;
      if (askedAt === undefined) entries.push(compaction);
      else entries[askedAt] = compaction;
      askedAt = undefined;
    }
    for (const entry of message.entries) {
      if (entry.type === "compaction") askedAt = entries.length;
      entries.push(entry);
    }
  }
  return entries;
}

/** Whether a path leads to diffs and previews for the person, which the model never sees. */
function isUnseen([, , field, partIndex, partField, stateField]: readonly (string | number)[]): boolean {
  if (field === "info") return partIndex === "summary" && partField === "diffs";
  return field === "parts" && partField === "state" && stateField === "metadata";
}

interface MessageRead {
  readonly entries: readonly TranscriptEntry[];
  readonly modelId?: string | undefined;
  /** The text of the message, if it is the summary of a compaction. */
  readonly summary?: string;
  readonly problems: readonly TranscriptProblem[];
}

function readMessage(value: unknown, where: string): MessageRead {
  const info = asRecord(fieldAt(value, "info"));
  const role = info?.role;
  if (info === undefined || (role !== "user" && role !== "assistant")) {
    return { entries: [], problems: [{ where, reason: "This is no message of a user or an assistant." }] };
  }
  const reads = asArray(fieldAt(value, "parts")).map((part, index) => readPart(part, `${where}.parts[${index}]`));
  const problems = reads.flatMap((read) => (read.type === "problem" ? [read.problem] : []));
  const stamp = { id: asName(info.id), ts: asTimeMs(fieldAt(info, "time", "created")) };
  if (role === "user") {
    const content = reads.flatMap((read) => (read.type === "block" ? [read.block] : []));
    const compaction: readonly TranscriptEntry[] = content.some(({ type }) => type === "compaction")
      ? [{ type: "compaction" }]
      : [];
    return { entries: [...compaction, { type: "message", message: stamped("user", content, stamp) }], problems };
  }
  const modelId = asName(info.modelID);
  const steps = splitSteps(reads);
  const usages = steps.map(({ usage }) => usage);
  // Files without usage for each step have one for the whole message.
  const ownUsage = usages.every((usage) => usage === undefined) ? readUsage(info.tokens) : undefined;
  const entries = steps.flatMap((step, index) => {
    const id = index === 0 ? stamp.id : stamp.id && `${stamp.id}/${index + 1}`;
    const usage = step.usage ?? (index === steps.length - 1 ? ownUsage : undefined);
    return stepEntries(step, { id, ts: stamp.ts, usage });
  });
  return { entries, modelId, problems, ...(info.summary === true && { summary: textOf(steps) }) };
}

/** The reply to one request, and the results of the tools that it called. */
interface Step {
  readonly blocks: Block[];
  readonly results: Block[];
  endTs?: number | undefined;
  usage?: RequestUsage | undefined;
}

function splitSteps(reads: readonly PartRead[]): readonly Step[] {
  let step: Step = { blocks: [], results: [] };
  const steps = [step];
  for (const read of reads) {
    if (read.type === "step-start" && step.blocks.length > 0) {
      step = { blocks: [], results: [] };
      steps.push(step);
    } else if (read.type === "step-finish") step.usage = readUsage(read.tokens);
    else if (read.type === "block") step.blocks.push(read.block);
    else if (read.type === "tool") {
      step.blocks.push(read.call);
      if (read.result !== undefined) step.results.push(read.result);
      step.endTs = read.endTs ?? step.endTs;
    }
  }
  return steps.filter(({ blocks }) => blocks.length > 0);
}

function textOf(steps: readonly Step[]): string {
  const blocks = steps.flatMap((step) => step.blocks);
  return blocks.flatMap((block) => (block.type === "text" && "text" in block ? [String(block.text)] : [])).join("\n");
}

interface StepStamp {
  readonly id: string | undefined;
  readonly ts: number | undefined;
  readonly usage: RequestUsage | undefined;
}

function stepEntries({ blocks, results, endTs }: Step, { id, ts, usage }: StepStamp): readonly TranscriptEntry[] {
  const reply: TranscriptEntry = { type: "message", message: stamped("assistant", blocks, { id, ts }), usage };
  if (results.length === 0) return [reply];
  const answer = stamped("user", results, { id: id && `${id}/results`, ts: endTs ?? ts });
  return [reply, { type: "message", message: answer }];
}

function readUsage(tokens: unknown): RequestUsage | undefined {
  if (!isRecord(tokens)) return undefined;
  return {
    inputTokens: asTokens(tokens.input),
    outputTokens: asTokens(tokens.output) + asTokens(tokens.reasoning),
    cacheReadTokens: asTokens(fieldAt(tokens, "cache", "read")),
    cacheWriteTokens: asTokens(fieldAt(tokens, "cache", "write")),
  };
}
