import type { ModelEntry } from "../../core/models/model-entry.ts";
import { condenseDefaults, type ModelRegistry } from "../../core/models/registry.ts";
import { isThresholdSet } from "../../core/policy/condense-threshold.ts";
import { economyTokens } from "../../core/policy/economy.ts";
import { relativePrices } from "../../core/policy/rent.ts";
import { allowedTokens } from "../../core/tokens/budget.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import { holdsPointer } from "../../core/truncate/pointers.ts";
import type { ThresholdsConfiguration } from "../../engine/configuration/configuration.ts";
import type { KnownForecast } from "../../engine/session/prompt-meter.ts";
import type { IncomingRequest } from "../match/incoming-request.ts";
import { foldsOf } from "../match/log-facts.ts";
import type { SessionMatch } from "../match/match-session.ts";
import type { Conversation, FoldOutlook, LastRequest } from "../sessions/session-pool.ts";
import { overheadOf, roomFor } from "./configure-session.ts";
import type { Target } from "./fold-turn.ts";
import { forecastFor, forecastOverhead, forecastWithoutSession, tokenRatioOf } from "./forecast-prompt.ts";
import {
  byteLimits,
  forwardReplayed,
  forwardUnchanged,
  type OutgoingRequest,
  unchangedPromptTokens,
} from "./outgoing-request.ts";

export interface FoldingPorts {
  /** The configured thresholds at which sessions are folded. */
  readonly thresholds: () => ThresholdsConfiguration;
  /** Whether each view gets a line that says how full the window is: only the session can add it. */
  readonly isBudgetNoticed: () => boolean;
  readonly registry: ModelRegistry;
  readonly now: () => number;
}

/** A prompt that was estimated by its bytes surely needs no fold below this share of the size at which it is folded. */
const SURE_SHARE = 0.85;
/** The same share for a prompt whose tokens were counted. */
const SURELY_COUNTED_SHARE = 0.95;
/** The most tokens per byte that nearly any text has. */
const MOST_TOKENS_PER_BYTE = 0.75;

/**
 * Sends a request unchanged, or with the folds that its session already has, if no policy would fold anything more now. Undefined where that
 * is not certain without asking the session.
 */
export function forwardIfSurelyFits(
  incoming: IncomingRequest,
  match: SessionMatch,
  { model, adapter, limits, marking, ...ports }: Target & FoldingPorts,
): OutgoingRequest | undefined {
  if (ports.isBudgetNoticed()) return undefined;
  const promptLimits = limits.of(model);
  const { maxViewBytes, maxImages } = byteLimits(incoming, promptLimits);
  if (maxViewBytes !== undefined || maxImages !== undefined) return undefined;
  if (match.type !== "create" && match.type !== "continue") return undefined;
  const outlook = match.type === "continue" ? useOutlook(match.conversation, ports.now()) : undefined;
  const last = match.type === "continue" ? match.conversation.prompt.last : undefined;
  const forecast = forecastOf(incoming, match, { model, registry: ports.registry });
  const { cacheTtlMs = ports.registry.find(model.modelId).cacheTtlMs } = incoming.request;
  const foldAtTokens = foldThreshold(incoming, { model, limits, forecast, outlook, cacheTtlMs, ...ports });
  if (match.type === "create" || !foldsOf(match.aligned.snapshot).isFolded) {
    if (mostTokens(incoming, last, tokenRatioOf(forecast.state)) >= SURE_SHARE * foldAtTokens) return undefined;
    return match.type === "create"
      ? forwardUnchanged(incoming)
      : forwardUnchanged(incoming, () => unchangedPromptTokens(incoming, match.aligned));
  }
  // A new message may point to something hidden: only the session can resolve the pointer.
  if (incoming.messages.slice(match.aligned.said.count).some(holdsPointer)) return undefined;
  // A session learns how a model counts tokens only after it was configured with that model.
  const isConfigured = match.conversation.prompt.lastConfigured?.modelId === model.modelId;
  if (!isConfigured) return undefined;
  const belowTokens = SURELY_COUNTED_SHARE * foldAtTokens;
  return forwardReplayed(incoming, match.aligned, { adapter, breakpoints: marking, belowTokens });
}

/**
 * Whether an outgoing request fits the window and the limits of bytes and images. Its tokens are estimated by its bytes, and counted only
 * where that estimate does not decide.
 */
export function leavesRoom(
  incoming: IncomingRequest,
  { body, tokensSent }: OutgoingRequest,
  { model, limits, budgetTokens }: Pick<Target, "model" | "limits" | "budgetTokens">,
): boolean {
  const promptLimits = limits.of(model);
  const { maxViewBytes, maxImages } = byteLimits({ ...incoming, body: bufferOf(incoming, body) }, promptLimits);
  if (maxViewBytes !== undefined || maxImages !== undefined) return false;
  const most = Math.min(promptLimits.contextWindow, budgetTokens ?? promptLimits.contextWindow);
  if (body !== undefined) return tokensSent <= most;
  return mostTokens(incoming, undefined, 1) <= most || countedTokens(incoming) <= most;
}

