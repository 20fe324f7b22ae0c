import type { Message } from "../message/message.ts";
import type { TranscriptCompaction } from "../transcript/transcript.ts";

/** A way to bring a log under a budget. */
export interface EvalStrategy {
  readonly name: string;
  /** Returns the view that is sent in place of `messages`, as a text or as messages. A view over `budgetTokens` counts as empty. */
  compact(messages: readonly Message[], budgetTokens: number): View;
}

export type View = string | readonly Message[];

/** A session to measure; a transcript with a name is one. */
export interface EvalSession {
  readonly name: string;
  readonly messages: readonly Message[];
  readonly compactions: readonly Pick<TranscriptCompaction, "messageIndex">[];
}

/** A request in a session before which its log could have been compacted, and the horizon of messages after it. */
export interface Boundary {
  /** The log before it is `messages.slice(0, index)`. */
  readonly index: number;
  /** The horizon is `messages.slice(index, horizonEnd)`. */
  readonly horizonEnd: number;
  /** The tokens of the log before it. */
  readonly tokens: number;
}

/** An identifier from before the boundary that the agent used after it, without reading it again in between. */
export interface NeededIdentifier {
  readonly value: string;
  /** The agent's words right before it used the identifier, without the identifier, as a query for recall. */
  readonly query: string;
}

/** A mean over sessions with its 95 % bootstrap interval. */
export interface Estimate {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
  /** The number of sessions with something to measure. */
  readonly sessions: number;
}

/** The results of one strategy at one budget. Shares are between 0 and 1; absent where no session had anything to measure. */
export interface EvalRow {
  readonly strategy: string;
  readonly budgetTokens: number;
  readonly boundaries: number;
  /** The share of needed identifiers that the view shows. */
  readonly frr?: Estimate;
  /** The share of needed identifiers that the view shows inside a verbatim source line. */
  readonly cfrr?: Estimate;
  /** The share of the lines that later edits replace that the view shows. */
  readonly ear?: Estimate;
  /** `cfrr` with one recall query for each identifier that was missed. */
  readonly cfrrWithRecall?: Estimate;
  /** `cfrr` at the last boundary after successive compactions, and after a single one there. */
  readonly successive?: SuccessiveRow;
  readonly meanViewTokens: number;
  /** The number of views over the budget, which count as empty. */
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

/** The result of a run: plain data that can be written as JSON. */
export interface EvalResult {
  readonly budgets: readonly number[];
  /** The number of sessions, and of those with a boundary to measure at. */
  readonly sessions: { readonly given: number; readonly measured: number };
  /** Mean numbers of questions and log tokens at the boundaries, by budget. */
  readonly cases: readonly CaseSummary[];
  readonly rows: readonly EvalRow[];
  /** The results of each group of boundaries that was asked for, in the order of their first boundaries. */
  readonly groups: readonly EvalGroup[];
}

/** The results at a part of the boundaries. */
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
