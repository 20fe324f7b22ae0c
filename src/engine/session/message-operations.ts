import { assert, assertObject } from "../../core/assert.ts";
import { PalimpsestError } from "../../core/errors.ts";
import { createMessageLocks, type MessageLocks } from "./message-locks.ts";
import type { Session } from "./session.ts";
import type { SessionContext } from "./session-context.ts";
import { assertUpdate, updateMessages } from "./update-messages.ts";

type MessageOperations = Pick<Session, "update" | "mark" | "lock" | "isLocked" | "getHolder" | "unlock">;

/** The operations that change, mark and lock single messages. */
export function messageOperations({ ports: { stored }, live, enqueue }: SessionContext): MessageOperations {
  const locks = stored === undefined ? undefined : createMessageLocks(stored.store, stored.session);
  const update: Session["update"] = async (idOrIds, change, { locks: isLocked = true, ...lockOptions } = {}) => {
    const ids = typeof idOrIds === "string" ? [idOrIds] : idOrIds;
    assertUpdate(ids, change);
    // Outside the session's queue: other operations go on while this one waits for a lock.
    const held = isLocked ? ((await locks?.acquireAll(ids, lockOptions)) ?? []) : [];
    try {
      return await enqueue(() => updateMessages(live, ids, change));
    } finally {
      await Promise.allSettled(held.map((lock) => lock.release()));
    }
  };
  return {
    update,
    mark: async (messageId, mark) => {
      assertObject("mark", mark);
      const { important } = mark;
      assert(typeof important === "boolean", "mark.important", important, "true or false");
      await update(messageId, (messages) => messages.map((message) => ({ ...message, important })));
    },
    lock: async (messageId, lockOptions) => assertLocks(locks).acquire(messageId, lockOptions),
    isLocked: async (messageId) => assertLocks(locks).isLocked(messageId),
    getHolder: async (messageId) => assertLocks(locks).getHolder(messageId),
    unlock: async (messageId) => assertLocks(locks).forceRelease(messageId),
  };
}

function assertLocks(locks: MessageLocks | undefined): MessageLocks {
  if (locks !== undefined) return locks;
  throw new PalimpsestError(
    "invalid-configuration",
    "Locks need a store. Pass one to createEngine, for example memoryStore() of palimpsest/stores/memory.",
  );
}
