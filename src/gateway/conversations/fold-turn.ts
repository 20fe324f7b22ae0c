import type { ModelRegistry } from "../../core/models/registry.ts";
import type { WireAdapter } from "../../core/ports/wire-adapter.ts";
import { allowedTokens } from "../../core/tokens/budget.ts";
import type { Engine } from "../../engine/engine.ts";
import { type PromptRoom, roomFor } from "./beside.ts";
import { type Carried, carriedByFolding, type FoldPorts } from "./carry.ts";
import type { Conversation } from "./desk.ts";
import { beginningId } from "./fingerprints.ts";
import { type Heard, newMessages } from "./heard.ts";
import { keepNewest } from "./keep-newest.ts";
import type { AskedModel, LearnedLimits } from "./limits.ts";
import { besideText, overheadTokens } from "./overhead-tokens.ts";
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

export interface ScratchPorts {
  /** An engine without a store, for what is not to be kept. */
  readonly scratch: Engine;
  /** The same, but it only truncates, for what cannot be folded otherwise; undefined where truncation is switched off. */
  readonly truncator: () => Engine | undefined;
  readonly registry: ModelRegistry;
}

interface TokenRatio {
  /** The model's tokens for one of ours, where that was measured. @default as the model is known for */
  readonly tokenRatio?: number | undefined;
}

/** What a fold for a summary aims at: the rest is for what our counts are wrong by. */
const SUMMARY_TARGET_SHARE = 0.97;

/** Folds a request that belongs to no session until it fits. Nothing of it is kept: the same request gives the same again. */
export async function foldOnce(
  heard: Heard,
  { scratch, registry }: Pick<ScratchPorts, "scratch" | "registry">,
  asked: Asked & TokenRatio,
): Promise<Carried | undefined> {
  // Folds are named after their session: it is the same one for the same words.
  const id = beginningId(heard.fingerprints);
  const ports = foldPorts(heard, asked);
  const said = newMessages(heard, { from: 0, now: 0 });
  const { tokenRatio } = asked;
  const targetShare = heard.isCompaction ? SUMMARY_TARGET_SHARE : undefined;
  const messages =
    targetShare === undefined ? said : keepNewest(said, summaryRoom(heard, ports.room, { registry, ...asked }));
  return inTurn(id, async () => {
    const session = await scratch.session(id, { messages });
    try {
      const told = { session, beside: { told: undefined } };
      return await carriedByFolding(heard, told, { ...ports, targetShare, tokenRatio });
    } finally {
      session.close();
    }
  });
}

/** What the conversation in a wish for a summary may take, as we count. */
function summaryRoom(
  { request }: Heard,
  { contextWindow, maxTokens }: PromptRoom,
  { registry, model, tokenRatio }: Pick<ScratchPorts, "registry"> & Pick<Asked, "model"> & TokenRatio,
): number {
  const entry = registry.find(model.modelId);
  const { inputLimitTokens = contextWindow } = entry;
  const ratio = tokenRatio ?? entry.tokenRatio ?? 1;
  const overhead = overheadTokens(besideText(request));
  const allowed = allowedTokens({ contextWindow, maxTokens, inputLimitTokens, overheadTokens: ratio * overhead });
  return (SUMMARY_TARGET_SHARE * allowed) / ratio - overhead;
}

/** What is being folded for itself; the same words may be sent twice at once. */
const folding = new Map<string, Promise<unknown>>();

function inTurn<Value>(id: string, task: () => Promise<Value>): Promise<Value> {
  const before = folding.get(id) ?? Promise.resolve();
  const running = before.then(task, task);
  folding.set(id, running);
  const over = () => {
    if (folding.get(id) === running) folding.delete(id);
  };
  running.then(over, over);
  return running;
}

function foldPorts({ request }: Heard, { model, adapter, limits, budgetTokens }: Asked): FoldPorts {
  const known = limits.of(model);
  return { adapter, limits: known, room: roomFor(request, known, budgetTokens) };
}
