import { assert, assertNumber, assertObject } from "../../core/assert.ts";
import { PalimpsestError } from "../../core/errors.ts";
import type { Store, StoredSession } from "../../core/ports/store.ts";
import { MAX_NAME_LENGTH } from "../../core/store/assert-store-arguments.ts";
import { sleep } from "../time-limit.ts";

export interface LockOptions {
  /** The lock's holder. The same holder may acquire it again, and holds it until each lock is released. @default a random name */
  readonly holder?: string | undefined;
  /** The lock expires after this time, in case its holder has crashed. @default 30_000 */
  readonly durationMs?: number | undefined;
  /** How long to wait while another holder has the lock. @default 5_000 */
  readonly timeoutMs?: number | undefined;
}

/** A lock on one message, held until it is released or expires. */
export interface MessageLock {
  readonly messageId: string;
  readonly holder: string;
  readonly expiresAt: number;
  /** Resolves to false where the lock had expired: someone else may hold it by now. */
  release(): Promise<boolean>;
}

/** The locks of one session's messages. They hold for all processes that share the store. */
export interface MessageLocks {
  /** Waits for the lock. Throws "conflict", naming the holder, after `timeoutMs`. */
  acquire(messageId: string, options?: LockOptions): Promise<MessageLock>;
  /** Acquires all locks or none, in the order of the ids, so that two callers never wait for each other. */
  acquireAll(messageIds: readonly string[], options?: LockOptions): Promise<readonly MessageLock[]>;
  /** Whether anyone, in any process, holds the lock now. */
  isLocked(messageId: string): Promise<boolean>;
  /** The holder of the lock now; undefined where it is free. */
  getHolder(messageId: string): Promise<string | undefined>;
  /** Releases a lock, whoever holds it. False where it is free. */
  forceRelease(messageId: string): Promise<boolean>;
}

const DEFAULT_DURATION_MS = 30_000;
const DEFAULT_TIMEOUT_MS = 5_000;
const FIRST_WAIT_MS = 5;
const LONGEST_WAIT_MS = 200;

export function createMessageLocks(store: Store, { key: sessionKey }: StoredSession): MessageLocks {
  const held = createHeldLocks();

  function lockOf(messageId: string, { holder, expiresAt }: Pick<MessageLock, "holder" | "expiresAt">): MessageLock {
    let isReleased = false;
    const release = async () => {
      if (isReleased) return false;
      isReleased = true;
      const name = await lockName(messageId);
      return held.drop({ name, holder }) || store.releaseLock({ sessionKey, name, holder });
    };
    return { messageId, holder, expiresAt, release };
  }

  async function acquire(messageId: string, options: LockOptions = {}): Promise<MessageLock> {
    const { holder, durationMs, timeoutMs } = withDefaults(messageId, options);
    const name = await lockName(messageId);
    const deadline = performance.now() + timeoutMs;
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 2)) {
      const outcome = await store.acquireLock({ sessionKey, name, holder, durationMs });
      if (outcome.type === "acquired") {
        const { expiresAt } = outcome;
        held.take({ name, holder, at: expiresAt - durationMs, expiresAt });
        return lockOf(messageId, { holder, expiresAt });
      }
      const leftMs = deadline - performance.now();
      if (leftMs <= 0) throw heldBy(messageId, outcome.holder, timeoutMs);
      await sleep(Math.min(waitMs, leftMs));
    }
  }

  async function acquireAll(messageIds: readonly string[], options: LockOptions = {}): Promise<readonly MessageLock[]> {
    const holder = options.holder ?? crypto.randomUUID();
    const locks: MessageLock[] = [];
    try {
      for (const messageId of [...new Set(messageIds)].toSorted())
        locks.push(await acquire(messageId, { ...options, holder }));
      return locks;
    } catch (error) {
      await Promise.allSettled(locks.map((lock) => lock.release()));
      throw error;
    }
  }

  async function getHolder(messageId: string): Promise<string | undefined> {
    assertMessageId(messageId);
    return (await store.findLock({ sessionKey, name: await lockName(messageId) }))?.holder;
  }

  return {
    acquire,
    acquireAll,
    isLocked: async (messageId) => (await getHolder(messageId)) !== undefined,
    getHolder,
    forceRelease: async (messageId) => {
      const name = await lockName(messageId);
      held.forget(name);
      return store.releaseLock({ sessionKey, name });
    },
  };
}

/** The name of a message's lock in the store, which takes no NUL, no lone surrogate and no long name: the id is escaped, and hashed if it is long. */
async function lockName(messageId: string): Promise<string> {
  const escaped = JSON.stringify(messageId).slice(1, -1);
  if (escaped.length <= MAX_NAME_LENGTH) return escaped;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(escaped));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function withDefaults(
  messageId: string,
  options: LockOptions,
): Required<{ [Key in keyof LockOptions]: NonNullable<LockOptions[Key]> }> {
  assertMessageId(messageId);
  assertObject("options", options);
  const { holder = crypto.randomUUID(), durationMs = DEFAULT_DURATION_MS, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  assert(typeof holder === "string" && holder !== "", "options.holder", holder, "a name that is not empty");
  assertNumber("options.durationMs", durationMs, 1);
  assertNumber("options.timeoutMs", timeoutMs, 0);
  return { holder, durationMs, timeoutMs };
}

function assertMessageId(messageId: string): void {
  assert(typeof messageId === "string" && messageId !== "", "messageId", messageId, "the id of a message");
}

function heldBy(messageId: string, holder: string, timeoutMs: number): PalimpsestError {
  return new PalimpsestError(
    "conflict",
    `The message ${JSON.stringify(messageId)} is locked by ${JSON.stringify(holder)} and was not released within ${timeoutMs} ms. ` +
      "Try again later, or release it by force if its holder is gone.",
  );
}

/** Counts how often each lock was acquired in this process: it is released in the store with the last release. */
interface HeldLocks {
  take(lock: TakenLock): void;
  /** Counts one release; returns whether the holder still has the lock. */
  drop(lock: NamedLock): boolean;
  /** Called when a lock was released by force. */
  forget(name: string): void;
}

interface NamedLock {
  readonly name: string;
  readonly holder: string;
}

interface TakenLock extends NamedLock {
  /** By the store's clock. */
  readonly at: number;
  readonly expiresAt: number;
}

function createHeldLocks(): HeldLocks {
  const held = new Map<string, { readonly holder: string; readonly times: number; readonly expiresAt: number }>();
  return {
    take: ({ name, holder, at, expiresAt }) => {
      const current = held.get(name);
      // A lock that has expired counts as released.
      const isHeld = current?.holder === holder && current.expiresAt > at;
      held.set(name, { holder, times: isHeld ? current.times + 1 : 1, expiresAt });
    },
    drop: ({ name, holder }) => {
      const current = held.get(name);
      if (current?.holder !== holder) return false;
      if (current.times === 1) held.delete(name);
      else held.set(name, { ...current, times: current.times - 1 });
      return current.times > 1;
    },
    forget: (name) => held.delete(name),
  };
}
