import type { Message } from "../message/message.ts";
import type { TruncationSelection } from "../truncate/fit-options.ts";
import type { CondensationContext, CondensationResult, CondensationTrigger } from "./condensation.ts";

export type Answer<Value> = Value | undefined | Promise<Value | undefined>;

/** Callbacks of the user around a condensation. A hook that throws is reported and skipped. */
export interface Hooks {
  /** Names the hooks in reports. */
  readonly name: string;
  /** Called and awaited before a condensation starts: for back-ups and notifications. */
  preCompress?(event: PreCompressEvent): unknown;
  beforeCondensation?(context: CondensationContext): Answer<BeforeVerdict>;
  afterCondensation?(context: CondensationContext, result: CondensationResult): Answer<AfterVerdict>;
  /** Returns the name of the strategy to try first. `strategies` are the names of those that activate, best first. */
  selectStrategy?(context: CondensationContext, strategies: readonly string[]): Answer<string>;
}

export interface PreCompressEvent {
  readonly taskId: string;
  readonly trigger: CondensationTrigger;
  readonly messages: readonly Message[];
}

export type BeforeVerdict =
  | { readonly type: "veto"; readonly reason: string }
  | { readonly type: "edit"; readonly prompt?: string; readonly keepMessages?: number };

export type AfterVerdict =
  | { readonly type: "veto"; readonly reason: string }
  /** Another text for the summary; it is checked like the one before it. */
  | { readonly type: "edit"; readonly summary: string };

/** Settings that depend on the situation; undefined leaves the configured value. */
export interface Resolvers {
  /** In percent of the window. */
  threshold?(context: CondensationContext): number | undefined;
  /** A strategy's prompt, by domain or language. */
  prompt?(context: CondensationContext, strategy: string): string | undefined;
  truncationSelection?(context: CondensationContext): TruncationSelection | undefined;
}
