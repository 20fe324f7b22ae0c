import type { ReportedUsage } from "../tokens/forecast.ts";
import type { CacheDiagnosis } from "./cache-diagnosis.ts";

/** One request to a model, as its session remembers it: small, plain, and all that the statement is summed from. */
export interface RequestRecord {
  /** When its view was prepared, in milliseconds since the epoch. */
  readonly at: number;
  readonly modelId: string;
  readonly contextWindow: number;
  /** The most tokens that the prompt was allowed. */
  readonly allowedTokens: number;
  /** The session's version that the view was made from: the folds that it showed follow from it. */
  readonly version: number;
  /** The size of the prompt as it was foretold: system prompt, tools and view. Like all sizes here, in the model's tokens. */
  readonly promptTokens: number;
  /** System prompt and tool definitions. */
  readonly overheadTokens: number;
  /** What came into the conversation since the request before, before any fold. */
  readonly arrivedTokens: number;
  /** What came among it that a fold had hidden: the agent read it again. @default 0 */
  readonly rereadTokens?: number;
  /** What the log holds and the view does not show. */
  readonly hiddenTokens: number;
  /** The model's tokens for one of ours in this view. */
  readonly tokenRatio: number;
  /** What the prompt consists of; what it has nothing of is not named. */
  readonly tokens: TokensByCategory;
  /** The folds that were made for it. */
  readonly foldIds: readonly string[];
  /** What these folds hid that later work will probably need; absent where nothing was folded. */
  readonly criticalFacts?: CriticalFactCount;
  readonly decision: RequestDecision;
  /** What condensing for it cost, in USD. */
  readonly condenseUsd: number;
  /** As the provider reported it; absent where no report came. */
  readonly usage?: ReportedUsage;
  /** Why the provider's cache missed; absent where that was not asked for, or it did not. */
  readonly cacheDiagnosis?: CacheDiagnosis;
  /** By the model's prices; absent where they are not known or no usage was reported. */
  readonly costUsd?: number;
  /** Where its body is kept; absent where whoever sent it did not say what it was. */
  readonly body?: KeptBody;
}

/** Identifiers of instructions, open files, unresolved errors and open work that folds touched, and how many of them the view still shows. */
export interface CriticalFactCount {
  readonly facts: number;
  readonly visible: number;
}

/** The body of a request, as it went to the provider: kept in pieces, each once. */
export interface KeptBody {
  /** The API that it is for, by the name of its adapter. */
  readonly wire: string;
  readonly bytes: number;
  /** The blob that leads to all pieces; "" where there are none. */
  readonly root: string;
  /** How many levels of nodes are above the pieces. */
  readonly levels: number;
  /** Whether it is what the agent sent, byte for byte. */
  readonly isAsItCame: boolean;
}

/** What a part of a prompt is. */
export type TokenCategory =
  | "system"
  | "tools"
  | "user"
  | "assistant"
  | "toolResults"
  | "reasoning"
  | "images"
  | "standIns";

export type TokensByCategory = Readonly<Partial<Record<TokenCategory, number>>>;

/** Why something was folded for a request, or why not. */
export interface RequestDecision {
  readonly policy: "threshold" | "rent";
  readonly reason: DecisionReason;
  /** What prices said, in tokens and in tokens of plain input; absent where they were not asked. */
  readonly numbers?: Readonly<Record<string, number>>;
}

/**
 * Folded: `pays` and `cold` by prices, `threshold` by a share of the window, `limit` as it did not fit, `request` for bytes, images or pointers.
 * Not folded: `fits`, `waits` by prices, or `nothing to fold`.
 */
export type DecisionReason = FoldCause | "fits" | "waits" | "nothing to fold";

export type FoldCause = "pays" | "cold" | "threshold" | "limit" | "request";

/** The prompt that the provider counted; undefined where it reported none that could be one. */
export function reportedPrompt(usage: ReportedUsage | undefined): number | undefined {
  if (usage === undefined) return undefined;
  const { inputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
  const tokens = inputTokens + cacheReadTokens + cacheWriteTokens;
  return Number.isFinite(tokens) && tokens > 0 ? tokens : undefined;
}

const SIZES = [
  "at",
  "contextWindow",
  "allowedTokens",
  "promptTokens",
  "overheadTokens",
  "arrivedTokens",
  "hiddenTokens",
  "condenseUsd",
] as const satisfies readonly (keyof RequestRecord)[];

/** Whether a record that was read from somewhere can be summed. */
export function isRequestRecord(record: RequestRecord): boolean {
  const { modelId, foldIds, decision, usage, costUsd = 0 } = record;
  const { inputTokens, cacheReadTokens = 0, cacheWriteTokens = 0, outputTokens = 0 } = usage ?? { inputTokens: 0 };
  const { reasoningTokens = 0 } = usage ?? {};
  const { rereadTokens = 0, criticalFacts = { facts: 0, visible: 0 } } = record;
  const reported = [inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, reasoningTokens, costUsd];
  const counts = [...reported, rereadTokens, criticalFacts.facts, criticalFacts.visible];
  const isSized = [...SIZES.map((name) => record[name]), ...counts].every((value) => isAmount(value));
  return isSized && typeof modelId === "string" && Array.isArray(foldIds) && typeof decision?.reason === "string";
}

function isAmount(value: unknown): boolean {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
