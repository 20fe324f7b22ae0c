import { compact } from "../../core/condense/ledger/compact.ts";
import { listFolds } from "../../core/history/list-folds.ts";
import { messageName } from "../../core/history/message-name.ts";
import { effectiveView, isStandIn } from "../../core/message/effective-view.ts";
import type { Message } from "../../core/message/message.ts";
import { detectPairs } from "../../core/message/tool-pairs.ts";
import { findModel } from "../../core/models/registry.ts";
import { allowedTokens } from "../../core/tokens/budget.ts";
import { countMessagesTokens, countMessageTokens } from "../../core/tokens/count-messages.ts";
import { countTextTokens } from "../../core/tokens/o200k/count-text-tokens.ts";
import type { Transcript } from "../../core/transcript/transcript.ts";
import { findRepeats } from "./find-repeats.ts";
import type { Folding, Growth, GrowthCompaction, GrowthPoint, Inspection, Pairs } from "./inspection.ts";
import { isOrphanResult, type MeasuredBlock, measureBlocks } from "./measure-blocks.ts";
import { findBiggest, shareByKind, shareByTool, sumTokens } from "./shares.ts";

export interface InspectOptions {
  /** The window to fold for. @default the model's window */
  readonly contextWindow?: number | undefined;
  /** The number of biggest items and of repeated calls to list. @default 10 */
  readonly top?: number | undefined;
}

const DEFAULT_TOP = 10;

/** Measures what fills a session, and what would be folded of it. */
export function inspectTranscript(transcript: Transcript, options: InspectOptions = {}): Inspection {
  const { contextWindow, top = DEFAULT_TOP } = options;
  const { format, messages, sessionId, modelId, systemPrompt, workingDirectory, problems } = transcript;
  const list = { top, workingDirectory };
  const blocks = measureBlocks(messages);
  const growth = measureGrowth(transcript);
  return {
    format,
    ...(sessionId !== undefined && { sessionId }),
    ...(modelId !== undefined && { modelId }),
    messages: messages.length,
    modelCalls: growth.calls.length,
    tokens: sumTokens(blocks),
    contextTokens: countMessagesTokens(lastContext(transcript)),
    ...(systemPrompt !== undefined && { systemPromptTokens: countTextTokens(systemPrompt) }),
    kinds: shareByKind(blocks),
    tools: shareByTool(blocks),
    biggest: findBiggest(blocks, list),
    repeats: findRepeats(messages, blocks, list),
    growth,
    folding: planFolding(transcript, contextWindow),
    pairs: countPairs(messages, blocks),
    problems,
  };
}

/** The messages that were in the agent's context at the end. */
function lastContext({ messages, compactions }: Transcript): readonly Message[] {
  // Roo's tags say exactly what is hidden. In other formats, a compaction begins a new context.
  if (messages.some(isStandIn)) return effectiveView(messages);
  const start = compactions.reduce((latest, { messageIndex }) => Math.max(latest, messageIndex), 0);
  return messages.slice(start);
}

function countPairs(messages: readonly Message[], blocks: readonly MeasuredBlock[]): Pairs {
  const pairs = detectPairs(messages);
  const open = pairs.filter(({ result }) => result === undefined);
  return {
    calls: pairs.length,
    answered: pairs.length - open.length,
    open: open.map(({ toolUseId, call }) => ({
      toolUseId,
      tool: call.block.name,
      messageId: messageName(call.message, call.messageIndex),
    })),
    resultsWithoutCall: blocks.filter(isOrphanResult).length,
  };
}

/** Measures how the context grew from one model call to the next. */
function measureGrowth({ messages, usages, compactions }: Transcript): Growth {
  const reported = new Map(
    usages.map((usage) => [usage.messageIndex, usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens]),
  );
  const starts = new Set(compactions.map(({ messageIndex }) => messageIndex));
  const calls: GrowthPoint[] = [];
  let tokens = 0;
  for (const [messageIndex, message] of messages.entries()) {
    if (starts.has(messageIndex)) tokens = 0;
    if (message.role === "assistant") {
      const reportedTokens = reported.get(messageIndex);
      calls.push({ messageIndex, tokens, ...(reportedTokens !== undefined && { reportedTokens }) });
    }
    tokens += countMessageTokens(message);
  }
  const reportedPeakTokens = largest(calls.map((call) => call.reportedTokens ?? 0));
  return {
    peakTokens: largest(calls.map((call) => call.tokens)),
    ...(reportedPeakTokens > 0 && { reportedPeakTokens }),
    calls,
    compactions: compactions.map(({ messageIndex, tokensBefore }): GrowthCompaction => {
      const callIndex = calls.findIndex((call) => call.messageIndex >= messageIndex);
      const place = { callIndex: callIndex < 0 ? calls.length : callIndex, messageIndex };
      return tokensBefore === undefined ? place : { ...place, tokensBefore };
    }),
  };
}

function largest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), 0);
}

/**
 * Plans the folds for sending the whole session to a model with this window.
 * @default contextWindow the window of the session's model
 */
function planFolding({ messages, modelId, systemPrompt }: Transcript, contextWindow?: number): Folding {
  const window = contextWindow ?? findModel(modelId ?? "").contextWindow;
  const allowed = allowedTokens({ contextWindow: window }) - countTextTokens(systemPrompt ?? "");
  const { type, messages: folded, tokens, foldIds } = compact(messages, allowed);
  const firstOverCall = findFirstOver(messages, allowed);
  return {
    contextWindow: window,
    allowedTokens: Math.floor(allowed),
    outcome: type,
    tokens,
    folds: listFolds(folded).filter(({ foldId }) => foldIds.includes(foldId)),
    ...(firstOverCall !== undefined && { firstOverCall }),
  };
}

/** The first model call, counted from 1, at which the log without compactions was over the limit; undefined if it never was. */
function findFirstOver(messages: readonly Message[], allowed: number): number | undefined {
  let tokens = 0;
  let calls = 0;
  for (const message of messages) {
    if (message.role === "assistant") {
      calls++;
      if (tokens > allowed) return calls;
    }
    tokens += countMessageTokens(message);
  }
  return undefined;
}
