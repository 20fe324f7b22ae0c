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
  readonly beside: Beside;
}

export interface SetAside {
  readonly version: number;
  readonly fingerprints: readonly string[];
}

export interface LastRequest {
  readonly bodyBytes: number;
  /** Of the prompt as it came. */
  readonly promptTokens: number;
  readonly hasTools: boolean;
}

/** The sessions that are worked on. */
export interface Desk {
  /** At once: the session is opened when it is needed. */
  conversation(sessionId: string): Conversation;
  isOpen(sessionId: string): boolean;
  /** A session that is deleted is not the same when it is opened again. */
  forget(sessionId: string): void;
  /** Closes those that were asked longest ago, where there are too many. */
  tidy(): void;
  /** Work that goes on beside a request. */
  track(work: Promise<unknown>): void;
  /** Resolves when what goes on now is done. */
  caughtUp(): Promise<void>;
  /** Resolves when nothing goes on any more. */
  settled(): Promise<void>;
}

export function createDesk(engine: Engine, maxOpenSessions: number): Desk {
  /** Those asked longest ago come first. */
  const open = new Map<string, Conversation>();
  const tracking = new Set<Promise<unknown>>();

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
    tidy: () => {
      for (const conversation of open.values()) {
        if (open.size <= maxOpenSessions) return;
        if (conversation.isWaitedFor() || conversation.underWay.size > 0) continue;
        open.delete(conversation.id);
        conversation.close();
      }
    },
    track: (work) => {
      tracking.add(work);
      const done = () => tracking.delete(work);
      work.then(done, done);
    },
    caughtUp: async () => {
      await Promise.allSettled(tracking);
    },
    settled: async () => {
      while (tracking.size > 0) await Promise.allSettled(tracking);
      await Promise.allSettled([...open.values()].map(({ inTurn }) => inTurn(async () => undefined)));
    },
  };
}
