import { compact } from "../../../core/condense/ledger/compact.ts";
import { collectStandIns, isStandIn, markerId, summaryId } from "../../../core/message/effective-view.ts";
import type { Message } from "../../../core/message/message.ts";
import type { RequestRecord } from "../../../core/statement/request-record.ts";
import { createStrata, type Strata } from "../../../core/strata/build-strata.ts";
import { blockCount, describeMessage } from "../../../core/strata/describe-message.ts";
import { shownBlocks } from "../../../core/strata/shown-blocks.ts";
import { runsWithin } from "../../../core/strata/strata-row.ts";
import { shownAs } from "../../../core/strata/strata-state.ts";
import { countMessageTokens } from "../../../core/tokens/count-messages.ts";
import type { Transcript, TranscriptUsage } from "../../../core/transcript/transcript.ts";
import type { Inspection } from "../inspection.ts";

/** The log as it would be folded for the window, and the stand-ins of these folds. */
export interface FoldedLog {
  /** The session's messages, all of them and in the same order, with the tags and folds that hide them. */
  readonly messages: readonly Message[];
  readonly standIns: readonly Message[];
}

/** Folds a session for the window; the session as it is if all of it fits. */
export function foldedLog({ messages }: Transcript, { folding }: Inspection): FoldedLog {
  if (folding.outcome === "unchanged") return { messages, standIns: [] };
  const { messages: folded, foldIds } = compact(messages, folding.allowedTokens);
  const isNew = (message: Message) => isStandIn(message) && foldIds.includes(standInOf(message) ?? "");
  return { messages: folded.filter((message) => !isNew(message)), standIns: folded.filter(isNew) };
}

function standInOf(message: Message): string | undefined {
  return summaryId(message) ?? markerId(message);
}

/** Which message was part of which model call of a session file, in the form of the gateway's API. Its "now" is the state after folding for the window. */
export function reportStrata(transcript: Transcript, inspection: Inspection, folded: FoldedLog) {
  const strata = strataOf(transcript, inspection);
  const standIns = collectStandIns([...folded.messages, ...folded.standIns]);
  const all = { from: 0, to: strata.requests.length };
  const rows = strata.rows.map((row, index) => {
    const message = folded.messages[index] ?? row.message;
    const shown = shownAs(message, standIns);
    const blocks = blockCount(row.message) > 1 ? shownBlocks(row, { now: { message, shown }, ...all }) : undefined;
    const runs = runsWithin(row, all.from, all.to);
    return { ...rowOf(row.message, index), runs, nowState: shown.state, nowFoldId: shown.foldId, blocks };
  });
  const columns = strata.requests.map(({ at, promptTokens, usage }, index) => {
    return { index, at, promptTokens, cacheReadTokens: usage?.cacheReadTokens, foldIds: [], reason: "fits" };
  });
  return {
    version: rows.length,
    messages: { total: rows.length, from: 0, rows },
    requests: { total: columns.length, from: 0, columns },
    folds: inspection.folding.folds.map(({ foldId, kind }) => ({ foldId, kind, cause: "limit" })),
  };
}

function rowOf(message: Message, index: number) {
  const { kind, label, toolName } = describeMessage(message);
  const tokens = countMessageTokens(message);
  const blocks = blockCount(message);
  return {
    index,
    id: message.id,
    role: message.role,
    kind,
    label,
    toolName,
    tokens,
    blockCount: blocks > 1 ? blocks : undefined,
  };
}

function strataOf(transcript: Transcript, inspection: Inspection): Strata {
  const { messages, compactions, usages } = transcript;
  const strata = createStrata();
  const starts = new Set(compactions.map(({ messageIndex }) => messageIndex));
  const reported = new Map(usages.map((usage) => [usage.messageIndex, usage]));
  const sizes = new Map(inspection.growth.calls.map(({ messageIndex, tokens }) => [messageIndex, tokens]));
  let version = 0;
  const take = (step: Parameters<Strata["take"]>[0]) => {
    version += 1;
    strata.take(step, version);
  };
  for (const [index, message] of messages.entries()) {
    // The agent dropped the messages before the compaction; the file still has them.
    if (starts.has(index)) take({ type: "rewind", path: [] });
    if (message.role === "assistant") {
      const request = requestOf(reported.get(index), { tokens: sizes.get(index) ?? 0, version, inspection });
      take({ type: "request", request: { ...request, at: message.ts ?? 0 } });
    }
    take({ type: "message", message });
  }
  return strata;
}

interface CallFacts {
  /** The tokens of the messages before the reply, by our count. */
  readonly tokens: number;
  readonly version: number;
  readonly inspection: Inspection;
}

/** A model call of a file, with what the file says about it. Tokens that the provider reported beyond our count are system prompt and tools. */
function requestOf(usage: TranscriptUsage | undefined, { tokens, version, inspection }: CallFacts): RequestRecord {
  const { contextWindow, allowedTokens } = inspection.folding;
  const promptTokens =
    usage === undefined ? tokens : usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  return {
    at: 0,
    modelId: inspection.modelId ?? "",
    contextWindow,
    allowedTokens,
    version,
    promptTokens,
    overheadTokens: Math.max(0, promptTokens - tokens),
    arrivedTokens: 0,
    hiddenTokens: 0,
    tokenRatio: 1,
    tokens: {},
    foldIds: [],
    decision: { policy: "threshold", reason: "fits" },
    condenseUsd: 0,
    ...(usage === undefined ? {} : { usage }),
  };
}
