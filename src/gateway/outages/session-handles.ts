import type { StoredSession } from "../../core/ports/store.ts";
import type { SessionBuffer } from "./session-buffer.ts";

/** A session as its users know it: by a key that stays the same, even if the session gets its key in the store only later. */
export interface SessionHandle {
  readonly key: number;
  readonly id: string;
  /** The session's key in the store; undefined if it was opened while the store did not answer, and was not written back yet. */
  storeKey: number | undefined;
  /** The session as the store described it last, with `key` as its key. */
  stored: StoredSession;
  /** The version up to which the session's user has read or written all records. */
  deliveredVersion: number;
  /** The session's version by the store's last answer. */
  latestVersion: number;
  /** If there is a buffer, the session is served from it and not from the store. */
  buffer: SessionBuffer | undefined;
  /** Abandoned calls that may still write to the session. */
  readonly unsettled: Set<Promise<void>>;
  /** The write-back of the buffer; undefined if none is running. */
  writing: Promise<void> | undefined;
  /** Whether the key is no longer valid: its users must open the session again. */
  isGone: boolean;
}

export interface SessionHandles {
  byKey(key: number): SessionHandle | undefined;
  /** Returns the newest handle of a session, unless its key is no longer valid. */
  ofSession(sessionId: string): SessionHandle | undefined;
  /** Returns the handle of a session that the store returned. Creates one if there is none, or if the session is being served from a buffer. */
  forStored(stored: StoredSession): SessionHandle;
  /** Creates the handle of a session that was opened while the store did not answer: only its buffer is known. */
  forUnknown(session: Omit<StoredSession, "key">, buffer: SessionBuffer): SessionHandle;
  /** Returns the key by which a session of the store can be reached through the buffered store. */
  keyFor(sessionId: string, storeKey: number): number;
  /** Has the session served from the buffer from now on. */
  useBuffer(handle: SessionHandle, buffer: SessionBuffer): void;
  /** Returns the handles of the sessions that are served from buffers. */
  buffered(): readonly SessionHandle[];
  /** Drops the buffers and invalidates the keys of a session that was deleted. */
  forget(sessionId: string): void;
}

/** Beyond this number the oldest handles without a buffer are removed: their sessions were closed long ago. */
const MOST_HANDLES = 10_000;

export function createSessionHandles(): SessionHandles {
  const handles = new Map<number, SessionHandle>();
  const current = new Map<string, SessionHandle>();
  /** Has all handles with a buffer, and maybe some whose buffer is gone. Spares lookups a walk over all handles. */
  const withBuffers = new Set<SessionHandle>();
  /** Counts down from the largest integer, so that the keys never collide with those of a store, which count up. */
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
      // A handle that is gone keeps its key: users that still have the key must not reach the session by it.
      const key = handles.has(stored.key) ? nextOwnKey-- : stored.key;
      return add(newHandle({ ...stored, key }, stored.key));
    },
    forUnknown: (session, buffer) => {
      const handle = add(newHandle({ ...session, key: nextOwnKey-- }, undefined));
      useBuffer(handle, buffer);
      return handle;
    },
    keyFor: (sessionId, storeKey) => {
      const known = ofSession(sessionId);
      if (known?.storeKey === storeKey) return known.key;
      if (handles.get(storeKey)?.isGone !== true) return storeKey;
      return add(newHandle(unreadSession(sessionId, nextOwnKey--), storeKey)).key;
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
        // If the key is the one in the store, the store itself answers that the session is gone.
        if (handle.key === handle.storeKey) remove(handle);
        else handle.isGone = true;
      }
    },
  };
}

function newHandle(stored: StoredSession, storeKey: number | undefined): SessionHandle {
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

/** Describes a session of which only the key in the store is known. With an infinite version, none of its records count as read. */
function unreadSession(id: string, key: number): StoredSession {
  return { id, key, version: Number.POSITIVE_INFINITY, rewriteVersion: 0, createdAt: 0, updatedAt: 0 };
}
