import type { Message } from "../../core/message/message.ts";
import { createForecast, type ForecastState, forecast, rebase, shiftOverhead } from "../../core/tokens/forecast.ts";
import type { KnownForecast } from "../../engine/session/prompt-meter.ts";
import type { AlignedLog } from "../match/align.ts";
import type { IncomingRequest } from "../match/incoming-request.ts";
import { overheadOf } from "./configure-session.ts";

/**
 * What the session of a request knows of its prompts, for the system prompt and the tools of this request. One that says something new starts
 * what was learned from the last reply.
 */
export function forecastFor({ request, messages }: IncomingRequest, { spoken, snapshot }: AlignedLog): KnownForecast {
  const { state, viewMessages } = messages.length > spoken.messages.length ? snapshot.nextForecast : snapshot.forecast;
  const { systemTokens, toolTokens } = snapshot.overhead;
  const added = overheadOf(request).tokens - systemTokens - toolTokens;
  return { state: shiftOverhead(state, added), viewMessages };
}

/** What is known of a request's prompt where its session knows nothing. */
export function forecastWithoutSession({ request }: IncomingRequest, tokenRatio = 1): KnownForecast {
  const state = createForecast({ tokenRatio, overheadTokens: overheadOf(request).tokens });
  return { state, viewMessages: 0 };
}

/**
 * The size of a prompt that shows these messages, which begin with the session's view. The same as the session's own forecast: whether a
 * request is folded must not depend on who computed it.
 */
export function forecastPrompt(known: KnownForecast, shown: readonly Message[]): number {
  return forecastFrom(known, shown.length, (start) => shown.slice(start));
}

/** The same for so many messages, of which only those from a place on are asked for. */
export function forecastFrom(
  { state, viewMessages }: KnownForecast,
  shownCount: number,
  shownFrom: (start: number) => readonly Message[],
): number {
  return shownCount < viewMessages ? forecast(rebase(state), shownFrom(0)) : forecast(state, shownFrom(viewMessages));
}

/** The part of system prompt and tools in it. */
export function forecastOverhead({ state }: KnownForecast): number {
  return forecast(rebase(state), []);
}

/** The model's tokens for one of ours. */
export function tokenRatioOf({ calibration }: ForecastState): number {
  return calibration.input.ratio;
}
