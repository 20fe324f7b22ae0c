import { PalimpsestError } from "../../core/errors.ts";
import type { Store } from "../../core/ports/store.ts";
import type { SessionSnapshot } from "../../engine/session/session.ts";
import type { Conversation, SessionPool } from "../sessions/session-pool.ts";

export interface OpenPorts {
  readonly store: Store;
  readonly pool: SessionPool;
}

export interface OpenedSession {
  readonly conversation: Conversation;
  readonly snapshot: SessionSnapshot;
}

/** A session and its snapshot; undefined where it is deleted or empty. */
export async function openSession(id: string, { pool, store }: OpenPorts): Promise<OpenedSession | undefined> {
  // To open a session that is deleted would create it again.
  if (!pool.isOpen(id) && (await store.find(id)) === undefined) return undefined;
  const conversation = pool.conversation(id);
  try {
    // Enqueued: messages of an earlier request may still be waiting to be written to the log.
    const snapshot = await conversation.enqueue(async () => (await conversation.session()).snapshot());
    return snapshot.version === 0 ? undefined : { conversation, snapshot };
  } catch (error) {
    if (!isGone(error)) throw error;
    pool.forget(id);
    return undefined;
  }
}

/** Whether someone deleted the session meanwhile: whoever opens it again finds a new one. */
export function isGone(error: unknown): boolean {
  return error instanceof PalimpsestError && error.code === "not-found";
}
