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
import { createReportCheck } from "./report-check.ts";

export interface PromptMeterOptions {
  readonly countTokens: CountTokens;
  /** Our count of system prompt and tool definitions. */
  readonly overheadTokens: number;
  /** The model's tokens for one of ours, until its reports tell better. */
  readonly tokenRatio: number;
  readonly contextWindow: number;
}

/** A view with its size as we count it. */
export interface CountedView {
  readonly view: readonly Message[];
  readonly viewTokens: number;
}

/** Foretells the size of the next prompt, and learns from what the provider reports. */
export interface PromptMeter {
  /** The prompt for this view. Costs what counting the messages since the last call costs. */
  measure(view: readonly Message[]): number;
  /** The prompt for a view that is not, or not yet, this conversation's: from scratch, without the last report. */
  foretell(view: readonly Message[]): number;
  /** System prompt and tool definitions, as far as reports tell. */
  overheadTokens(): number;
  /** The view was given out to be sent. */
  sent(counted: CountedView): void;
  /** The provider's report on what was sent last. One that cannot be true is passed over. */
  observe(usage: ReportedUsage): void;
  /** What to tell about the newest report, where it was passed over. */
  warnings(): readonly string[];
  /** The view is no longer what it was: what is known of its size is void. True where a report was. */
  recount(): boolean;
  /** Goes back to our own count of system prompt and tools; what was learned about the model's tokens stays. */
  forgetReports(): void;
  /** System prompt or tools are others now: what reports said of the old ones is void. */
  useOverhead(overheadTokens: number): void;
  /** Converts between prompts and our count of this view. */
  gauge(counted: CountedView): PromptGauge;
}

/** A report may be about something else: no conversation is folded to less than a quarter because of one. */
const MAX_RATIO = 4;

const NOTHING_SENT: CountedView = { view: [], viewTokens: 0 };

/** The prompt for the first messages of a view. */
interface Measured {
  readonly messages: number;
  readonly tokens: number;
}

const UNKNOWN: Measured = { messages: 0, tokens: 0 };

export function createPromptMeter(options: PromptMeterOptions): PromptMeter {
  const { countTokens, tokenRatio, contextWindow } = options;
  let { overheadTokens } = options;
  const reports = createReportCheck(contextWindow);
  let state: ForecastState = createForecast({ overheadTokens, tokenRatio });
  /** How many messages of the view the anchor of `state` covers. */
  let anchored = 0;
  let sent = NOTHING_SENT;
  /** The last measurement: the next one only adds to it. */
  let known = UNKNOWN;
  let warning: string | undefined;

  function measure(view: readonly Message[]): number {
    known = measureOn(known, view, { state, anchored, countTokens });
    return known.tokens;
  }

  function startOver(next: ForecastState): void {
    state = next;
    anchored = 0;
    sent = NOTHING_SENT;
    known = UNKNOWN;
  }

  function forgetReports(): void {
    const { calibration } = state;
    startOver(createForecast({ calibration, overheadTokens }));
  }

  const foretell = (view: readonly Message[]) => forecast(rebase(state), view, countTokens);

  return {
    measure,
    foretell,
    overheadTokens: () => foretell([]),
    sent: (counted) => {
      sent = counted;
      reports.sent({ ...counted, promptTokens: measure(counted.view), overheadTokens });
    },
    observe: (usage) => {
      if (sent.view.length === 0) return;
      const doubt = reports.doubt(usage);
      warning = doubt?.warning;
      if (doubt?.remedy === "forget") forgetReports();
      if (doubt !== undefined && doubt.remedy !== "forecast") return;
      state = anchor(state, usage, { newMessages: sent.view.slice(anchored), countTokens });
      anchored = sent.view.length;
      known = UNKNOWN;
    },
    warnings: () => (warning === undefined ? [] : [warning]),
    recount: () => {
      const wasReported = state.anchor?.countedBy === "provider";
      startOver(rebase(state));
      return wasReported;
    },
    forgetReports,
    useOverhead: (tokens) => {
      if (tokens === overheadTokens) return;
      overheadTokens = tokens;
      forgetReports();
    },
    gauge: ({ view, viewTokens }) => {
      const prompt = { promptTokens: measure(view), overheadTokens: foretell([]), viewTokens };
      return createPromptGauge({ ...prompt, countTokens, ratio: observedRatio(prompt, MAX_RATIO) });
    },
  };
}

interface MeasureOptions {
  readonly state: ForecastState;
  readonly anchored: number;
  readonly countTokens: CountTokens;
}

/** The prompt for a view, of which only what came since the last measurement is counted. */
function measureOn(
  known: Measured,
  view: readonly Message[],
  { state, anchored, countTokens }: MeasureOptions,
): Measured {
  const messages = view.length;
  if (known.messages === 0) return { messages, tokens: forecast(state, view.slice(anchored), countTokens) };
  if (known.messages >= messages) return known;
  const base: ForecastState = { ...state, anchor: { promptTokens: known.tokens, countedBy: "forecast" } };
  return { messages, tokens: forecast(base, view.slice(known.messages), countTokens) };
}
