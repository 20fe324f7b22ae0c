import type { Message } from "palimpsest";
import type { ModelEntry } from "palimpsest/core";
import type { RecordedCall, RecordedSession } from "./recorded-sessions.ts";

/** A session, in a window, at a model's prices. */
export interface Setting {
  readonly session: RecordedSession;
  readonly contextWindow: number;
  /** Prices and cache lifetime. */
  readonly entry: ModelEntry;
  /** System prompt and tools as they are sent: the session's own, where the window is large enough for them. */
  readonly fixedTokens: number;
}

export interface PolicyView {
  readonly messages: readonly Message[];
  /** What a condensing model was asked for this view, in the provider's tokens. */
  readonly summary?: { readonly promptTokens: number; readonly outputTokens: number };
}

/** What the provider reports for a view. */
export interface ViewUsage {
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
}

/** One session under one policy. */
export interface Replay {
  /** The view for the next call, once its messages have come. */
  view(call: RecordedCall): PolicyView | Promise<PolicyView>;
  observe?(usage: ViewUsage): void;
  /** The provider refused the view as longer than the window: the one that is sent instead. @default it is sent all the same */
  refused?(promptTokens: number): PolicyView | Promise<PolicyView>;
}

export interface Policy {
  readonly name: string;
  /** What its folds leave of a conversation: the optimum that it is compared with leaves as much. @default 16_000 */
  readonly leftTokens?: number;
  start(setting: Setting): Replay | Promise<Replay>;
}

/** The prompt of a view in the provider's tokens. */
export function promptTokensOf({ session, fixedTokens }: Setting, countedTokens: number): number {
  return fixedTokens + session.tokenRatio * countedTokens;
}
