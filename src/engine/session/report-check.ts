import type { Message } from "../../core/message/message.ts";
import type { ReportedUsage } from "../../core/tokens/forecast.ts";
import { isByTokenizer, isTooFew } from "../../core/tokens/plausible-usage.ts";

/** A prompt that was sent, as far as we know. */
export interface SentPrompt {
  readonly view: readonly Message[];
  /** Our count of the view. */
  readonly viewTokens: number;
  /** Our forecast of the whole prompt. */
  readonly promptTokens: number;
  /** Our count of system prompt and tool definitions. */
  readonly overheadTokens: number;
}

export interface ReportDoubt {
  /**
   * The forecast stands in for a number that cannot be read. One that is far too large is passed over. One that is too small tells that
   * those before it, on prompts too small to be judged, may have been too: they are forgotten.
   */
  readonly remedy: "forecast" | "pass-over" | "forget";
  readonly warning: string;
}

/** Tells the reports that may be about the prompt that was sent from those that cannot. */
export interface ReportCheck {
  sent(prompt: SentPrompt): void;
  /** Undefined where it is believed. */
  doubt(usage: ReportedUsage): ReportDoubt | undefined;
}

/**
 * Far more than we expect may be the truth, where nobody told us of a long system prompt, or the sum of many requests. So
 * it is believed only when the next request agrees on what is there beside the conversation.
 */
const DOUBTFUL_WINDOW_SHARE = 0.5;
const AGREEMENT_SHARE = 0.1;

export function createReportCheck(contextWindow: number): ReportCheck {
  let prompt: SentPrompt = { view: [], viewTokens: 0, promptTokens: 0, overheadTokens: 0 };
  let doubted: { readonly view: readonly Message[]; readonly surplusTokens: number } | undefined;

  /** Whether another request was reported with so much more than we know of. */
  function isConfirmed(reportedTokens: number, surplusTokens: number): boolean {
    if (doubted === undefined || doubted.view === prompt.view) return false;
    return Math.abs(surplusTokens - doubted.surplusTokens) <= AGREEMENT_SHARE * reportedTokens;
  }

  function isBelievable(tokens: number): boolean {
    if (!(tokens > 0) || !Number.isFinite(tokens)) return false;
    // Also what leaves out the tokens that were read from the cache. By our own count: a forecast may rest on a false report.
    if (isTooFew(tokens, { messages: prompt.view, overheadTokens: prompt.overheadTokens })) return false;
    const surplusTokens = tokens - prompt.promptTokens;
    // Beside so much there is no room for any conversation, whoever agrees.
    if (surplusTokens > contextWindow) return false;
    if (surplusTokens <= DOUBTFUL_WINDOW_SHARE * contextWindow) return true;
    // In a small window other tokenizers make so much of a prompt that fits by our count. To wait for the next report would send one more that does not.
    if (isByTokenizer(tokens, prompt.viewTokens + prompt.overheadTokens)) return true;
    const isTrue = isConfirmed(tokens, surplusTokens);
    doubted = { view: prompt.view, surplusTokens };
    return isTrue;
  }

  return {
    sent: (next) => {
      prompt = next;
    },
    doubt: (usage) => {
      const tokens = promptTokensOf(usage);
      const warning = `The provider reported ${tokens} tokens for a prompt of about ${prompt.promptTokens}: the report is not believed.`;
      if (isBelievable(tokens)) return undefined;
      if (!(tokens > 0)) return { remedy: "forecast", warning };
      return { remedy: tokens < prompt.promptTokens ? "forget" : "pass-over", warning };
    },
  };
}

function promptTokensOf({ inputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 }: ReportedUsage): number {
  return Number(inputTokens) + Number(cacheReadTokens) + Number(cacheWriteTokens);
}
