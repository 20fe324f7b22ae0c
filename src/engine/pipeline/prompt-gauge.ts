import { getEffectiveApiHistory } from "../../core/message/effective-view.ts";
import type { CountTokens, Message } from "../../core/message/message.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";

/** Tells how large a prompt is, in the model's tokens, from our count of its view; and back. */
export interface PromptGauge {
  readonly countTokens: CountTokens;
  /** System prompt and tool definitions. */
  readonly overheadTokens: number;
  /** The prompt for a view of so many of our tokens. */
  promptTokens(viewTokens: number): number;
  /** What a prompt of this size leaves for the view, in our tokens. */
  viewTokens(promptTokens: number): number;
  /** The prompt that a log would be sent as. */
  measure(messages: readonly Message[]): number;
}

export interface PromptGaugeOptions {
  readonly countTokens: CountTokens;
  readonly overheadTokens: number;
  /** The model's tokens for one of ours. */
  readonly ratio: number;
}

/** Folding counts often, and counts are cached per counter: so the budgets are converted, never the counts. */
export function createPromptGauge({ countTokens, overheadTokens, ratio }: PromptGaugeOptions): PromptGauge {
  const promptTokens = (viewTokens: number) => Math.ceil(overheadTokens + ratio * viewTokens);
  return {
    countTokens,
    overheadTokens,
    promptTokens,
    viewTokens: (tokens) => (tokens - overheadTokens) / ratio,
    measure: (messages) => promptTokens(countMessagesTokens(getEffectiveApiHistory(messages), countTokens)),
  };
}

/** One prompt, by someone's count and by ours. */
export interface MeasuredPrompt {
  readonly promptTokens: number;
  readonly overheadTokens: number;
  readonly viewTokens: number;
}

/**
 * The ratio that makes our count of a prompt agree with another. At least 1, and bounded: sizes may be reported wrongly, and
 * a conversation must not be folded to nothing because of one.
 */
export function observedRatio({ promptTokens, overheadTokens, viewTokens }: MeasuredPrompt, most: number): number {
  const ratio = viewTokens > 0 ? (promptTokens - overheadTokens) / viewTokens : 1;
  return Math.min(most, Math.max(1, ratio));
}
