import { condenseDefaults, type ModelRegistry } from "../../core/models/registry.ts";
import { holdsPointer } from "../../core/standing/pointers.ts";
import { allowedTokens } from "../../core/tokens/budget.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import type { ThresholdsConfiguration } from "../../engine/configuration/configuration.ts";
import { roomFor } from "./beside.ts";
import { byteLimits, type Carried, carriedAsItCame, carriedByReplay, ratioFor } from "./carry.ts";
import type { LastRequest } from "./desk.ts";
import type { Asked } from "./fold-turn.ts";
import type { Heard } from "./heard.ts";
import { besideText, overheadTokens } from "./overhead-tokens.ts";
import type { Place } from "./place.ts";
import { isFolded, spokenMessages } from "./wire-view.ts";

export interface FoldingPorts {
  /** When to fold, as it is configured now. */
  readonly thresholds: () => ThresholdsConfiguration;
  readonly registry: ModelRegistry;
}

/** Below this share of what is folded at, a prompt surely needs no fold: by its size, and where it was counted. */
const SURE_SHARE = 0.85;
const SURELY_COUNTED_SHARE = 0.95;
/** Hardly any text has more. */
const MOST_TOKENS_PER_BYTE = 0.75;

/**
 * What to send where no policy would fold anything now: the request as it came, or with the folds that its session has. Undefined where
 * that is not sure.
 */
export function carriedSurely(
  heard: Heard,
  place: Place,
  { model, adapter, limits, ...ports }: Asked & FoldingPorts,
): Carried | undefined {
  const promptLimits = limits.of(model);
  const { maxViewBytes, maxImages } = byteLimits(heard, promptLimits);
  if (ports.thresholds().adaptive || maxViewBytes !== undefined || maxImages !== undefined) return undefined;
  if (place.type !== "create" && place.type !== "continue") return undefined;
  const last = place.type === "continue" ? place.conversation.last : undefined;
  const ratio = tokenRatioAt(heard, place, { model, registry: ports.registry });
  const atOnce = foldedAt(heard, { model, limits, ratio, ...ports });
  if (place.type === "create" || !isFolded(place.snapshot.log)) {
    return mostTokens(heard, last, ratio) < SURE_SHARE * atOnce ? carriedAsItCame(heard, last) : undefined;
  }
  // What is hidden may be pointed to: only the session can show it.
  const known = spokenMessages(place.snapshot.log).length;
  if (heard.messages.slice(known).some(holdsPointer)) return undefined;
  // Until the session was told its model, it does not know that one's tokens.
  const isTold = place.conversation.beside.told?.modelId === model.modelId;
  const replayed = isTold ? carriedByReplay(heard, place.snapshot, adapter) : undefined;
  return replayed !== undefined && replayed.tokensSent < SURELY_COUNTED_SHARE * atOnce ? replayed : undefined;
}

/** Whether what is to be sent fits the window: by its size where that is clear, else by counting. */
export function leavesRoom(
  heard: Heard,
  { body, tokensSent }: Carried,
  { model, limits, budgetTokens }: Pick<Asked, "model" | "limits" | "budgetTokens">,
): boolean {
  const { contextWindow } = limits.of(model);
  const most = Math.min(contextWindow, budgetTokens ?? contextWindow);
  if (body !== undefined) return tokensSent <= most;
  return mostTokens(heard, undefined, 1) <= most || countedTokens(heard) <= most;
}

/** The model's tokens for one of ours, as the session would have it for this request; what it does not know yet is what the model is known for. */
function tokenRatioAt(
  heard: Heard,
  place: Extract<Place, { type: "create" | "continue" }>,
  { model, registry }: Pick<Asked, "model"> & Pick<FoldingPorts, "registry">,
): number {
  const known = registry.find(model.modelId).tokenRatio ?? 1;
  const isTold = place.type === "continue" && place.conversation.beside.told?.modelId === model.modelId;
  return isTold ? ratioFor(heard, place.snapshot) : known;
}

/** The prompt from which on something is folded. */
function foldedAt(
  { request }: Heard,
  {
    model,
    limits,
    registry,
    thresholds,
    ratio,
  }: Pick<Asked, "model" | "limits"> & FoldingPorts & { readonly ratio: number },
): number {
  const entry = registry.find(model.modelId);
  const percent = thresholds().global ?? condenseDefaults(entry).thresholdPercent;
  const { contextWindow, maxTokens } = roomFor(request, limits.of(model), undefined);
  const { inputLimitTokens = contextWindow } = entry;
  const overhead = ratio * overheadTokens(besideText(request));
  const trigger = overhead + (percent / 100) * Math.max(0, contextWindow - overhead);
  const allowed = allowedTokens({ contextWindow, maxTokens, inputLimitTokens, overheadTokens: overhead });
  return Math.min(trigger, allowed);
}

/** More than the prompt can have, by the size of the body and what the last one turned out to be. */
function mostTokens({ body: { length: bodyBytes } }: Heard, last: LastRequest | undefined, ratio: number): number {
  const perByte = MOST_TOKENS_PER_BYTE * Math.max(1, ratio);
  if (last?.promptTokens === undefined || bodyBytes < last.bodyBytes) return bodyBytes * perByte;
  return last.promptTokens + (bodyBytes - last.bodyBytes) * perByte;
}

function countedTokens({ request, messages }: Heard): number {
  return countMessagesTokens(messages) + overheadTokens(besideText(request));
}
