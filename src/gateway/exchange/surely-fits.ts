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
import { factsOf } from "../match/log-facts.ts";
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
  promptAsItCame,
} from "./outgoing-request.ts";

export interface FoldingPorts {
  /** When to fold, as it is configured now. */
  readonly thresholds: () => ThresholdsConfiguration;
  /** Whether models are told how full their window is: then each request asks its session. */
  readonly isBudgetNoticed: () => boolean;
  readonly registry: ModelRegistry;
  readonly now: () => number;
}

/** A prompt below this share of what is folded at surely needs no fold: where its size is known in bytes, and where it was counted. */
const SURE_SHARE = 0.85;
const SURELY_COUNTED_SHARE = 0.95;
/** Hardly any text has more tokens per byte. */
const MOST_TOKENS_PER_BYTE = 0.75;

/**
 * What to send where no policy would fold anything now: the request as it came, or with the folds that its session has. Undefined where
 * that is not sure.
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
  const last = match.type === "continue" ? match.conversation.last : undefined;
  const known = knownForecast(incoming, match, { model, registry: ports.registry });
  const { cacheTtlMs = ports.registry.find(model.modelId).cacheTtlMs } = incoming.request;
  const atOnce = foldedAt(incoming, { model, limits, known, outlook, cacheTtlMs, ...ports });
  if (match.type === "create" || !factsOf(match.aligned.snapshot.log).isFolded) {
    if (mostTokens(incoming, last, tokenRatioOf(known.state)) >= SURE_SHARE * atOnce) return undefined;
    return match.type === "create"
      ? forwardUnchanged(incoming)
      : forwardUnchanged(incoming, () => promptAsItCame(incoming, match.aligned));
  }
  // A new message may point to something hidden: only the session can show that.
  const { messages: spoken } = match.aligned.spoken;
  if (incoming.messages.slice(spoken.length).some(holdsPointer)) return undefined;
  // Until the session was configured with its model, it does not know how that one counts.
  const isConfigured = match.conversation.lastConfigured?.modelId === model.modelId;
  const replayed = isConfigured
    ? forwardReplayed(incoming, match.aligned, { adapter, breakpoints: marking })
    : undefined;
  return replayed !== undefined && replayed.tokensSent < SURELY_COUNTED_SHARE * atOnce ? replayed : undefined;
}

/**
 * Whether what is to be sent fits the window, by its size where that is clear, else by counting; and whether it keeps to the limits of bytes
 * and images.
 */
export function leavesRoom(
  incoming: IncomingRequest,
  { body, tokensSent }: OutgoingRequest,
  { model, limits, budgetTokens }: Pick<Target, "model" | "limits" | "budgetTokens">,
): boolean {
  const known = limits.of(model);
  const { maxViewBytes, maxImages } = byteLimits({ ...incoming, body: bufferOf(incoming, body) }, known);
  if (maxViewBytes !== undefined || maxImages !== undefined) return false;
  const most = Math.min(known.contextWindow, budgetTokens ?? known.contextWindow);
  if (body !== undefined) return tokensSent <= most;
  return mostTokens(incoming, undefined, 1) <= most || countedTokens(incoming) <= most;
}

function bufferOf(incoming: IncomingRequest, body: string | undefined): Buffer {
  return body === undefined ? incoming.body : Buffer.from(body);
}

/** What the session would know for this request; what it does not know yet is what the model is known for. */
function knownForecast(
  incoming: IncomingRequest,
  match: Extract<SessionMatch, { type: "create" | "continue" }>,
  { model, registry }: Pick<Target, "model"> & Pick<FoldingPorts, "registry">,
): KnownForecast {
  const isConfigured = match.type === "continue" && match.conversation.lastConfigured?.modelId === model.modelId;
  if (isConfigured) return forecastFor(incoming, match.aligned);
  return forecastWithoutSession(incoming, registry.find(model.modelId).tokenRatio);
}

/**
 * What a session said of its next fold holds for so many requests, and for half of the way to it: prices may ask for it earlier where the
 * conversation grows more slowly than before.
 */
const OUTLOOK_REQUESTS = 8;
const OUTLOOK_SHARE = 0.5;

/** What the session has said of its next fold with this request. */
export function outlookAfter({ tokensSent, foldsAtTokens }: OutgoingRequest, at: number): FoldOutlook | undefined {
  if (foldsAtTokens === undefined) return undefined;
  return { promptTokens: tokensSent, foldsAtTokens, at, requestsLeft: OUTLOOK_REQUESTS };
}

/** What is still known of the next fold, as of the last request; each use is one request less. */
function useOutlook(conversation: Conversation, now: number): FoldOutlook | undefined {
  const { outlook } = conversation;
  const requestsLeft = (outlook?.requestsLeft ?? 0) - 1;
  const known = requestsLeft < 0 ? undefined : outlook;
  conversation.outlook = known && { ...known, requestsLeft, at: now };
  return known;
}

interface FoldingPoint extends Pick<Target, "model" | "limits">, FoldingPorts {
  readonly known: KnownForecast;
  readonly outlook: FoldOutlook | undefined;
  readonly cacheTtlMs: number;
}

/** The size of a prompt, in tokens, from which on something may be folded. */
function foldedAt({ request }: IncomingRequest, point: FoldingPoint): number {
  const { model, limits, registry, thresholds, known } = point;
  const entry = registry.find(model.modelId);
  const { contextWindow, maxTokens } = roomFor(request, limits.of(model), undefined);
  const { inputLimitTokens = contextWindow } = entry;
  const overhead = forecastOverhead(known);
  const allowed = allowedTokens({ contextWindow, maxTokens, inputLimitTokens, overheadTokens: overhead });
  if (pricesDecide(thresholds(), entry)) return Math.min(allowed, foldedByPrices(point, overhead));
  const percent = thresholds().global ?? condenseDefaults(entry).thresholdPercent;
  return Math.min(allowed, overhead + (percent / 100) * Math.max(0, contextWindow - overhead));
}

/** The profile of every session of a gateway. */
const PROFILE_ID = "default";

function pricesDecide(thresholds: ThresholdsConfiguration, model: ModelEntry): boolean {
  const { adaptive = !isThresholdSet(thresholds, PROFILE_ID) } = thresholds;
  return adaptive && relativePrices(model) !== undefined;
}

/** Where the cache may be cold, anything beyond the budget may go. */
function foldedByPrices({ thresholds, outlook, now, cacheTtlMs }: FoldingPoint, overhead: number): number {
  const budget = overhead + economyTokens(thresholds().economy);
  if (outlook === undefined || now() - outlook.at > cacheTtlMs) return budget;
  const { promptTokens, foldsAtTokens } = outlook;
  return Math.max(budget, promptTokens + OUTLOOK_SHARE * (foldsAtTokens - promptTokens));
}

/** An upper bound of the prompt's tokens, by the size of the body and the tokens of the last prompt. */
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
