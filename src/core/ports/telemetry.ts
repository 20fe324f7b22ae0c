import type { CondensationTrigger } from "./condensation.ts";

/** Told what happens. One that throws is passed over. */
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
  /** By validator. */
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
  /** Why condensing did not help; undefined where it was not tried. */
  readonly error?: string;
}
