import type { CountTokens, Message } from "../message/message.ts";

export type CondensationTrigger = "manual" | "auto";

/** The situation in which a condensation is considered. */
export interface CondensationContext {
  readonly taskId: string;
  /** The log, including the messages that older folds hide. */
  readonly messages: readonly Message[];
  readonly modelId: string;
  readonly profileId: string;
  readonly trigger: CondensationTrigger;
  readonly contextWindow: number;
  /** The prompt as it is now: system prompt, tools and view. */
  readonly prevContextTokens: number;
  /** The longest prompt that is surely accepted. */
  readonly allowedTokens: number;
  readonly usedPercent: number;
}

/** The second argument of a condenser's `condense`, beside the log. */
export interface CondensationOptions extends Omit<CondensationContext, "messages"> {
  readonly systemPrompt: string;
  /** Tokens of system prompt and tool definitions. */
  readonly overheadTokens: number;
  readonly countTokens: CountTokens;
  /** Replaces the condenser's own prompt. */
  readonly prompt?: string;
  /** How many of the newest messages stay as they are. */
  readonly keepMessages: number;
  /** The wanted size of the prompt afterwards, as a share of `allowedTokens`. @default the condenser's own */
  readonly targetShare?: number;
  /** How many model calls the condenser may make. */
  readonly maxModelCalls: number;
  /** The time limit of one model call. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** The result of a condensation. With `error`, nothing was applied and `messages` is the log that was given. */
export interface CondensationResult {
  readonly messages: readonly Message[];
  readonly summary: string;
  /** In USD, failed attempts included. */
  readonly cost: number;
  /** System prompt, tools and view, with the summary in place. */
  readonly newContextTokens?: number;
  readonly error?: string;
  readonly condenseId?: string;
  /** How many model calls were made. @default 1 */
  readonly modelCalls?: number;
  /** Why condensers that ask a model failed before another one succeeded. */
  readonly modelError?: string;
}

/** A condenser: carries out the strategy that its `name` names. */
export interface CondensationPlugin {
  readonly name: string;
  /** Of several that activate, the one with the highest priority is tried first. */
  readonly priority: number;
  /** Whether it calls a model. One that does not is also tried in small windows, and while the engine backs off from a failed model. @default true */
  readonly usesModel?: boolean;
  /**
   * Whether its summaries can be read by the provider alone. Validators that judge only condensers with a model are then skipped: they would
   * have nothing to read. @default false
   */
  readonly isOpaque?: boolean;
  shouldActivate(context: CondensationContext): boolean;
  /**
   * Called in idle time, with a log that will probably have to be condensed in the next turn, to do work ahead of it. The result of `condense`
   * must not depend on it. The returned function is called when the work is not needed any more.
   */
  condenseAhead?(messages: readonly Message[]): () => void;
  /** Hides messages behind a summary; a result with any other change to the log is rejected. */
  condense(messages: readonly Message[], options: CondensationOptions): Promise<CondensationResult>;
  /** A check of its own, beside the registered validators. */
  validate?(result: CondensationResult): ValidationResult;
}

export interface ValidationResult {
  readonly isValid: boolean;
  /** What is wrong, or could be better. */
  readonly issues: readonly string[];
  /** From 0 (useless) to 1 (perfect). */
  readonly score: number;
}

/** Checks a condensation before it is put in place. */
export interface CondensationValidator {
  readonly name: string;
  /** Whom it judges: every condenser, or only those that ask a model. @default "every" */
  readonly judges?: "every" | "models";
  /** Compares the views before and after; `summary` is the text that stands in for the hidden messages. */
  validate(original: readonly Message[], condensed: readonly Message[], summary: string): ValidationResult;
}
