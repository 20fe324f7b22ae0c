import type { Store } from "../../core/ports/store.ts";
import { assertLockName, assertLockRelease, assertLockRequest } from "../../core/store/assert-store-arguments.ts";
import { lookupCalls } from "./buffered-lookups.ts";
import { recordCalls } from "./buffered-records.ts";
import { stateCalls } from "./buffered-states.ts";
import { type BreakerTimings, createCircuitBreaker, LATE_CALL } from "./circuit-breaker.ts";
import { assertAnswer, type OutageContext, storeKeyOf } from "./outage-context.ts";
import { createBufferRoom } from "./session-buffer.ts";
import { createSessionHandles, type SessionHandles } from "./session-handles.ts";
import type { WriteBackOutcome } from "./write-back.ts";
import { createWriteBackQueue } from "./write-back-queue.ts";

export interface BufferedStoreOptions {
  readonly store: Store;
  /** How long a call may take until it is abandoned and the store counts as unavailable. */
  readonly timeoutMs: number;
  readonly now: () => number;
  /** The most characters of records that are buffered in memory, over all sessions. @default 256 Mi */
  readonly maxBufferedSize?: number | undefined;
  readonly timings?: Partial<BreakerTimings> | undefined;
  readonly onEvent?: ((event: OutageEvent) => void) | undefined;
}

/** A change in the availability of the store, or the end of a session's write-back. */
export type OutageEvent =
  /** A call failed with this error; or, if it is undefined, took too long. */
  | { readonly type: "unavailable"; readonly error: unknown }
  | { readonly type: "available" }
  | { readonly type: "written-back"; readonly sessionId: string; readonly outcome: WriteBackOutcome };

/**
 * A store that keeps working while the store behind it hangs or fails. Records that are appended in that time are buffered in memory, and written
 * back when that store answers again. Calls that need records that are not in memory throw "store-failed" at once.
 */
export interface BufferedStore {
  readonly store: Store;
  /** The same store, but while the store behind it does not answer, `find` and `search` do not throw and return what is in memory. */
  readonly asFarAsKnown: Store;
  /** Whether the store behind it answered the last call. */
  isAvailable(): boolean;
  /** Counts the records that the store behind it does not have yet. */
  unsaved(): UnsavedRecords;
  /** Tries once to write all buffers back, and resolves when that is done or failed. */
  flush(): Promise<void>;
  /** Stops the probes and the write-back. */
  stop(): void;
}

export interface UnsavedRecords {
  readonly sessions: number;
  readonly records: number;
}

const MOST_BUFFERED = 256 * 1024 * 1024;
const PROBED_ID = "palimpsest-probe";

export function bufferedStore(options: BufferedStoreOptions): BufferedStore {
  const { store: behind, timeoutMs, now, timings, onEvent = () => {} } = options;
  const handles = createSessionHandles();
  const breaker = createCircuitBreaker({
    probe: () => behind.find(PROBED_ID),
    timeoutMs,
    timings,
    onOpened: (reason) => onEvent({ type: "unavailable", error: reason === LATE_CALL ? undefined : reason.error }),
    onClosed: () => {
      onEvent({ type: "available" });
      queue.start();
    },
  });
  const queue = createWriteBackQueue({
    store: behind,
    now,
    timeoutMs,
    handles,
    isBlocked: breaker.isOpen,
    onWritten: (sessionId, outcome) => onEvent({ type: "written-back", sessionId, outcome }),
  });
  const room = createBufferRoom(options.maxBufferedSize ?? MOST_BUFFERED);
  let isClosed = false;
  const context: OutageContext = { behind, breaker, handles, room, now, isClosed: () => isClosed };
  const stop = () => {
    breaker.stop();
    queue.stop();
  };
  const store: Store = {
    ...recordCalls(context),
    ...lookupCalls(context, "complete"),
    ...sideCalls(context),
    ...stateCalls(context),
    close: () => {
      isClosed = true;
      stop();
      return behind.close();
    },
  };
  return {
    store,
    asFarAsKnown: { ...store, ...lookupCalls(context, "as far as known") },
    isAvailable: () => !breaker.isOpen(),
    unsaved: () => countUnsaved(handles),
    flush: queue.flush,
    stop,
  };
}

function countUnsaved(handles: SessionHandles): UnsavedRecords {
  const counts = handles
    .buffered()
    .map(({ buffer }) => (buffer === undefined ? 0 : buffer.pending().length + buffer.lostRecords()))
    .filter((count) => count > 0);
  return { sessions: counts.length, records: counts.reduce((sum, count) => sum + count, 0) };
}

type SideCalls = Pick<
  Store,
  "acquireLock" | "findLock" | "releaseLock" | "saveCheckpoint" | "listCheckpoints" | "deleteCheckpoint"
>;

/** Returns the store's calls for locks and checkpoints. All gateways on the store share them, so without the store these calls throw. */
function sideCalls(context: OutageContext): SideCalls {
  const { behind } = context;
  /** Makes a call with the session's key in the store. */
  async function ask<Value>(key: number, call: (storeKey: number) => Promise<Value>): Promise<Value> {
    const storeKey = storeKeyOf(context, key);
    return assertAnswer(context, () => call(storeKey));
  }
  return {
    acquireLock: async (lock) => {
      assertLockRequest(lock);
      return ask(lock.sessionKey, (sessionKey) => behind.acquireLock({ ...lock, sessionKey }));
    },
    findLock: async (lock) => {
      assertLockName(lock);
      return ask(lock.sessionKey, (sessionKey) => behind.findLock({ ...lock, sessionKey }));
    },
    releaseLock: async (lock) => {
      assertLockRelease(lock);
      return ask(lock.sessionKey, (sessionKey) => behind.releaseLock({ ...lock, sessionKey }));
    },
    saveCheckpoint: (key, checkpoint) => ask(key, (storeKey) => behind.saveCheckpoint(storeKey, checkpoint)),
    listCheckpoints: (key, options) => ask(key, (storeKey) => behind.listCheckpoints(storeKey, options)),
    deleteCheckpoint: (key, checkpointId) => ask(key, (storeKey) => behind.deleteCheckpoint(storeKey, checkpointId)),
  };
}
