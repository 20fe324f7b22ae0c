import type { Fold } from "../../core/history/list-folds.ts";
import type { TranscriptProblem } from "../../core/transcript/transcript.ts";
import type { Kind } from "./measure-blocks.ts";

/** What fills a session: plain data, safe to write as JSON. Tokens are o200k, without system prompt and tool definitions. */
export interface Inspection {
  readonly format: string;
  readonly sessionId?: string;
  readonly modelId?: string;
  readonly messages: number;
  readonly modelCalls: number;
  /** Of all messages. */
  readonly tokens: number;
  /** Of what was still in the context at the end: after the last compaction of the agent, without what its tags hide. */
  readonly contextTokens: number;
  /** Of the system prompt, where the file has it; not part of any other number. */
  readonly systemPromptTokens?: number;
  /** The largest kind first; those that do not occur are left out. */
  readonly kinds: readonly KindShare[];
  /** The tool that takes most first. */
  readonly tools: readonly ToolShare[];
  /** The largest first. */
  readonly biggest: readonly BigItem[];
  readonly repeats: Repeats;
  readonly growth: Growth;
  readonly folding: Folding;
  readonly pairs: Pairs;
  readonly problems: readonly TranscriptProblem[];
}

export interface KindShare {
  readonly kind: Kind;
  readonly items: number;
  readonly tokens: number;
  /** Of all tokens, from 0 to 1. */
  readonly share: number;
}

export interface ToolShare {
  /** Undefined for results whose call is not in the file. */
  readonly tool: string | undefined;
  readonly calls: number;
  readonly errors: number;
  readonly callTokens: number;
  readonly resultTokens: number;
  /** Of all tokens, from 0 to 1, calls and results together. */
  readonly share: number;
}

export interface BigItem {
  /** The message's id, or `#` and its place where it has none. */
  readonly messageId: string;
  readonly messageIndex: number;
  readonly kind: Kind;
  /** The call, or how the text begins. */
  readonly what: string;
  readonly tokens: number;
  readonly share: number;
}

export interface Repeats {
  /** What pointers to the newest copy would save, also for results that are not listed. */
  readonly dedupableTokens: number;
  /** Calls that were made more than once, whichever lines they asked for; what saves most first. */
  readonly calls: readonly RepeatedCall[];
}

export interface RepeatedCall {
  readonly what: string;
  readonly times: number;
  /** Of all its results. */
  readonly tokens: number;
  readonly dedupableTokens: number;
}

export interface Growth {
  readonly peakTokens: number;
  /** The largest prompt that the provider reported: with system prompt and tools. */
  readonly reportedPeakTokens?: number;
  /** One for each model call, in order. */
  readonly calls: readonly GrowthPoint[];
  readonly compactions: readonly GrowthCompaction[];
}

export interface GrowthPoint {
  readonly messageIndex: number;
  /** Of the messages before the reply, since the last compaction. */
  readonly tokens: number;
  readonly reportedTokens?: number;
}

export interface GrowthCompaction {
  /** Index into `calls` of the first one after it; as many as there are calls where none came after it. */
  readonly callIndex: number;
  readonly messageIndex: number;
  /** What the agent said that the context had been. */
  readonly tokensBefore?: number;
}

export interface Folding {
  readonly contextWindow: number;
  /** What the window leaves for messages. */
  readonly allowedTokens: number;
  /** Whether all that was said fits, fits after folding, or cannot be made to fit. */
  readonly outcome: "unchanged" | "folded" | "cannot-fit";
  /** Of the view. */
  readonly tokens: number;
  readonly folds: readonly Fold[];
  /** The first model call, from 1, whose context was over `allowedTokens`, had nothing been compacted. */
  readonly firstOverCall?: number;
}

export interface Pairs {
  readonly calls: number;
  readonly answered: number;
  readonly open: readonly OpenCall[];
  readonly resultsWithoutCall: number;
}

export interface OpenCall {
  readonly toolUseId: string;
  readonly tool: string;
  readonly messageId: string;
}
