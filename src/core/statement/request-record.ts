import type { ReportedUsage } from "../tokens/forecast.ts";
import type { CacheDiagnosis } from "./cache-diagnosis.ts";

/** One request to a model, as its session records it: a small plain object. A statement is summed from these records alone. */
export interface RequestRecord {
  /** When its view was prepared, in milliseconds since the epoch. */
  readonly at: number;
  readonly modelId: string;
  readonly contextWindow: number;
  /** The longest prompt that was allowed. */
  readonly allowedTokens: number;
  /** The session's version from which the view was made: it determines the folds in the view. */
  readonly version: number;
  /** The forecast size of the prompt: system prompt, tools and view. Like all sizes here, in the model's tokens. */
  readonly promptTokens: number;
  /** Tokens of system prompt and tool definitions. */
  readonly overheadTokens: number;
  /** Tokens that the conversation gained since the request before, before any fold. */
  readonly arrivedTokens: number;
  /** Tokens among those that a fold had hidden, and the agent read again. @default 0 */
  readonly rereadTokens?: number;
  /** Tokens of the log that the view does not show. */
  readonly hiddenTokens: number;
  /** The model's tokens for one of ours in this view. */
  readonly tokenRatio: number;
  /** The tokens of the prompt by category, without empty categories. */
  readonly tokens: TokensByCategory;
  /** The folds that were made for it. */
  readonly foldIds: readonly string[];
  /** The facts in these folds that later work will probably need; absent where nothing was folded. */
  readonly criticalFacts?: CriticalFactCount;
  readonly decision: RequestDecision;
  /** The cost of condensing for this request, in USD. */
  readonly condenseUsd: number;
  /** The usage that the provider reported; absent where it reported none. */
  readonly usage?: ReportedUsage;
  /** Why the provider's cache missed; absent where it did not, or the diagnosis was not asked for. */
  readonly cacheDiagnosis?: CacheDiagnosis;
  /** The cost by the model's prices; absent where they are unknown or no usage was reported. */
  readonly costUsd?: number;
  /** Where its body is kept; absent where the sender did not provide it. */
  readonly body?: KeptBody;
}

/** The number of identifiers of instructions, open files, unresolved errors and open work that folds touched, and how many of them the view still shows. */
export interface CriticalFactCount {
  readonly facts: number;
  readonly visible: number;
}

/** The body of a request as it was sent to the provider: a tree of blobs whose leaves are pieces of the body, each stored once. */
export interface KeptBody {
  /** The name of the adapter of its API. */
  readonly wire: string;
  readonly bytes: number;
  /** The name of the tree's root blob; "" for an empty body. */
  readonly root: string;
  /** How many levels of nodes are above the pieces. */
  readonly levels: number;
  /** Whether the body is what the agent sent, byte for byte. */
  readonly isAsItCame: boolean;
}

/** The category of a part of a prompt. */
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
  /** The numbers of the decision by prices, in tokens and in tokens of plain input; absent where prices did not decide. */
  readonly numbers?: Readonly<Record<string, number>>;
}

/**
 * Folded: `pays` and `cold` by prices, `threshold` by a share of the window, `limit` because it did not fit, `request` because of bytes, images or
 * pointers. Not folded: `fits`, `waits` by prices, or `nothing to fold`.
 */
export type DecisionReason = FoldCause | "fits" | "waits" | "nothing to fold";

export type FoldCause = "pays" | "cold" | "threshold" | "limit" | "request";

/** The prompt tokens that the provider reported; undefined where it reported none. */
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

/** Whether the fields of a stored record have the types that a statement needs. */
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
