import { PalimpsestError } from "../../core/errors.ts";
import type { Store } from "../../core/ports/store.ts";
import type { CircuitBreaker } from "./circuit-breaker.ts";
import type { BufferRoom } from "./session-buffer.ts";
import type { SessionHandle, SessionHandles } from "./session-handles.ts";

/** The state that all calls of a buffered store share. */
export interface OutageContext {
  /** The store that may hang or fail. */
  readonly behind: Store;
  readonly breaker: CircuitBreaker;
  readonly handles: SessionHandles;
  readonly room: BufferRoom;
  readonly now: () => number;
  readonly isClosed: () => boolean;
}

/** Throws if the buffered store was closed. */
export function assertInUse({ isClosed }: OutageContext): void {
  if (isClosed()) throw new PalimpsestError("store-failed", "The store is closed. Open another one.");
}

/** Makes a call that cannot be answered from memory. If the breaker is open, first probes whether the store answers again. Throws if it does not. */
export async function assertAnswer<Value>(context: OutageContext, call: () => Promise<Value>): Promise<Value> {
  assertInUse(context);
  await context.breaker.probeNow();
  const asked = await context.breaker.ask(call);
  if (asked.type === "answered") return asked.value;
  throw unavailable();
}

/** Returns the handle of a key; undefined if the key is one of the store without a handle. Throws if the session must be opened again. */
export function handleOf({ handles }: OutageContext, key: number): SessionHandle | undefined {
  const handle = handles.byKey(key);
  if (handle?.isGone !== true) return handle;
  throw new PalimpsestError("not-found", `The session ${JSON.stringify(handle.id)} must be opened again.`);
}

/** Returns the session's key in the store. Throws if the session has none yet. */
export function storeKeyOf(context: OutageContext, key: number): number {
  const handle = handleOf(context, key);
  if (handle === undefined) return key;
  if (handle.storeKey === undefined) throw unavailable();
  return handle.storeKey;
}

/** Creates the error of calls that need the store while it does not answer. */
export function unavailable(): PalimpsestError {
  return new PalimpsestError(
    "store-failed",
    "The store fails or does not answer, and is left alone until it answers again. Look at the database and its disk; " +
      "what the gateway is told meanwhile waits in memory.",
  );
}
