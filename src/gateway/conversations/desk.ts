import { setTimeout as sleep } from "node:timers/promises";
import type { Engine } from "../../engine/engine.ts";
import { createQueue } from "../../engine/session/queue.ts";
import type { Session } from "../../engine/session/session.ts";
import type { Beside } from "./beside.ts";

/** A session that requests belong to, and what this gateway knows of it beyond its store. */
export interface Conversation {
  readonly id: string;
  session(): Promise<Session>;
  /** One after the other: what is asked of the session while a request is matched with it. */
  inTurn<Value>(task: () => Promise<Value>): Promise<Value>;
  isWaitedFor(): boolean;
  /** Closes the session, where it was opened. */
  close(): void;
  /** How many messages the requests hold that wait for their replies. */
  readonly underWay: Map<symbol, number>;
  /** What rewinds took back, the newest last: whoever goes on there has not been rewound at all. */
  readonly setAside: SetAside[];
  /** How many messages can be found by their keys without asking the store. */
  indexed: number;
  /** What the last request was; undefined before the first one, or when it was long ago. */
  last: LastRequest | undefined;
  /** What the newest reply teaches, while that is being written: the next request is decided with it, as after a restart. */
  learning: Promise<void> | undefined;
  /** Whether someone was told that the reports of its upstream are not believed. */
  isUsageDoubted: boolean;
  readonly beside: Beside;
}

export interface SetAside {
  readonly version: number;
  readonly fingerprints: readonly string[];
}

export interface LastRequest {
  readonly bodyBytes: number;
  /** Of the prompt as it came: at least what its session makes of it. Undefined where the report on it is not believed. */
  readonly promptTokens: number | undefined;
  readonly hasTools: boolean;
}

/** The sessions that are worked on. */
export interface Desk {
  /** At once: the session is opened when it is needed. */
  conversation(sessionId: string): Conversation;
  isOpen(sessionId: string): boolean;
  /** A session that is deleted is not the same when it is opened again. */
  forget(sessionId: string): void;
  /** Closes a session that is no longer what its store has; it is opened again when it is asked next. */
  drop(sessionId: string): void;
  /** Closes those that were asked longest ago, where there are too many. */
  tidy(): void;
  /** Work that goes on beside a request: what it said is written, or something else. */
  track(work: Promise<unknown>, kind: "writing" | "other"): void;
  /** Resolves when what is being written now is written, or when that takes too long to wait for. */
  caughtUp(): Promise<void>;
  /** Resolves when nothing goes on any more. */
  settled(): Promise<void>;
}

/** A session that is being condensed may keep those who write to it waiting for minutes. */
const LONGEST_WAIT_MS = 2_000;

export function createDesk(engine: Engine, maxOpenSessions: number): Desk {
  /** Those asked longest ago come first. */
  const open = new Map<string, Conversation>();
  const tracking = new Set<Promise<unknown>>();
  const writing = new Set<Promise<unknown>>();

  function create(id: string): Conversation {
    const queue = createQueue();
    let session: Promise<Session> | undefined;
    let waiting = 0;
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
      inTurn: async (task) => {
        waiting += 1;
        try {
          return await queue(task);
        } finally {
          waiting -= 1;
        }
      },
      underWay: new Map(),
      setAside: [],
      indexed: 0,
      last: undefined,
      isUsageDoubted: false,
      learning: undefined,
      beside: { told: undefined },
      isWaitedFor: () => waiting > 0,
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
    tidy: () => {
      for (const conversation of open.values()) {
        if (open.size <= maxOpenSessions) return;
        if (conversation.isWaitedFor() || conversation.underWay.size > 0) continue;
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
    caughtUp: async () => {
      if (writing.size > 0) await unlessTooLong(Promise.allSettled(writing));
    },
    settled: async () => {
      while (tracking.size > 0) await Promise.allSettled(tracking);
      await Promise.allSettled([...open.values()].map(({ inTurn }) => inTurn(async () => undefined)));
    },
  };
}

/** Resolves when the work is over, however it ended, or when it takes too long to wait for. */
export async function unlessTooLong(work: Promise<unknown>): Promise<void> {
  const tooLong = new AbortController();
  const waited = sleep(LONGEST_WAIT_MS, undefined, { ref: false, signal: tooLong.signal }).catch(() => undefined);
  await Promise.race([Promise.allSettled([work]), waited]);
  tooLong.abort();
}
