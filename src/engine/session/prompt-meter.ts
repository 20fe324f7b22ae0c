import type { CountTokens, Message } from "../../core/message/message.ts";
import {
  anchor,
  createForecast,
  type ForecastState,
  forecast,
  forecastMeasured,
  type ReportedUsage,
  rebase,
} from "../../core/tokens/forecast.ts";
import { addMeasured, type MeasuredMessages, measure as measureMessages } from "../../core/tokens/measure-messages.ts";
import { createPromptGauge, observedRatio, type PromptGauge } from "../pipeline/prompt-gauge.ts";
import { createReportCheck } from "./report-check.ts";

export interface PromptMeterOptions {
  readonly countTokens: CountTokens;
  /** Our count of system prompt and tool definitions. */
  readonly overheadTokens: number;
  /** What is known before the first report. */
  readonly start: KnownForecast;
  readonly contextWindow: number;
}

/** A forecast for a conversation whose first messages are known. */
export interface KnownForecast {
  readonly state: ForecastState;
  /** How many messages of the view its anchor covers; 0 where it has none. */
  readonly viewMessages: number;
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
  /** The size of the prompt that was sent last, as it was foretold; 0 where none was. */
  sentTokens(): number;
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

export function createPromptMeter(options: PromptMeterOptions): PromptMeter {
  const { countTokens, start, contextWindow } = options;
  let { overheadTokens } = options;
  const reports = createReportCheck(contextWindow);
  let state = startFrom(start.state, start.viewMessages);
  let warning: string | undefined;
  let sentTokens = 0;

  function measure(view: readonly Message[]): number {
    state = measureView(state, view, countTokens);
    return forecastMeasured(state.forecast, state.known.behindAnchor);
  }

  function forgetReports(): void {
    const { calibration } = state.forecast;
    state = startFrom(createForecast({ calibration, overheadTokens }));
  }

  const foretell = (view: readonly Message[]) => forecast(rebase(state.forecast), view, countTokens);

  return {
    measure,
    foretell,
    overheadTokens: () => foretell([]),
    sent: (sent) => {
      state = { ...state, sent };
      sentTokens = measure(sent.view);
      reports.sent({ ...sent, promptTokens: sentTokens, overheadTokens });
    },
    sentTokens: () => sentTokens,
    observe: (usage) => {
      if (state.sent.view.length === 0) return;
      const doubt = reports.doubt(usage);
      warning = doubt?.warning;
      if (doubt?.remedy === "forget") forgetReports();
      if (doubt === undefined || doubt.remedy === "forecast") state = anchorAtSent(state, usage, countTokens);
    },
    warnings: () => (warning === undefined ? [] : [warning]),
    recount: () => {
      const wasReported = state.forecast.anchor?.countedBy === "provider";
      state = startFrom(rebase(state.forecast));
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

/** What is known of the prompts of one conversation. */
interface MeterState {
  readonly forecast: ForecastState;
  /** How many messages of the view the anchor of the forecast covers. */
  readonly anchored: number;
  readonly sent: CountedView;
  /** The last measurement, of the first messages of a view: the next one only adds to it. */
  readonly known: { readonly messages: number; readonly behindAnchor: MeasuredMessages };
}

const NOTHING = measureMessages([]);

function startFrom(forecast: ForecastState, anchored = 0): MeterState {
  const known = { messages: anchored, behindAnchor: NOTHING };
  return { forecast, anchored, sent: { view: [], viewTokens: 0 }, known };
}

/** Only what came since the last measurement is counted; the sum is the same as if all of it were. */
function measureView(state: MeterState, view: readonly Message[], countTokens: CountTokens): MeterState {
  const { known, anchored } = state;
  if (known.messages >= view.length) return state;
  const added = measureMessages(view.slice(known.messages), countTokens);
  const isFirst = known.messages === anchored;
  const behindAnchor = isFirst ? added : addMeasured(known.behindAnchor, added);
  return { ...state, known: { messages: view.length, behindAnchor } };
}

/** The next forecasts start from what the provider reported for the view that was sent. */
function anchorAtSent(state: MeterState, usage: ReportedUsage, countTokens: CountTokens): MeterState {
  const { sent, anchored } = state;
  const anchoredForecast = anchor(state.forecast, usage, { newMessages: sent.view.slice(anchored), countTokens });
  return { ...startFrom(anchoredForecast, sent.view.length), sent };
}
