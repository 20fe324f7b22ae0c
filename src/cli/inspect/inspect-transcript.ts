import { getEffectiveApiHistory, isStandIn } from "../../core/message/effective-view.ts";
import type { Message } from "../../core/message/message.ts";
import { detectPairs } from "../../core/message/tool-pairs.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import { countTextTokens } from "../../core/tokens/o200k/count-text-tokens.ts";
import type { Transcript } from "../../core/transcript/transcript.ts";
import { findRepeats } from "./find-repeats.ts";
import type { Inspection, Pairs } from "./inspection.ts";
import { isOrphanResult, type MeasuredBlock, measureBlocks, messageName } from "./measure-blocks.ts";
import { measureGrowth } from "./measure-growth.ts";
import { planFolding } from "./plan-folding.ts";
import { findBiggest, shareByKind, shareByTool, sumTokens } from "./shares.ts";

export interface InspectOptions {
  /** The window to fold for. @default that of the model */
  readonly contextWindow?: number | undefined;
  /** How many of the biggest items and repeated calls are listed. @default 10 */
  readonly top?: number | undefined;
}

const DEFAULT_TOP = 10;

/** What fills a session, and what would be folded of it. */
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

function lastContext({ messages, compactions }: Transcript): readonly Message[] {
  // Tags tell exactly what is hidden; elsewhere a compaction starts the context anew.
  if (messages.some(isStandIn)) return getEffectiveApiHistory(messages);
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
