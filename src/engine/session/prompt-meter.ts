import type { CountTokens, Message } from "../../core/message/message.ts";
import {
  anchor,
  createForecast,
  type ForecastState,
  forecast,
  type ReportedUsage,
  rebase,
} from "../../core/tokens/forecast.ts";
import { createPromptGauge, observedRatio, type PromptGauge } from "../pipeline/prompt-gauge.ts";

export interface PromptMeterOptions {
  readonly countTokens: CountTokens;
  /** Our count of system prompt and tool definitions. */
  readonly overheadTokens: number;
  /** The model's tokens for one of ours, until its reports tell better. */
  readonly tokenRatio: number;
  readonly contextWindow: number;
}

/** Foretells the size of the next prompt, and learns from what the provider reports. */
export interface PromptMeter {
  /** The prompt for this view. Costs what counting the messages since the last call costs. */
  measure(view: readonly Message[]): number;
  /** The view was given out to be sent. */
  sent(view: readonly Message[]): void;
  /** The provider's report on what was sent last. */
  observe(usage: ReportedUsage): void;
  /** The view is no longer what it was: what is known of its size is void. */
  rewritten(): void;
  /** Converts between prompts and our count of this view. */
  gauge(view: readonly Message[], viewTokens: number): PromptGauge;
}

/** A report may be about something else: no conversation is folded to less than a quarter because of one. */
const MAX_RATIO = 4;

/** Windows are known only roughly. */
const MAX_WINDOWS = 1.5;

export function createPromptMeter(options: PromptMeterOptions): PromptMeter {
  const { countTokens, overheadTokens, tokenRatio, contextWindow } = options;
  let state: ForecastState = createForecast({ overheadTokens, tokenRatio });
  /** How many messages of the view the anchor of `state` covers. */
  let anchored = 0;
  let sentView: readonly Message[] = [];
  /** The last measurement: the next one only adds to it. */
  let known = { messages: 0, tokens: 0 };

  function measure(view: readonly Message[]): number {
    if (known.messages === 0) {
      known = { messages: view.length, tokens: forecast(state, view.slice(anchored), countTokens) };
    } else if (known.messages < view.length) {
      const base: ForecastState = { ...state, anchor: { promptTokens: known.tokens, countedBy: "forecast" } };
      known = { messages: view.length, tokens: forecast(base, view.slice(known.messages), countTokens) };
    }
    return known.tokens;
  }

  return {
    measure,
    sent: (view) => {
      sentView = view;
    },
    observe: (usage) => {
      // Nothing was sent that it could be about, or it is about more than the model could have taken.
      if (sentView.length === 0 || promptTokensOf(usage) > MAX_WINDOWS * contextWindow) return;
      state = anchor(state, usage, { newMessages: sentView.slice(anchored), countTokens });
      anchored = sentView.length;
      known = { messages: 0, tokens: 0 };
    },
    rewritten: () => {
      state = rebase(state);
      anchored = 0;
      sentView = [];
      known = { messages: 0, tokens: 0 };
    },
    gauge: (view, viewTokens) => {
      const overhead = forecast(rebase(state), [], countTokens);
      const prompt = { promptTokens: measure(view), overheadTokens: overhead, viewTokens };
      return createPromptGauge({ countTokens, overheadTokens: overhead, ratio: observedRatio(prompt, MAX_RATIO) });
    },
  };
}

function promptTokensOf({ inputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 }: ReportedUsage): number {
  return inputTokens + cacheReadTokens + cacheWriteTokens;
}
