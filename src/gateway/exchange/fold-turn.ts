import { PalimpsestError } from "../../core/errors.ts";
import type { ModelRegistry } from "../../core/models/registry.ts";
import type { CacheBreakpoints, WireAdapter } from "../../core/ports/wire-adapter.ts";
import { allowedTokens } from "../../core/tokens/budget.ts";
import type { Engine } from "../../engine/engine.ts";
import { beginningId } from "../match/fingerprints.ts";
import { type IncomingRequest, newMessages } from "../match/incoming-request.ts";
import { overheadOf, type PromptRoom, roomFor } from "./configure-session.ts";
import { keepNewest } from "./forward-summary.ts";
import type { LearnedLimits, TargetModel } from "./limits.ts";
import { type FoldPorts, forwardFolded, type OutgoingRequest } from "./outgoing-request.ts";
import type { Recorded, RecordPorts } from "./record.ts";
import { outlookAfter } from "./surely-fits.ts";

/** What a request is sent to, and how. */
export interface Target {
  readonly model: TargetModel;
  readonly adapter: WireAdapter;
  readonly limits: LearnedLimits;
  /** The most that the prompt may be, whatever the window is. */
  readonly budgetTokens: number | undefined;
  /** How requests of conversations are marked for the provider's cache. @default not at all */
  readonly marking?: Marking | undefined;
  /** Whether requests of conversations ask why the provider's cache missed. @default false */
  readonly diagnosesCache?: boolean | undefined;
}

export interface Marking extends CacheBreakpoints {
  /** Whether those that show no folds are, too. */
  readonly isForAll: boolean;
}

type FoldedPorts = Pick<RecordPorts, "feed" | "now">;

/**
 * Folds a request in its session until it fits; undefined where the session's log is no longer what the request says. Call it inside of
 * `enqueue`.
 */
export async function foldTurn(
  incoming: IncomingRequest,
  { conversation, aligned }: Pick<Recorded, "conversation" | "aligned">,
  { feed, now, ...target }: Target & FoldedPorts,
): Promise<OutgoingRequest | undefined> {
  const session = await conversation.session();
  const folding = { session, configured: conversation, known: aligned };
  const ports = { ...foldPorts(incoming, target), breakpoints: target.marking };
  const outgoing = await forwardFolded(incoming, folding, ports);
  conversation.outlook = outgoing && outlookAfter(outgoing, now());
  const isFolded = outgoing !== undefined && outgoing.newFoldIds.length > 0;
  if (isFolded) feed.publish({ type: "session", at: now(), sessionId: conversation.id, change: "folded" });
  return outgoing;
}

export interface ScratchPorts {
  /** An engine without a store, for what is not to be kept. */
  readonly scratch: Engine;
  /** The same, but it only truncates, for what cannot be folded otherwise; undefined where truncation is switched off. */
  readonly truncator: () => Engine | undefined;
  readonly registry: ModelRegistry;
  readonly enqueueFold: KeyedQueue;
}

interface TokenRatio {
  /** The model's tokens for one of ours, where that was measured. @default as the model is known for */
  readonly tokenRatio?: number | undefined;
}

/** The share of what is allowed that a fold for a summary request aims at: the rest covers the error of our counts. */
const SUMMARY_TARGET_SHARE = 0.97;

/** Folds a request that belongs to no session until it fits. Nothing of it is kept: the same request gives the same again. */
export async function foldOnce(
  incoming: IncomingRequest,
  { scratch, registry, enqueueFold }: Pick<ScratchPorts, "scratch" | "registry" | "enqueueFold">,
  target: Target & TokenRatio,
): Promise<OutgoingRequest | undefined> {
  // Folds are named after their session: it is the same one for the same words.
  const id = beginningId(incoming.fingerprints);
  const ports = foldPorts(incoming, target);
  const said = newMessages(incoming, { from: 0, now: 0 });
  const { tokenRatio } = target;
  const targetShare = incoming.isCompaction ? SUMMARY_TARGET_SHARE : undefined;
  const messages =
    targetShare === undefined ? said : keepNewest(said, summaryRoom(incoming, ports.room, { registry, ...target }));
  return enqueueFold(id, async () => {
    const session = await scratch.session(id, { messages });
    try {
      const unconfigured = { session, configured: { lastConfigured: undefined }, known: undefined };
      return await forwardFolded(incoming, unconfigured, { ...ports, targetShare, tokenRatio });
    } finally {
      session.close();
    }
  });
}

/** What the conversation in a summary request may take, in our tokens. */
function summaryRoom(
  { request }: IncomingRequest,
  { contextWindow, maxTokens }: PromptRoom,
  { registry, model, tokenRatio }: Pick<ScratchPorts, "registry"> & Pick<Target, "model"> & TokenRatio,
): number {
  const entry = registry.find(model.modelId);
  const { inputLimitTokens = contextWindow } = entry;
  const ratio = tokenRatio ?? entry.tokenRatio ?? 1;
  const overhead = overheadOf(request).tokens;
  const allowed = allowedTokens({ contextWindow, maxTokens, inputLimitTokens, overheadTokens: ratio * overhead });
  return (SUMMARY_TARGET_SHARE * allowed) / ratio - overhead;
}

/** Runs tasks with the same key one after the other: the same words may be sent twice at once. */
export type KeyedQueue = <Value>(key: string, task: () => Promise<Value>) => Promise<Value>;

export function createKeyedQueue(): KeyedQueue {
  const running = new Map<string, Promise<unknown>>();
  return (key, task) => {
    const result = (running.get(key) ?? Promise.resolve()).then(task, task);
    running.set(key, result);
    const forget = () => {
      if (running.get(key) === result) running.delete(key);
    };
    result.then(forget, forget);
    return result;
  };
}

function foldPorts({ request }: IncomingRequest, { model, adapter, limits, budgetTokens }: Target): FoldPorts {
  const known = limits.of(model);
  return { adapter, limits: known, room: roomFor(request, known, budgetTokens) };
}

export interface FallbackPorts extends ScratchPorts {
  /** Called with what failed, and never with content. */
  readonly incident: (what: string, error: unknown) => void;
}

/** Whether the store could not be used: folding itself did not fail. */
export function isStoreFailure(error: unknown): boolean {
  return error instanceof PalimpsestError && error.code === "store-failed";
}

/**
 * Folds a request for which its session failed: for itself, where only the store failed; by truncation alone, where folding did. Undefined
 * where that fails too, or nothing would fit.
 */
export async function foldWithoutSession(
  error: unknown,
  incoming: IncomingRequest,
  ports: Target & FallbackPorts,
): Promise<OutgoingRequest | undefined> {
  try {
    if (isStoreFailure(error)) return await foldOnce(incoming, ports, ports).catch(ignoreCannotFit);
  } catch (thrown) {
    ports.incident("fold", thrown);
  }
  const scratch = ports.truncator();
  if (scratch === undefined) return undefined;
  try {
    return await foldOnce(incoming, { ...ports, scratch }, ports).catch(ignoreCannotFit);
  } catch (thrown) {
    ports.incident("truncate", thrown);
    return undefined;
  }
}

/** Whether system prompt and tools alone are too long. */
export function isCannotFit(error: unknown): boolean {
  return error instanceof PalimpsestError && error.code === "cannot-fit";
}

/** Resolves with undefined for "cannot-fit": there is nothing to shorten, and the upstream will refuse the request itself. */
export function ignoreCannotFit(error: unknown): undefined {
  if (!isCannotFit(error)) throw error;
}
