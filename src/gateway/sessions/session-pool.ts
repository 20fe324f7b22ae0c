import type { Engine } from "../../engine/engine.ts";
import { createQueue } from "../../engine/queue.ts";
import type { Session } from "../../engine/session/session.ts";

/**
 * A session that requests belong to, with what this gateway remembers about it in memory. Each mutable field is changed only by the module that
 * its comment names.
 */
export interface Conversation {
  readonly id: string;
  session(): Promise<Session>;
  /** Runs a task after all earlier tasks of this conversation. */
  enqueue<Value>(task: () => Promise<Value>): Promise<Value>;
  /** Whether a task runs or waits, or a lease is held: then the session must stay open. */
  isInUse(): boolean;
  /** Closes the session if it was opened. */
  close(): void;
  /** Until the lease is disposed of, the session stays open, and its first `messageCount` messages are not rewound. */
  hold(messageCount: number): SessionLease;
  /** The largest message count of all leases that are held; 0 where none is. */
  heldMessages(): number;
  /** The logs as they were before rewinds, the newest last: a request that continues one of them gets a branch. Changed by `exchange/record.ts`. */
  readonly rewoundBranches: RewoundBranch[];
  /** How many of the conversation's messages were added to the session index. Changed by `exchange/record.ts`. */
  indexed: number;
  readonly agent: AgentState;
  readonly prompt: PromptState;
  readonly reply: ReplyState;
}

/** What the requests of a conversation say about its agent. */
export interface AgentState {
  /** Whether a recorded request brought tools; undefined until one is recorded after the session was opened. Changed by `match/tool-use.ts`. */
  hasTools: boolean | undefined;
  /** Whether the session's lineage (who started its agent) is recorded, or being written. Changed by `match/session-family.ts`. */
  isLineageKept: boolean;
  /** Whether the recall tool was offered before: then every later request offers it, too. Changed by `exchange/offer-recall.ts`. */
  isRecallOffered: boolean;
}

/** The size of a conversation's prompts, and the forecast of its next fold. */
export interface PromptState {
  /** The model and prompt that the session was configured with last. Changed by `exchange/configure-session.ts`. */
  lastConfigured: ConfiguredPrompt | undefined;
  /** The session's forecast of its next fold; undefined where it has to be asked again. Changed by `exchange/fold-turn.ts`, and by each use in `surely-fits.ts`. */
  outlook: FoldOutlook | undefined;
  /** The last request; undefined before the first one, and after the session was opened again. Changed by `exchange/record-request.ts`. */
  last: LastRequest | undefined;
  /** Whether an incident was reported about implausible usage from the upstream. Changed by `exchange/record-request.ts`. */
  isUsageDoubted: boolean;
}

/** What the replies of a conversation say, and what still has to be learned from them. */
export interface ReplyState {
  /**
   * Resolves when the newest reply's report is recorded; undefined where nothing is being recorded. The next request waits for it, so that it is
   * decided as it would be after a restart. Changed by `exchange/finish-turn.ts`.
   */
  learning: Promise<void> | undefined;
  /** Whether the provider cleared something from the last request. Changed by `exchange/finish-turn.ts`. */
  isCleared: boolean;
  /** Whether the session's clearing events were read since it was opened. Changed by `exchange/turns.ts`. */
  isClearingKnown: boolean;
  /** The newest reply with its request; undefined where cache diagnosis is off, or before the first reply. Changed by `exchange/diagnose-cache.ts`. */
  newest: LastReply | undefined;
}

/** Keeps a session open, and the messages of one request in its log. Disposing twice has no further effect. */
export interface SessionLease {
  dispose(): void;
}

/** The model, and the system prompt and tools, that a session was configured with. */
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
  /** The tokens of the prompt as the agent sent it: reported ones and those that folds hid. Undefined where the reported usage is implausible. */
  readonly promptTokens: number | undefined;
}

/** A reply's id and the request that it answered, as the agent sent it and as it was sent upstream: the next request is compared with it. */
export interface LastReply {
  readonly id: string;
  readonly agent: string;
  readonly sent: string;
}

/** A session's forecast of its next fold. */
export interface FoldOutlook {
  /** The tokens of the prompt that was sent when the forecast was made. */
  readonly promptTokens: number;
  readonly foldsAtTokens: number;
  /** When the forecast was made or last used. */
  readonly at: number;
  /** For how many more requests the forecast may be used. */
  readonly requestsLeft: number;
}

/** The open sessions of a gateway, and its work in the background. */
export interface SessionPool {
  /** Returns at once: the session itself is opened when it is needed. */
  conversation(sessionId: string): Conversation;
  isOpen(sessionId: string): boolean;
  /** Removes a deleted session without closing it: the next use of its id opens a new session. */
  forget(sessionId: string): void;
  /** Closes a session whose state differs from the store's; its next request opens it again. */
  drop(sessionId: string): void;
  /** Closes the least recently used sessions that are not in use, while more than the allowed number are open. */
  evictIdle(): void;
  /** Registers work in the background. `written` waits for "writing"; `settled` waits for all of it. */
  track(work: Promise<unknown>, kind: "writing" | "other"): void;
  /** Resolves when all current writes have ended, or after two seconds. */
  written(): Promise<void>;
  /** Resolves when no work is left. */
  settled(): Promise<void>;
}

/** The longest wait for writes: a session that is being condensed may block them for minutes. */
const LONGEST_WAIT_MS = 2_000;

export function createSessionPool(engine: Engine, maxOpenSessions: number): SessionPool {
  /** The least recently used conversations come first. */
  const open = new Map<string, Conversation>();
  const tracking = new Set<Promise<unknown>>();
  const writing = new Set<Promise<unknown>>();

  return {
    conversation: (id) => {
      const conversation = open.get(id) ?? createConversation(id, engine);
      open.delete(id);
      open.set(id, conversation);
      return conversation;
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

function createConversation(id: string, engine: Engine): Conversation {
  const queue = createQueue();
  let session: Promise<Session> | undefined;
  let waiting = 0;
  const held = new Map<symbol, number>();
  return {
    id,
    session: () => {
      session ??= engine.session(id);
      // After a failure the next call tries again.
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
    isInUse: () => waiting > 0 || held.size > 0,
    close: () => {
      session?.then(
        (opened) => opened.close(),
        () => undefined,
      );
    },
    hold: (messageCount) => {
      const lease = Symbol("lease");
      held.set(lease, messageCount);
      return { dispose: () => void held.delete(lease) };
    },
    heldMessages: () => Math.max(0, ...held.values()),
    rewoundBranches: [],
    indexed: 0,
    agent: { hasTools: undefined, isLineageKept: false, isRecallOffered: false },
    prompt: { lastConfigured: undefined, outlook: undefined, last: undefined, isUsageDoubted: false },
    reply: { learning: undefined, isCleared: false, isClearingKnown: false, newest: undefined },
  };
}

/** Resolves when the work has ended, in success or failure, or after two seconds. */
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
