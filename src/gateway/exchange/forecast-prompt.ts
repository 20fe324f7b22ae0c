import type { Message } from "../../core/message/message.ts";
import { createForecast, type ForecastState, forecast, rebase, shiftOverhead } from "../../core/tokens/forecast.ts";
import type { KnownForecast } from "../../engine/session/prompt-meter.ts";
import type { AlignedLog } from "../match/align-log.ts";
import type { IncomingRequest } from "../match/incoming-request.ts";
import { overheadOf } from "./configure-session.ts";

/**
 * The session's forecast for the prompt of a request, with this request's system prompt and tools. What was learned from the last reply counts
 * from the first request on that has new messages.
 */
export function forecastFor({ request, messages }: IncomingRequest, { said, snapshot }: AlignedLog): KnownForecast {
  const { state, viewMessages } = messages.length > said.count ? snapshot.nextForecast : snapshot.forecast;
  const { systemTokens, toolTokens } = snapshot.overhead;
  const added = overheadOf(request).tokens - systemTokens - toolTokens;
  return { state: shiftOverhead(state, added), viewMessages };
}

/** The forecast for a request whose session has learned nothing about this model yet. */
export function forecastWithoutSession({ request }: IncomingRequest, tokenRatio = 1): KnownForecast {
  const state = createForecast({ tokenRatio, overheadTokens: overheadOf(request).tokens });
  return { state, viewMessages: 0 };
}

/**
 * The tokens of a prompt that shows these messages, which begin with the session's view. Equal to the session's own forecast: whether a request
 * is folded must not depend on which of the two was used.
 */
export function forecastPrompt(known: KnownForecast, shown: readonly Message[]): number {
  return forecastFrom(known, shown.length, (start) => shown.slice(start));
}

/** `forecastPrompt` for `shownCount` messages; `shownFrom` gives them from an index on, and is called only with the index that is needed. */
export function forecastFrom(
  { state, viewMessages }: KnownForecast,
  shownCount: number,
  shownFrom: (start: number) => readonly Message[],
): number {
  return shownCount < viewMessages ? forecast(rebase(state), shownFrom(0)) : forecast(state, shownFrom(viewMessages));
}

/** The tokens of system prompt and tools, as the forecast has them. */
export function forecastOverhead({ state }: KnownForecast): number {
  return forecast(rebase(state), []);
}

/** How many tokens the model counts for one of ours. */
export function tokenRatioOf({ calibration }: ForecastState): number {
  return calibration.input.ratio;
}
