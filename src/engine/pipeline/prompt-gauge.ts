import { effectiveView } from "../../core/message/effective-view.ts";
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
  /** A gauge that expects more: someone who knows better measured this log's prompt, and it is larger than was foretold. */
  corrected(messages: readonly Message[], promptTokens: number): PromptGauge;
}

export interface PromptGaugeOptions {
  readonly countTokens: CountTokens;
  readonly overheadTokens: number;
  /** The model's tokens for one of ours. */
  readonly ratio: number;
}

/** By how much a corrected gauge expects more at least: without a least step, corrections could go on for ever. */
const LEAST_CORRECTION = 1.1;

/** Folding counts often, and counts are cached per counter: so the budgets are converted, never the counts. */
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

/** One prompt, by someone's count and by ours. */
export interface MeasuredPrompt {
  readonly promptTokens: number;
  readonly overheadTokens: number;
  readonly viewTokens: number;
}

/**
 * The ratio that makes our count of a prompt agree with another. Bounded: sizes may be reported wrongly, and a conversation
 * must not be folded to nothing because of one, nor be left too large.
 */
export function observedRatio(
  { promptTokens, overheadTokens, viewTokens }: MeasuredPrompt,
  most: number,
  least = 1,
): number {
  const ratio = viewTokens > 0 ? (promptTokens - overheadTokens) / viewTokens : 1;
  return Math.min(most, Math.max(least, ratio));
}
