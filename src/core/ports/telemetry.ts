import type { CondensationTrigger } from "./condensation.ts";

/** Callbacks for what happens in condensations. One that throws is skipped. */
export interface Telemetry {
  onCondensationStart?(event: CondensationStart): void;
  onCondensationSuccess?(event: CondensationSuccess): void;
  onCondensationFailure?(event: CondensationFailure): void;
  onFallbackToTruncation?(event: FallbackToTruncation): void;
}

export interface CondensationStart {
  readonly taskId: string;
  readonly strategy: string;
  readonly trigger: CondensationTrigger;
  readonly prevContextTokens: number;
}

export interface CondensationSuccess extends CondensationStart {
  readonly condenseId: string;
  readonly newContextTokens: number;
  readonly messagesHidden: number;
  readonly costUsd: number;
  readonly durationMs: number;
  /** The score of each validator, by its name. */
  readonly scores: Readonly<Record<string, number>>;
}

export interface CondensationFailure extends CondensationStart {
  readonly error: string;
  readonly costUsd: number;
  readonly durationMs: number;
}

export interface FallbackToTruncation {
  readonly taskId: string;
  readonly prevContextTokens: number;
  /** Why the condensation failed; undefined where none was tried. */
  readonly error?: string;
}
