import { assert, assertNumber, assertObject } from "../../core/assert.ts";
import { PalimpsestError } from "../../core/errors.ts";
import type { Store, StoredSession } from "../../core/ports/store.ts";
import { MAX_NAME_LENGTH } from "../../core/store/assert-store-arguments.ts";
import { sleep } from "../time-limit.ts";

export interface LockOptions {
  /** Who holds it; the same holder may take it again, and then has it until both are released. @default a name of its own */
  readonly holder?: string | undefined;
  /** After so long anyone may take it, should its holder be gone. @default 30_000 */
  readonly durationMs?: number | undefined;
  /** How long to wait for another holder. @default 5_000 */
  readonly timeoutMs?: number | undefined;
}

/** A lock on one message, held until it is released or has run out. */
export interface MessageLock {
  readonly messageId: string;
  readonly holder: string;
  readonly expiresAt: number;
  /** False where it had run out, and someone else may hold it by now. */
  release(): Promise<boolean>;
}

/** The locks of one session's messages: they hold across processes, as far as the store reaches. */
export interface MessageLocks {
  /** Waits for the lock; throws "conflict", naming the holder, where that takes too long. */
  acquire(messageId: string, options?: LockOptions): Promise<MessageLock>;
  /** All of them, or none. In the order of their ids, so that two who want the same never wait for each other. */
  acquireAll(messageIds: readonly string[], options?: LockOptions): Promise<readonly MessageLock[]>;
  /** Whether anyone holds it now, also in another process; it may be released a moment later. */
  isLocked(messageId: string): Promise<boolean>;
  /** Who holds it now; undefined where nobody does. */
  getHolder(messageId: string): Promise<string | undefined>;
  /** Takes a lock from whoever holds it. False where nobody does. */
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

/** A message may have any id, but a store keeps no NUL, no half of a surrogate pair and no long name. */
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

/** The locks that were taken here and not released yet: who takes one twice has it until it was released twice. */
interface HeldLocks {
  take(lock: TakenLock): void;
  /** Whether the same holder took it more often; then it stays taken. */
  drop(lock: NamedLock): boolean;
  /** Someone took it from its holder. */
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
      const known = held.get(name);
      // One that ran out may never be released.
      const isHeld = known?.holder === holder && known.expiresAt > at;
      held.set(name, { holder, times: isHeld ? known.times + 1 : 1, expiresAt });
    },
    drop: ({ name, holder }) => {
      const known = held.get(name);
      if (known?.holder !== holder) return false;
      if (known.times === 1) held.delete(name);
      else held.set(name, { ...known, times: known.times - 1 });
      return known.times > 1;
    },
    forget: (name) => held.delete(name),
  };
}
