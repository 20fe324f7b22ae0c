import type { Message } from "../../core/message/message.ts";
import type { LogOutline } from "./log-outline.ts";
import type { LogState } from "./log-state.ts";
import type { KnownForecast } from "./prompt-meter.ts";
import type { PromptOverhead, PromptState } from "./prompt-state.ts";
import type { SessionLog } from "./session-log.ts";

/** A session at one moment: later changes do not show. */
export interface SessionSnapshot {
  readonly version: number;
  readonly log: readonly Message[];
  /** Only in an `OutlinedSession`. */
  readonly outline?: undefined;
  readonly view: readonly Message[];
  /** The forecast for prompts with this view, from what `calibrate` kept for the session's model; reports to `observe` are not part of it. */
  readonly forecast: KnownForecast;
  /** The forecast that holds from the next message on. */
  readonly nextForecast: KnownForecast;
  /** Our count of the system prompt and the tool definitions that both forecasts are for. */
  readonly overhead: PromptOverhead;
  /** The model's tokens for one of ours, in `forecast` and in `nextForecast`. */
  readonly tokenRatio: number;
  readonly nextTokenRatio: number;
  /** Whether a prompt whose report `calibrate` kept had tools; undefined where it kept no report. */
  readonly hasTools: boolean | undefined;
}

/** A session at one moment, without the messages that folds hide. */
export interface OutlinedSession extends Omit<SessionSnapshot, "log" | "outline"> {
  readonly log: undefined;
  readonly outline: LogOutline;
}

/** The fields of a snapshot that do not need the whole log. */
export function momentOf(
  { log, state }: { readonly log: SessionLog; readonly state: PromptState },
  { view }: LogState,
): Omit<SessionSnapshot, "log"> {
  const { id: modelId } = state.model();
  const learned = log.learned(modelId);
  const forecast = state.forecastBy(learned);
  const nextForecast = state.forecastBy(log.nextLearned(modelId) ?? learned);
  return {
    version: log.version(),
    view,
    forecast,
    nextForecast,
    overhead: state.overhead(),
    tokenRatio: forecast.state.calibration.input.ratio,
    hasTools: log.hasTools(),
    nextTokenRatio: nextForecast.state.calibration.input.ratio,
  };
}
