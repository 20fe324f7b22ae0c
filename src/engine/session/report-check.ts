import type { Message } from "../../core/message/message.ts";
import type { ReportedUsage } from "../../core/tokens/forecast.ts";
import { isByTokenizer, isTooFew } from "../../core/tokens/plausible-usage.ts";

/** A prompt that was sent, with our counts and forecast. */
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
   * "forecast": the report is no number, and our forecast takes its place. "pass-over": the report is far too large, and is ignored. "forget": the
   * report is too small, so earlier ones, on prompts too small to be judged, may have been too small as well: all are forgotten.
   */
  readonly remedy: "forecast" | "pass-over" | "forget";
  readonly warning: string;
}

/** Decides whether a provider's report can be about the prompt that was sent. */
export interface ReportCheck {
  sent(prompt: SentPrompt): void;
  /** Why a report is not believed; undefined where it is. */
  doubt(usage: ReportedUsage): ReportDoubt | undefined;
}

/**
 * A report far above our forecast may be true, if there is a long system prompt that we were not told of, or it may be the sum of many requests.
 * It is believed once the next request is reported with the same surplus.
 */
const DOUBTFUL_WINDOW_SHARE = 0.5;
const AGREEMENT_SHARE = 0.1;

export function createReportCheck(contextWindow: number): ReportCheck {
  let prompt: SentPrompt = { view: [], viewTokens: 0, promptTokens: 0, overheadTokens: 0 };
  let doubted: { readonly view: readonly Message[]; readonly surplusTokens: number } | undefined;

  /** Whether an earlier request was reported with the same surplus. */
  function isConfirmed(reportedTokens: number, surplusTokens: number): boolean {
    if (doubted === undefined || doubted.view === prompt.view) return false;
    return Math.abs(surplusTokens - doubted.surplusTokens) <= AGREEMENT_SHARE * reportedTokens;
  }

  function isBelievable(tokens: number): boolean {
    if (!(tokens > 0) || !Number.isFinite(tokens)) return false;
    // Such as a report without the tokens that were read from the cache. Compared with our count: a forecast may rest on a false report.
    if (isTooFew(tokens, { messages: prompt.view, overheadTokens: prompt.overheadTokens })) return false;
    const surplusTokens = tokens - prompt.promptTokens;
    // Never believed: there would be no room left for any conversation.
    if (surplusTokens > contextWindow) return false;
    if (surplusTokens <= DOUBTFUL_WINDOW_SHARE * contextWindow) return true;
    // In a small window, another tokenizer may count that many. Waiting for the next report would send one more prompt that does not fit.
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
