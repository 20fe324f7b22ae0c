import type { CountTokens, Message } from "../message/message.ts";

export type CondensationTrigger = "manual" | "auto";

/** The situation in which a condensation is considered. */
export interface CondensationContext {
  readonly taskId: string;
  /** The log, with all that older folds hide. */
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

/** What a condenser is given besides the log. */
export interface CondensationOptions extends Omit<CondensationContext, "messages"> {
  readonly systemPrompt: string;
  /** Tokens of system prompt and tool definitions. */
  readonly overheadTokens: number;
  readonly countTokens: CountTokens;
  /** Replaces the condenser's own prompt. */
  readonly prompt?: string;
  /** Newest messages that stay as they are. */
  readonly keepMessages: number;
  /** What the prompt should take afterwards, as a share of the longest one. @default the condenser's own */
  readonly targetShare?: number;
  /** How often a model may be asked. */
  readonly maxModelCalls: number;
  /** How long one reply may take. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** What came of a condensation. With `error`, nothing was applied and `messages` is the log that was given. */
export interface CondensationResult {
  readonly messages: readonly Message[];
  readonly summary: string;
  /** In USD, also of attempts that failed. */
  readonly cost: number;
  /** System prompt, tools and view, with the summary in place. */
  readonly newContextTokens?: number;
  readonly error?: string;
  readonly condenseId?: string;
  /** How often a model was asked. @default 1 */
  readonly modelCalls?: number;
  /** Why condensers that ask a model failed before another one succeeded. */
  readonly modelError?: string;
}

/** A condenser: carries out one strategy, which its `name` tells. */
export interface CondensationPlugin {
  readonly name: string;
  /** Of several that activate, the highest wins. */
  readonly priority: number;
  /** One that asks none also works in small windows, and while a model that failed is left alone. @default true */
  readonly usesModel?: boolean;
  /**
   * Whether only its provider can read what it writes: validators that judge what models write then have nothing to read, and only those for every
   * condenser are asked. @default false
   */
  readonly isOpaque?: boolean;
  shouldActivate(context: CondensationContext): boolean;
  /**
   * Called when there is nothing else to do, with a log that will probably have to be condensed once the next turn has come: for work that can be done
   * before it. What `condense` returns must not depend on it. The function that it returns is called when that work is not needed any more.
   */
  condenseAhead?(messages: readonly Message[]): () => void;
  /** Hides messages behind a summary; whatever else it does to the log is refused. */
  condense(messages: readonly Message[], options: CondensationOptions): Promise<CondensationResult>;
  /** A check of its own, beside the registered validators. */
  validate?(result: CondensationResult): ValidationResult;
}

export interface ValidationResult {
  readonly isValid: boolean;
  /** What is wrong, or could be better. */
  readonly issues: readonly string[];
  /** From 0 (useless) to 1 (nothing to wish for). */
  readonly score: number;
}

/** Checks a condensation before it is put in place. */
export interface CondensationValidator {
  readonly name: string;
  /** Whom it judges: every condenser, or only those that ask a model. @default "every" */
  readonly judges?: "every" | "models";
  /** Compares the views before and after; `summary` is the text that stands for what went. */
  validate(original: readonly Message[], condensed: readonly Message[], summary: string): ValidationResult;
}
