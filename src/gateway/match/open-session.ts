import { PalimpsestError } from "../../core/errors.ts";
import type { Store } from "../../core/ports/store.ts";
import type { Session } from "../../engine/session/session.ts";
import type { Conversation, SessionPool } from "../sessions/session-pool.ts";

export interface OpenPorts {
  readonly store: Store;
  readonly pool: SessionPool;
}

export interface OpenedSession<Value> {
  readonly conversation: Conversation;
  readonly seen: Value;
}

/** Opens a session and reads it with `look`; undefined where the session is deleted. */
export async function openSession<Value>(
  id: string,
  { pool, store }: OpenPorts,
  look: (session: Session) => Promise<Value>,
): Promise<OpenedSession<Value> | undefined> {
  // To open a session that is deleted would create it again.
  if (!pool.isOpen(id) && (await store.find(id)) === undefined) return undefined;
  const conversation = pool.conversation(id);
  try {
    // Enqueued: messages of an earlier request may still be waiting to be written to the log.
    const seen = await conversation.enqueue(async () => look(await conversation.session()));
    return { conversation, seen };
  } catch (error) {
    if (!isGone(error)) throw error;
    pool.forget(id);
    return undefined;
  }
}

/** Whether an error says that the session was deleted after it was opened. */
export function isGone(error: unknown): boolean {
  return error instanceof PalimpsestError && error.code === "not-found";
}
