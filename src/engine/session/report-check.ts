import type { Message } from "../../core/message/message.ts";
import type { ReportedUsage } from "../../core/tokens/forecast.ts";

/** A prompt that was sent, as far as we know. */
export interface SentPrompt {
  readonly view: readonly Message[];
  /** Our count of the view. */
  readonly viewTokens: number;
  /** Our forecast of the whole prompt. */
  readonly promptTokens: number;
}

/** Tells the reports that may be about the prompt that was sent from those that cannot. */
export interface ReportCheck {
  sent(prompt: SentPrompt): void;
  isBelievable(usage: ReportedUsage): boolean;
}

/** No tokenizer makes fewer of a text: such a report leaves out what was read from the cache. */
const LEAST_SHARE = 0.25;
/**
 * Far more than we expect may be the truth, where nobody told us of a long system prompt, or the sum of many requests. So
 * it is believed only when the next request agrees on what is there beside the conversation.
 */
const DOUBTFUL_WINDOW_SHARE = 0.5;
const AGREEMENT_SHARE = 0.1;

export function createReportCheck(contextWindow: number): ReportCheck {
  let prompt: SentPrompt = { view: [], viewTokens: 0, promptTokens: 0 };
  let doubted: { readonly view: readonly Message[]; readonly surplusTokens: number } | undefined;

  /** Whether another request was reported with so much more than we know of. */
  function isConfirmed(reportedTokens: number, surplusTokens: number): boolean {
    if (doubted === undefined || doubted.view === prompt.view) return false;
    return Math.abs(surplusTokens - doubted.surplusTokens) <= AGREEMENT_SHARE * reportedTokens;
  }

  return {
    sent: (next) => {
      prompt = next;
    },
    isBelievable: (usage) => {
      const tokens = promptTokensOf(usage);
      // What cannot be read at all does no harm: the forecast stands in for it.
      if (!(tokens > 0)) return true;
      if (tokens < LEAST_SHARE * prompt.promptTokens) return false;
      const surplusTokens = tokens - prompt.promptTokens;
      if (surplusTokens <= DOUBTFUL_WINDOW_SHARE * contextWindow) return true;
      const isTrue = isConfirmed(tokens, surplusTokens);
      doubted = { view: prompt.view, surplusTokens };
      return isTrue;
    },
  };
}

function promptTokensOf({ inputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 }: ReportedUsage): number {
  return Number(inputTokens) + Number(cacheReadTokens) + Number(cacheWriteTokens);
}
