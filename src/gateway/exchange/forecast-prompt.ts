import type { Message } from "../../core/message/message.ts";
import { createForecast, type ForecastState, forecast, rebase, shiftOverhead } from "../../core/tokens/forecast.ts";
import type { KnownForecast } from "../../engine/session/prompt-meter.ts";
import type { AlignedLog } from "../match/align.ts";
import type { IncomingRequest } from "../match/incoming-request.ts";
import { overheadText, overheadTokens } from "./configure-session.ts";

/**
 * What the session of a request knows of its prompts, for the system prompt and the tools of this request. One that says something new starts
 * what was learned from the last reply.
 */
export function forecastFor({ request, messages }: IncomingRequest, { spoken, snapshot }: AlignedLog): KnownForecast {
  const { state, viewMessages } = messages.length > spoken.messages.length ? snapshot.nextForecast : snapshot.forecast;
  const { systemTokens, toolTokens } = snapshot.overhead;
  const added = overheadTokens(overheadText(request)) - systemTokens - toolTokens;
  return { state: shiftOverhead(state, added), viewMessages };
}

/** What is known of a request's prompt where its session knows nothing. */
export function forecastWithoutSession({ request }: IncomingRequest, tokenRatio = 1): KnownForecast {
  const state = createForecast({ tokenRatio, overheadTokens: overheadTokens(overheadText(request)) });
  return { state, viewMessages: 0 };
}

/**
 * The size of a prompt that shows these messages, which begin with the session's view. The same as the session's own forecast: whether a
 * request is folded must not depend on who computed it.
 */
export function forecastPrompt({ state, viewMessages }: KnownForecast, shown: readonly Message[]): number {
  return shown.length < viewMessages ? forecast(rebase(state), shown) : forecast(state, shown.slice(viewMessages));
}

/** The part of system prompt and tools in it. */
export function forecastOverhead({ state }: KnownForecast): number {
  return forecast(rebase(state), []);
}

/** The model's tokens for one of ours. */
export function tokenRatioOf({ calibration }: ForecastState): number {
  return calibration.input.ratio;
}
