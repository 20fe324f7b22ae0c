import { effectiveView } from "../../core/message/effective-view.ts";
import type { CountTokens, Message } from "../../core/message/message.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";

/** Converts between the size of a prompt, in the model's tokens, and our count of its view. */
export interface PromptGauge {
  readonly countTokens: CountTokens;
  /** The tokens of system prompt and tool definitions. */
  readonly overheadTokens: number;
  /** The size of a prompt whose view has this many of our tokens. */
  promptTokens(viewTokens: number): number;
  /** The size, in our tokens, of the view in a prompt of this size. */
  viewTokens(promptTokens: number): number;
  /** The size of the prompt with this log's view. */
  measure(messages: readonly Message[]): number;
  /** A gauge with a larger ratio, for a log whose prompt was measured to be larger than this gauge says. */
  corrected(messages: readonly Message[], promptTokens: number): PromptGauge;
}

export interface PromptGaugeOptions {
  readonly countTokens: CountTokens;
  readonly overheadTokens: number;
  /** The model's tokens for one of ours. */
  readonly ratio: number;
}

/** The least factor between two corrections: without it, they could go on for ever. */
const LEAST_CORRECTION = 1.1;

/** Creates a gauge. Budgets are converted to our tokens rather than counts to the model's: folding counts often, and counts are cached per counter. */
export function createPromptGauge({ countTokens, overheadTokens, ratio }: PromptGaugeOptions): PromptGauge {
  const promptTokens = (viewTokens: number) => Math.ceil(overheadTokens + ratio * viewTokens);
  const count = (messages: readonly Message[]) => countMessagesTokens(effectiveView(messages), countTokens);
  return {
    countTokens,
    overheadTokens,
    promptTokens,
    viewTokens: (tokens) => (tokens - overheadTokens) / ratio,
    measure: (messages) => promptTokens(count(messages)),
    corrected: (messages, measuredTokens) => {
      const measured = (measuredTokens - overheadTokens) / Math.max(1, count(messages));
      return createPromptGauge({ countTokens, overheadTokens, ratio: Math.max(measured, ratio * LEAST_CORRECTION) });
    },
  };
}

/** One prompt as measured by a provider or handler, and our count of its view. */
export interface MeasuredPrompt {
  readonly promptTokens: number;
  readonly overheadTokens: number;
  readonly viewTokens: number;
}

/**
 * The model's tokens for one of ours, by a measured prompt. Bounded, as sizes may be reported wrongly: one wrong report must not fold a conversation
 * to nothing, nor leave it too large.
 */
export function observedRatio(
  { promptTokens, overheadTokens, viewTokens }: MeasuredPrompt,
  most: number,
  least = 1,
): number {
  const ratio = viewTokens > 0 ? (promptTokens - overheadTokens) / viewTokens : 1;
  return Math.min(most, Math.max(least, ratio));
}
