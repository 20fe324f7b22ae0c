import type { StoredSession } from "../../core/ports/store.ts";
import type { SessionBuffer } from "./session-buffer.ts";

/** A session as its users know it: by a key that stays the same, whatever becomes of the session in its store. */
export interface SessionHandle {
  readonly key: number;
  readonly id: string;
  /** In the store; undefined where the session was opened while that did not answer. */
  storeKey: number | undefined;
  /** The session as the store described it last. */
  stored: StoredSession;
  /** How many records its user was given or has written. */
  deliveredVersion: number;
  /** How many records there are, as far as the store told. */
  latestVersion: number;
  /** Where there is a buffer, the session is served from it and not from the store. */
  buffer: SessionBuffer | undefined;
  /** Calls whose end nobody waited for, and that may still write to the session. */
  readonly unsettled: Set<Promise<void>>;
  /** Writes the buffer to the store; undefined where nobody does. */
  writing: Promise<void> | undefined;
  /** Whoever still has it must open the session again. */
  isGone: boolean;
}

export interface SessionHandles {
  byKey(key: number): SessionHandle | undefined;
  /** The newest of a session that can be used. */
  ofSession(sessionId: string): SessionHandle | undefined;
  /** For a session as the store tells it. */
  forStored(stored: StoredSession): SessionHandle;
  /** For one that was opened while the store did not answer: its buffer is all that there is. */
  forUnknown(session: Omit<StoredSession, "key">, buffer: SessionBuffer): SessionHandle;
  /** The key by which a session of the store can be reached. */
  keyFor(sessionId: string, storeKey: number): number;
  /** Has a session served from memory. */
  useBuffer(handle: SessionHandle, buffer: SessionBuffer): void;
  /** Those that are served from memory. */
  buffered(): readonly SessionHandle[];
  /** The session was deleted. */
  forget(sessionId: string): void;
}

/** Those that were opened longest ago are forgotten: their sessions were closed long before. */
const MOST_HANDLES = 10_000;

export function createSessionHandles(): SessionHandles {
  const handles = new Map<number, SessionHandle>();
  const current = new Map<string, SessionHandle>();
  /** Among them are all that have a buffer: a lookup does not go through all handles. */
  const withBuffers = new Set<SessionHandle>();
  /** No store has counted so far. */
  let nextOwnKey = Number.MAX_SAFE_INTEGER;

  function add(handle: SessionHandle): SessionHandle {
    handles.set(handle.key, handle);
    current.set(handle.id, handle);
    for (const old of handles.values()) {
      if (handles.size <= MOST_HANDLES) break;
      if (old.buffer === undefined) remove(old);
    }
    return handle;
  }

  function remove(handle: SessionHandle): void {
    handles.delete(handle.key);
    if (current.get(handle.id) === handle) current.delete(handle.id);
  }

  function create(stored: StoredSession, storeKey: number | undefined): SessionHandle {
    return {
      key: stored.key,
      id: stored.id,
      storeKey,
      stored,
      deliveredVersion: 0,
      latestVersion: stored.version,
      buffer: undefined,
      unsettled: new Set(),
      writing: undefined,
      isGone: false,
    };
  }

  function useBuffer(handle: SessionHandle, buffer: SessionBuffer): void {
    handle.buffer = buffer;
    withBuffers.add(handle);
  }

  function ofSession(sessionId: string): SessionHandle | undefined {
    const handle = current.get(sessionId);
    return handle?.isGone === true ? undefined : handle;
  }

  return {
    byKey: (key) => handles.get(key),
    ofSession,
    forStored: (stored) => {
      const known = ofSession(stored.id);
      if (known?.storeKey === stored.key && known.buffer === undefined) {
        known.stored = stored;
        known.latestVersion = Math.max(known.deliveredVersion, stored.version);
        return known;
      }
      // One that is gone keeps its key: whoever still has that one must not reach the session by it.
      const key = handles.has(stored.key) ? nextOwnKey-- : stored.key;
      return add(create({ ...stored, key }, stored.key));
    },
    forUnknown: (session, buffer) => {
      const handle = add(create({ ...session, key: nextOwnKey-- }, undefined));
      useBuffer(handle, buffer);
      return handle;
    },
    keyFor: (sessionId, storeKey) => {
      const known = ofSession(sessionId);
      if (known?.storeKey === storeKey) return known.key;
      if (handles.get(storeKey)?.isGone !== true) return storeKey;
      const unread = {
        id: sessionId,
        version: Number.POSITIVE_INFINITY,
        rewriteVersion: 0,
        createdAt: 0,
        updatedAt: 0,
      };
      return add(create({ ...unread, key: nextOwnKey-- }, storeKey)).key;
    },
    useBuffer,
    buffered: () => {
      for (const handle of withBuffers) if (handle.buffer === undefined) withBuffers.delete(handle);
      return [...withBuffers];
    },
    forget: (sessionId) => {
      for (const handle of handles.values()) {
        if (handle.id !== sessionId) continue;
        handle.buffer?.drop();
        handle.buffer = undefined;
        // One with a key of the store's own is told by the store that the session is gone.
        if (handle.key === handle.storeKey) remove(handle);
        else handle.isGone = true;
      }
    },
  };
}
