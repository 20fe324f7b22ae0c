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
  /** The forecast before the first report. */
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

/** Forecasts the size of the next prompt, and learns from what the provider reports. */
export interface PromptMeter {
  /** The forecast for a prompt with the session's view. Only the messages since the last call are counted. */
  measure(view: readonly Message[]): number;
  /** The forecast for a prompt with any other view, such as that of a fold to be made: without the last report. */
  foretell(view: readonly Message[]): number;
  /** The tokens of system prompt and tool definitions, as reports have corrected them. */
  overheadTokens(): number;
  /** Called with the view that prepare returns: it is taken as sent. */
  sent(counted: CountedView): void;
  /** The forecast for the prompt that was sent last; 0 where none was. */
  sentTokens(): number;
  /** Learns from the provider's report on what was sent last. A report that cannot be true is ignored. */
  observe(usage: ReportedUsage): void;
  /** A warning about the newest report, if it was ignored. */
  warnings(): readonly string[];
  /** Called when the view was rewritten: forgets its measured size. Returns whether that size came from a report. */
  recount(): boolean;
  /** Goes back to our own count of system prompt and tools. The model's learned token ratio stays. */
  forgetReports(): void;
  /** Called when system prompt or tools were replaced: forgets what reports said of the old ones. */
  useOverhead(overheadTokens: number): void;
  /** Converts between prompts and our count of this view. */
  gauge(counted: CountedView): PromptGauge;
}

/** The largest ratio that a report can teach, as it may be about something else: no conversation is folded to less than a quarter because of it. */
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
    return forecastMeasured(state.forecast, state.measured.behindAnchor);
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

/** The state of a meter. */
interface MeterState {
  readonly forecast: ForecastState;
  /** How many messages of the view the anchor of the forecast covers. */
  readonly anchored: number;
  readonly sent: CountedView;
  /** The last measurement, of the first messages of the view: the next one only adds to it. */
  readonly measured: { readonly messages: number; readonly behindAnchor: MeasuredMessages };
}

const NOTHING = measureMessages([]);

function startFrom(forecast: ForecastState, anchored = 0): MeterState {
  const measured = { messages: anchored, behindAnchor: NOTHING };
  return { forecast, anchored, sent: { view: [], viewTokens: 0 }, measured };
}

/** Adds the messages since the last measurement; the sum is the same as if all messages were measured. */
function measureView(state: MeterState, view: readonly Message[], countTokens: CountTokens): MeterState {
  const { measured, anchored } = state;
  if (measured.messages >= view.length) return state;
  const added = measureMessages(view.slice(measured.messages), countTokens);
  const isFirst = measured.messages === anchored;
  const behindAnchor = isFirst ? added : addMeasured(measured.behindAnchor, added);
  return { ...state, measured: { messages: view.length, behindAnchor } };
}

/** Anchors the forecast at the size that the provider reported for the view that was sent. */
function anchorAtSent(state: MeterState, usage: ReportedUsage, countTokens: CountTokens): MeterState {
  const { sent, anchored } = state;
  const anchoredForecast = anchor(state.forecast, usage, { newMessages: sent.view.slice(anchored), countTokens });
  return { ...startFrom(anchoredForecast, sent.view.length), sent };
}
