import type { WireAdapter } from "../../core/ports/wire-adapter.ts";
import { roomFor } from "./beside.ts";
import { type Carried, carriedByFolding } from "./carry.ts";
import type { Conversation } from "./desk.ts";
import type { Heard } from "./heard.ts";
import type { AskedModel, LearnedLimits } from "./limits.ts";

/** What a request is sent to, and how. */
export interface Asked {
  readonly model: AskedModel;
  readonly adapter: WireAdapter;
  readonly limits: LearnedLimits;
  /** The most that the request itself wants to be. */
  readonly budgetTokens: number | undefined;
}

export interface FoldTurnOptions {
  /** By our own count the prompt must stay below it, whatever the window is. @default no limit */
  readonly mostTokens?: number | undefined;
}

/** Folds a request that its session's log ends with until it fits. */
export function foldTurn(
  heard: Heard,
  conversation: Conversation,
  { model, adapter, limits, budgetTokens, mostTokens }: Asked & FoldTurnOptions,
): Promise<Carried> {
  const known = limits.of(model);
  const wanted = Math.min(budgetTokens ?? Number.POSITIVE_INFINITY, mostTokens ?? Number.POSITIVE_INFINITY);
  const room = roomFor(heard.request, known, Number.isFinite(wanted) ? wanted : undefined);
  return conversation.inTurn(() => carriedByFolding(heard, conversation, { adapter, room, limits: known }));
}
