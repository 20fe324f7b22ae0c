import type { Engine } from "../../engine/engine.ts";
import type { Session } from "../../engine/session/session.ts";
import { createQueue } from "../../engine/session/session-context.ts";

/** A session that requests belong to, and what this gateway knows of it beyond its store. */
export interface Conversation {
  readonly id: string;
  session(): Promise<Session>;
  /** Runs one task of this conversation after the other. */
  enqueue<Value>(task: () => Promise<Value>): Promise<Value>;
  isInUse(): boolean;
  /** Closes the session, where it was opened. */
  close(): void;
  /** Until the lease is disposed of, the session stays open, and its first `messageCount` messages are not rewound. */
  hold(messageCount: number): SessionLease;
  /** The most messages that a request holds which waits for its reply; 0 where none does. */
  heldMessages(): number;
  /** What rewinds took out of the log, the newest last: a request that continues one of them gets a branch. */
  readonly rewoundBranches: RewoundBranch[];
  /** How many messages can be found by their keys without asking the store. */
  indexed: number;
  /**
   * Resolves when what the newest reply teaches is written; undefined where nothing is being written. The next request waits for it, so that
   * it is decided as after a restart.
   */
  learning: Promise<void> | undefined;
  /** Whether a request that was written to its log brought tools; undefined where none was since the session was opened. */
  hasTools: boolean | undefined;
  /** Whether the recall tool was offered in a request of it: then it stays. */
  isRecallOffered: boolean;
  /** Whether the provider left something out of its last request. */
  isCleared: boolean;
  /** Whether it was looked up, since the session was opened, what its provider ever left out. */
  isClearingKnown: boolean;
  /** Whether an incident says already that its upstream reports usage that cannot be. */
  isUsageDoubted: boolean;
  /** The last request; undefined before the first one, and after the session was opened again. */
  last: LastRequest | undefined;
  /** What the session said of its next fold; undefined where it has to be asked again. */
  outlook: FoldOutlook | undefined;
  /** The newest reply and what it answered; undefined where caches are not diagnosed, or none came since the session was opened. */
  lastReply: LastReply | undefined;
  /** What the session was configured with last. */
  lastConfigured: ConfiguredPrompt | undefined;
}

/** A request's hold on its session. To dispose of it twice is the same as once. */
export interface SessionLease {
  dispose(): void;
}

/** The model that a session's view is sent to, and what is sent with it. */
export interface ConfiguredPrompt {
  readonly modelId: string;
  readonly modelKey: string;
  readonly promptKey: string;
  readonly overheadTokens: number;
}

export interface RewoundBranch {
  readonly version: number;
  readonly fingerprints: readonly string[];
}

export interface LastRequest {
  readonly bodyBytes: number;
  /** The tokens of the prompt as it came, at least what its session forecasts. Undefined where the reported usage is implausible. */
  readonly promptTokens: number | undefined;
}

/** A reply, and the request that it answered: the next one is compared with it. */
export interface LastReply {
  readonly id: string;
  readonly agent: string;
  readonly sent: string;
}

/** How far a session is from its next fold. */
export interface FoldOutlook {
  /** The tokens of the prompt that was sent then. */
  readonly promptTokens: number;
  readonly foldsAtTokens: number;
  /** When it was asked. */
  readonly at: number;
  /** For how many more requests it need not be asked again. */
  readonly requestsLeft: number;
}

/** The sessions that are worked on. */
export interface SessionPool {
  /** Returns at once: the session itself is opened when it is needed. */
  conversation(sessionId: string): Conversation;
  isOpen(sessionId: string): boolean;
  /** Drops a session that was deleted: one of the same id is opened anew. */
  forget(sessionId: string): void;
  /** Closes a session that is no longer what its store has; it is opened again when it is asked next. */
  drop(sessionId: string): void;
  /** Closes the sessions that were used longest ago, where there are too many. */
  evictIdle(): void;
  /** Work that a request does not wait for: its messages are written, or something else. */
  track(work: Promise<unknown>, kind: "writing" | "other"): void;
  /** Resolves when what is being written now is written, or when that takes too long to wait for. */
  written(): Promise<void>;
  /** Resolves when no work is left. */
  settled(): Promise<void>;
}

