import type { Message } from "../message/message.ts";
import type { TranscriptCompaction } from "../transcript/transcript.ts";

/** A way to bring a log under a budget, as the benchmark sees it. */
export interface EvalStrategy {
  readonly name: string;
  /** The view that is sent instead of `messages`: its text, or messages. Over `budgetTokens` it counts as empty. */
  compact(messages: readonly Message[], budgetTokens: number): View;
}

export type View = string | readonly Message[];

/** A session to measure on; a transcript with a name is one. */
export interface EvalSession {
  readonly name: string;
  readonly messages: readonly Message[];
  readonly compactions: readonly Pick<TranscriptCompaction, "messageIndex">[];
}

/** A moment in a session at which its log could have been compacted, and how far the agent went on after it. */
export interface Boundary {
  /** The log before it is `messages.slice(0, index)`; a request was sent here. */
  readonly index: number;
  /** The horizon is `messages.slice(index, horizonEnd)`. */
  readonly horizonEnd: number;
  /** Tokens of the log before it. */
  readonly tokens: number;
}

/** An identifier that the agent used again after the boundary without being told it again. */
export interface NeededIdentifier {
  readonly value: string;
  /** What the agent said right before it used the identifier, without the identifier: a query for recall. */
  readonly query: string;
}

/** A mean over sessions with its 95 % bootstrap interval. */
export interface Estimate {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
  /** Sessions that had something to measure. */
  readonly sessions: number;
}

/** What one strategy reached at one budget. Shares lie between 0 and 1; absent where no session had anything to measure. */
export interface EvalRow {
  readonly strategy: string;
  readonly budgetTokens: number;
  readonly boundaries: number;
  /** Needed identifiers that the view shows. */
  readonly frr?: Estimate;
  /** Needed identifiers that the view shows inside a verbatim source line. */
  readonly cfrr?: Estimate;
  /** Lines of later edits' old text that the view shows. */
  readonly ear?: Estimate;
  /** `cfrr` with one recall query for each identifier that was missed. */
  readonly cfrrWithRecall?: Estimate;
  /** `cfrr` at the last boundary after successive compactions, and after a single one there. */
  readonly successive?: SuccessiveRow;
  readonly meanViewTokens: number;
  /** Views that were over the budget and therefore counted as empty. */
  readonly overBudget: number;
  readonly latencyMs: Latency;
}

export interface SuccessiveRow {
  readonly single: number;
  readonly successive: number;
  /** `successive / single`; absent where a single compaction kept nothing. */
  readonly kept?: number;
  readonly sessions: number;
}

export interface Latency {
  readonly p50: number;
  readonly p95: number;
}

/** The outcome of a run: plain data, safe to write as JSON. */
export interface EvalResult {
  readonly budgets: readonly number[];
  /** Sessions given, and those that had a boundary to measure at. */
  readonly sessions: { readonly given: number; readonly measured: number };
  /** Mean size of the needed set and tokens of the log at the boundaries, by budget. */
  readonly cases: readonly CaseSummary[];
  readonly rows: readonly EvalRow[];
  /** The same for each group of boundaries that was asked for, in the order of their first boundaries. */
  readonly groups: readonly EvalGroup[];
}

/** What was reached at a part of the boundaries. */
export interface EvalGroup {
  readonly name: string;
  readonly cases: readonly CaseSummary[];
  readonly rows: readonly EvalRow[];
}

export interface CaseSummary {
  readonly budgetTokens: number;
  readonly sessions: number;
  readonly boundaries: number;
  readonly meanNeeded: number;
  readonly meanEditLines: number;
  readonly meanLogTokens: number;
}
