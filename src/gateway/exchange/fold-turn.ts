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

/** The model that a request is sent to, and the settings that hold for the request. */
export interface Target {
  readonly model: TargetModel;
  readonly adapter: WireAdapter;
  readonly limits: LearnedLimits;
  /** The most tokens that the prompt may have, even where the window has room for more. */
  readonly budgetTokens: number | undefined;
  /** How requests of conversations are marked for the provider's cache. @default not at all */
  readonly marking?: Marking | undefined;
  /** Whether requests of conversations ask why the provider's cache missed. @default false */
  readonly diagnosesCache?: boolean | undefined;
}

export interface Marking extends CacheBreakpoints {
  /** Whether requests without folds are marked, too. */
  readonly isForAll: boolean;
}

type FoldedPorts = Pick<RecordPorts, "feed" | "now">;

/**
 * Folds a request in its session until it fits; undefined where the session's log no longer equals the request. Call it inside of the
 * conversation's `enqueue`.
 */
export async function foldTurn(
  incoming: IncomingRequest,
  { conversation, aligned }: Pick<Recorded, "conversation" | "aligned">,
  { feed, now, ...target }: Target & FoldedPorts,
): Promise<OutgoingRequest | undefined> {
  const session = await conversation.session();
  const folding = { session, configured: conversation.prompt, known: aligned };
  const ports = { ...foldPorts(incoming, target), breakpoints: target.marking };
  const outgoing = await forwardFolded(incoming, folding, ports);
  conversation.prompt.outlook = outgoing && outlookAfter(outgoing, now());
  const isFolded = outgoing !== undefined && outgoing.newFoldIds.length > 0;
  if (isFolded) feed.publish({ type: "session", at: now(), sessionId: conversation.id, change: "folded" });
  return outgoing;
}

export interface ScratchPorts {
  /** An engine without a store, for folds that are not kept. */
  readonly scratch: Engine;
  /** Makes an engine without a store that only truncates, for requests whose folding failed; undefined where truncation is switched off. */
  readonly truncator: () => Engine | undefined;
  readonly registry: ModelRegistry;
  readonly enqueueFold: KeyedQueue;
}

interface TokenRatio {
  /** How many tokens the model counts for one of ours, where that was measured. @default the ratio in the model's registry entry */
  readonly tokenRatio?: number | undefined;
}

/** The share of the allowed tokens that the fold of a summary request aims at: the rest covers the error of our counts. */
const SUMMARY_TARGET_SHARE = 0.97;

/** Folds a request until it fits, in a session of its own that is not kept. The same request is always folded in the same way. */
export async function foldInScratch(
  incoming: IncomingRequest,
  { scratch, registry, enqueueFold }: Pick<ScratchPorts, "scratch" | "registry" | "enqueueFold">,
  target: Target & TokenRatio,
): Promise<OutgoingRequest | undefined> {
  // Fold ids contain the session's id: it is the same for the same messages.
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

/** How many tokens, by our count, the conversation in a summary request may have. */
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

/** Runs tasks with the same key one after the other: the same request may be sent twice at once. */
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
  const promptLimits = limits.of(model);
  return { adapter, limits: promptLimits, room: roomFor(request, promptLimits, budgetTokens) };
}

export interface FallbackPorts extends ScratchPorts {
  /** Called with the name of the step that failed and its error; neither holds content of a request. */
  readonly incident: (what: string, error: unknown) => void;
}

/** Whether an error says that the store could not be used. */
export function isStoreFailure(error: unknown): boolean {
  return error instanceof PalimpsestError && error.code === "store-failed";
}

/**
 * Folds a request whose session failed with `error`. After a failure of the store the request is folded on its own; if folding fails, it is only
 * truncated. Undefined where that fails too, where truncation is off, or where system prompt and tools alone are too long.
 */
export async function foldWithoutSession(
  error: unknown,
  incoming: IncomingRequest,
  ports: Target & FallbackPorts,
): Promise<OutgoingRequest | undefined> {
  try {
    if (isStoreFailure(error)) return await foldInScratch(incoming, ports, ports).catch(ignoreCannotFit);
  } catch (thrown) {
    ports.incident("fold", thrown);
  }
  const scratch = ports.truncator();
  if (scratch === undefined) return undefined;
  try {
    return await foldInScratch(incoming, { ...ports, scratch }, ports).catch(ignoreCannotFit);
  } catch (thrown) {
    ports.incident("truncate", thrown);
    return undefined;
  }
}

/** Whether an error says that system prompt and tools alone are too long. */
export function isCannotFit(error: unknown): boolean {
  return error instanceof PalimpsestError && error.code === "cannot-fit";
}

/** Gives undefined for the error "cannot-fit", as nothing can be shortened and the upstream will refuse the request itself; throws any other error. */
export function ignoreCannotFit(error: unknown): undefined {
  if (!isCannotFit(error)) throw error;
}