/** A session that is being condensed may keep those who write to it waiting for minutes. */
const LONGEST_WAIT_MS = 2_000;

export function createSessionPool(engine: Engine, maxOpenSessions: number): SessionPool {
  /** The conversations that were used longest ago come first. */
  const open = new Map<string, Conversation>();
  const tracking = new Set<Promise<unknown>>();
  const writing = new Set<Promise<unknown>>();

  function create(id: string): Conversation {
    const queue = createQueue();
    let session: Promise<Session> | undefined;
    let waiting = 0;
    const held = new Map<symbol, number>();
    return {
      id,
      session: () => {
        session ??= engine.session(id);
        // What could not be opened may be tried again.
        session.catch(() => {
          session = undefined;
        });
        return session;
      },
      enqueue: async (task) => {
        waiting += 1;
        try {
          return await queue(task);
        } finally {
          waiting -= 1;
        }
      },
      hold: (messageCount) => {
        const lease = Symbol("lease");
        held.set(lease, messageCount);
        return { dispose: () => void held.delete(lease) };
      },
      heldMessages: () => Math.max(0, ...held.values()),
      rewoundBranches: [],
      indexed: 0,
      last: undefined,
      outlook: undefined,
      learning: undefined,
      hasTools: undefined,
      isRecallOffered: false,
      isCleared: false,
      isClearingKnown: false,
      isUsageDoubted: false,
      lastConfigured: undefined,
      lastReply: undefined,
      isInUse: () => waiting > 0 || held.size > 0,
      close: () => {
        session?.then(
          (opened) => opened.close(),
          () => undefined,
        );
      },
    };
  }

  return {
    conversation: (id) => {
      const known = open.get(id) ?? create(id);
      open.delete(id);
      open.set(id, known);
      return known;
    },
    isOpen: (id) => open.has(id),
    forget: (id) => {
      open.delete(id);
    },
    drop: (id) => {
      open.get(id)?.close();
      open.delete(id);
    },
    evictIdle: () => {
      for (const conversation of open.values()) {
        if (open.size <= maxOpenSessions) return;
        if (conversation.isInUse()) continue;
        open.delete(conversation.id);
        conversation.close();
      }
    },
    track: (work, kind) => {
      tracking.add(work);
      if (kind === "writing") writing.add(work);
      const done = () => {
        tracking.delete(work);
        writing.delete(work);
      };
      work.then(done, done);
    },
    written: async () => {
      if (writing.size > 0) await unlessTooLong(Promise.allSettled(writing));
    },
    settled: async () => {
      while (tracking.size > 0) await Promise.allSettled(tracking);
      await Promise.allSettled([...open.values()].map(({ enqueue }) => enqueue(async () => undefined)));
    },
  };
}

/** Resolves when the work is over, however it ended, or when it takes too long to wait for. */
export function unlessTooLong(work: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, LONGEST_WAIT_MS).unref();
    const over = () => {
      clearTimeout(timer);
      resolve();
    };
    work.then(over, over);
  });
}

/** Finds sessions by the keys of their messages; only what this gateway has seen lately. */
export interface SessionIndex {
  add(sessionId: string, keys: readonly string[]): void;
  /** The sessions that have a message with this key, the one that was added last first. */
  find(key: string): readonly string[];
}

/** Sessions whose keys were dropped are found by the store. */
const MOST_KEYS = 50_000;
/** Messages such as "go on" occur in every conversation. */
const MOST_SESSIONS_PER_KEY = 8;

export function createSessionIndex(): SessionIndex {
  const sessionsByKey = new Map<string, readonly string[]>();
  return {
    add: (sessionId, keys) => {
      for (const key of keys) {
        const known = sessionsByKey.get(key) ?? [];
        if (known[0] === sessionId) continue;
        const others = known.filter((id) => id !== sessionId);
        sessionsByKey.set(key, [sessionId, ...others].slice(0, MOST_SESSIONS_PER_KEY));
      }
      // The keys that were added first are dropped first.
      for (const key of sessionsByKey.keys()) {
        if (sessionsByKey.size <= MOST_KEYS) break;
        sessionsByKey.delete(key);
      }
    },
    find: (key) => sessionsByKey.get(key) ?? [],
  };
}
