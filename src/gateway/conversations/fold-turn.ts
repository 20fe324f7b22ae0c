import type { WireAdapter } from "../../core/ports/wire-adapter.ts";
import type { Engine } from "../../engine/engine.ts";
import { roomFor } from "./beside.ts";
import { type Carried, carriedByFolding, type FoldPorts } from "./carry.ts";
import type { Conversation } from "./desk.ts";
import { type Heard, newMessages } from "./heard.ts";
import type { AskedModel, LearnedLimits } from "./limits.ts";
import type { RecordPorts } from "./record.ts";

/** What a request is sent to, and how. */
export interface Asked {
  readonly model: AskedModel;
  readonly adapter: WireAdapter;
  readonly limits: LearnedLimits;
  /** The most that the prompt may be, whatever the window is. */
  readonly budgetTokens: number | undefined;
}

type FoldedPorts = Pick<RecordPorts, "feed" | "now">;

/** Folds a request in its session until it fits; undefined where the session is no longer the one. Call it in turn. */
export async function foldTurn(
  heard: Heard,
  conversation: Conversation,
  { feed, now, ...asked }: Asked & FoldedPorts,
): Promise<Carried | undefined> {
  const session = await conversation.session();
  const carried = await carriedByFolding(heard, { session, beside: conversation.beside }, foldPorts(heard, asked));
  const isFolded = carried !== undefined && carried.newFoldIds.length > 0;
  if (isFolded) feed.publish({ type: "session", at: now(), sessionId: conversation.id, change: "folded" });
  return carried;
}

/** Folds a request that belongs to no session until it fits. Nothing of it is kept: the same request gives the same again. */
export async function foldOnce(heard: Heard, scratch: Engine, asked: Asked): Promise<Carried | undefined> {
  const session = await scratch.session(crypto.randomUUID(), { messages: newMessages(heard, { from: 0, now: 0 }) });
  try {
    return await carriedByFolding(heard, { session, beside: { told: undefined } }, foldPorts(heard, asked));
  } finally {
    session.close();
  }
}

function foldPorts({ request }: Heard, { model, adapter, limits, budgetTokens }: Asked): FoldPorts {
  const known = limits.of(model);
  return { adapter, limits: known, room: roomFor(request, known, budgetTokens) };
}