function bufferOf(incoming: IncomingRequest, body: string | undefined): Buffer {
  return body === undefined ? incoming.body : Buffer.from(body);
}

/** The session's forecast for this request, or that of the model's registry entry where the session was not configured with this model yet. */
function forecastOf(
  incoming: IncomingRequest,
  match: Extract<SessionMatch, { type: "create" | "continue" }>,
  { model, registry }: Pick<Target, "model"> & Pick<FoldingPorts, "registry">,
): KnownForecast {
  const isConfigured = match.type === "continue" && match.conversation.prompt.lastConfigured?.modelId === model.modelId;
  if (isConfigured) return forecastFor(incoming, match.aligned);
  return forecastWithoutSession(incoming, registry.find(model.modelId).tokenRatio);
}

/**
 * For how many requests, and for what share of the way to the next fold, the session's forecast of that fold is relied on: by prices a fold may
 * be due earlier if the conversation grows more slowly than before.
 */
const OUTLOOK_REQUESTS = 8;
const OUTLOOK_SHARE = 0.5;

/** The forecast of the session's next fold that came with its view for a request; undefined where the session gave none. */
export function outlookAfter({ tokensSent, foldsAtTokens }: OutgoingRequest, at: number): FoldOutlook | undefined {
  if (foldsAtTokens === undefined) return undefined;
  return { promptTokens: tokensSent, foldsAtTokens, at, requestsLeft: OUTLOOK_REQUESTS };
}

/** The forecast of the next fold, while it still counts. Each call uses up one of its requests. */
function useOutlook(conversation: Conversation, now: number): FoldOutlook | undefined {
  const { outlook } = conversation.prompt;
  const requestsLeft = (outlook?.requestsLeft ?? 0) - 1;
  const current = requestsLeft < 0 ? undefined : outlook;
  conversation.prompt.outlook = current && { ...current, requestsLeft, at: now };
  return current;
}

interface ThresholdInput extends Pick<Target, "model" | "limits">, FoldingPorts {
  readonly forecast: KnownForecast;
  readonly outlook: FoldOutlook | undefined;
  readonly cacheTtlMs: number;
}

/** The size of a prompt, in tokens, from which on a policy may fold it. */
function foldThreshold({ request }: IncomingRequest, input: ThresholdInput): number {
  const { model, limits, registry, thresholds, forecast } = input;
  const entry = registry.find(model.modelId);
  const { contextWindow, maxTokens } = roomFor(request, limits.of(model), undefined);
  const { inputLimitTokens = contextWindow } = entry;
  const overhead = forecastOverhead(forecast);
  const allowed = allowedTokens({ contextWindow, maxTokens, inputLimitTokens, overheadTokens: overhead });
  if (pricesDecide(thresholds(), entry)) return Math.min(allowed, thresholdByPrices(input, overhead));
  const percent = thresholds().global ?? condenseDefaults(entry).thresholdPercent;
  return Math.min(allowed, overhead + (percent / 100) * Math.max(0, contextWindow - overhead));
}

/** The profile of every session of a gateway. */
const PROFILE_ID = "default";

/** Whether the policy by prices decides when to fold, and not a threshold in percent. */
function pricesDecide(thresholds: ThresholdsConfiguration, model: ModelEntry): boolean {
  const { adaptive = !isThresholdSet(thresholds, PROFILE_ID) } = thresholds;
  return adaptive && relativePrices(model) !== undefined;
}

/** The size from which on the policy by prices may fold. Where the provider's cache may have expired, everything beyond the economy may be folded. */
function thresholdByPrices({ thresholds, outlook, now, cacheTtlMs }: ThresholdInput, overhead: number): number {
  const budget = overhead + economyTokens(thresholds().economy);
  if (outlook === undefined || now() - outlook.at > cacheTtlMs) return budget;
  const { promptTokens, foldsAtTokens } = outlook;
  return Math.max(budget, promptTokens + OUTLOOK_SHARE * (foldsAtTokens - promptTokens));
}

/** An upper bound of the prompt's tokens, by the bytes of the body, and of its growth since the last request where that is known. */
function mostTokens(
  { body: { length: bodyBytes } }: IncomingRequest,
  last: LastRequest | undefined,
  ratio: number,
): number {
  const perByte = MOST_TOKENS_PER_BYTE * Math.max(1, ratio);
  if (last?.promptTokens === undefined || bodyBytes < last.bodyBytes) return bodyBytes * perByte;
  return last.promptTokens + (bodyBytes - last.bodyBytes) * perByte;
}

function countedTokens({ request, messages }: IncomingRequest): number {
  return countMessagesTokens(messages) + overheadOf(request).tokens;
}
