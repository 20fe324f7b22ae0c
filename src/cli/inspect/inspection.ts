import type { Fold } from "../../core/history/list-folds.ts";
import type { TranscriptProblem } from "../../core/transcript/transcript.ts";
import type { Kind } from "./measure-blocks.ts";

/** What fills a session, as plain data that is safe to write as JSON. Tokens are o200k, without system prompt and tool definitions. */
export interface Inspection {
  readonly format: string;
  readonly sessionId?: string;
  readonly modelId?: string;
  readonly messages: number;
  readonly modelCalls: number;
  /** The tokens of all messages. */
  readonly tokens: number;
  /** The tokens that were in the context at the end: after the agent's last compaction, without what its tags hide. */
  readonly contextTokens: number;
  /** The tokens of the system prompt, if the file has it; not part of any other number. */
  readonly systemPromptTokens?: number;
  /** The kinds that occur, largest first. */
  readonly kinds: readonly KindShare[];
  /** The tools, largest first. */
  readonly tools: readonly ToolShare[];
  /** The biggest items, largest first. */
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
  /** The share of all tokens, from 0 to 1. */
  readonly share: number;
}

export interface ToolShare {
  /** Undefined for results whose call is not in the file. */
  readonly tool: string | undefined;
  readonly calls: number;
  readonly errors: number;
  readonly callTokens: number;
  readonly resultTokens: number;
  /** The share of all tokens, from 0 to 1, of calls and results together. */
  readonly share: number;
}

export interface BigItem {
  /** The message's id, or `#` and its place if it has none. */
  readonly messageId: string;
  readonly messageIndex: number;
  readonly kind: Kind;
  /** The call, or the beginning of the text. */
  readonly what: string;
  readonly tokens: number;
  readonly share: number;
}

export interface Repeats {
  /** The tokens that pointers to the newest copies would save, including results that are not listed. */
  readonly dedupableTokens: number;
  /** Calls that were made more than once, regardless of the lines that they asked for; the largest saving first. */
  readonly calls: readonly RepeatedCall[];
}

export interface RepeatedCall {
  readonly what: string;
  readonly times: number;
  /** The tokens of all its results. */
  readonly tokens: number;
  readonly dedupableTokens: number;
}

export interface Growth {
  readonly peakTokens: number;
  /** The largest prompt that the provider reported, which includes system prompt and tools. */
  readonly reportedPeakTokens?: number;
  /** One for each model call, in order. */
  readonly calls: readonly GrowthPoint[];
  readonly compactions: readonly GrowthCompaction[];
}

export interface GrowthPoint {
  readonly messageIndex: number;
  /** The tokens of the messages before the reply, since the last compaction. */
  readonly tokens: number;
  readonly reportedTokens?: number;
}

export interface GrowthCompaction {
  /** The index in `calls` of the first call after the compaction; the length of `calls` if there is none. */
  readonly callIndex: number;
  readonly messageIndex: number;
  /** The size of the context that the agent reported. */
  readonly tokensBefore?: number;
}

export interface Folding {
  readonly contextWindow: number;
  /** The tokens that the window leaves for messages. */
  readonly allowedTokens: number;
  /** Whether the whole session fits, fits after folding, or cannot be made to fit. */
  readonly outcome: "unchanged" | "folded" | "cannot-fit";
  /** The tokens of the view. */
  readonly tokens: number;
  readonly folds: readonly Fold[];
  /** The first model call, counted from 1, whose context without compactions was over `allowedTokens`. */
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
