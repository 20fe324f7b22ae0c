import type { Message } from "../../core/message/message.ts";

/** How much is read ahead, in tokens of messages: work and memory grow with them. */
export interface IdleReaderLimits {
  /** The most sessions whose messages wait to be read. Beyond that, the sessions that have waited longest are dropped. */
  readonly sessions: number;
  /** The largest message that is read ahead; a larger one is read when a ledger needs it. */
  readonly messageTokens: number;
  /** The most that may wait for one session. Beyond that, its oldest messages are dropped. */
  readonly sessionTokens: number;
  /** The most that may wait for all sessions together. */
  readonly waitingTokens: number;
  /** The most messages that are remembered after they were read. Beyond that, the sessions that were active longest ago are forgotten. */
  readonly rememberedTokens: number;
  /** How much is read at a time, before the process does other work. */
  readonly sliceTokens: number;
}

export interface IdleReaderOptions {
  readonly limits: IdleReaderLimits;
  readonly read: (message: Message) => void;
  readonly forget: (message: Message) => void;
  /** Runs a function when the process is idle. */
  readonly schedule: (run: () => void) => void;
}

/** Reads messages of sessions before they are needed, a slice at a time. */
export interface IdleReader {
  add(session: object, message: Message, tokens: number): void;
  /** Drops a session's messages that wait, and forgets those that were read. */
  drop(session: object): void;
}

interface SizedMessage {
  readonly message: Message;
  readonly tokens: number;
}

/** A message that was read. It is held weakly, so that a session which was never closed can be collected with its messages. */
interface RememberedMessage {
  readonly message: WeakRef<Message>;
  readonly tokens: number;
}

interface SessionWork {
  waiting: SizedMessage[];
  remembered: RememberedMessage[];
}

export function createIdleReader({ limits, read, forget, schedule }: IdleReaderOptions): IdleReader {
  const backlog = createBacklog(forget);
  const { works } = backlog;
  let isScheduled = false;

  function readSome(): void {
    isScheduled = false;
    let left = limits.sliceTokens;
    for (const work of works.values()) {
      while (left > 0 && work.waiting.length > 0) left -= readNext(work);
      if (left <= 0) break;
    }
    backlog.forgetOldest(limits.rememberedTokens);
    for (const [session, work] of works) {
      if (work.waiting.length === 0 && work.remembered.length === 0) works.delete(session);
    }
    scheduleOnce();
  }

  function readNext(work: SessionWork): number {
    const next = backlog.next(work);
    if (next === undefined) return 0;
    read(next.message);
    backlog.remember(work, next);
    return next.tokens;
  }

  function scheduleOnce(): void {
    if (isScheduled || backlog.waitingTokens() === 0) return;
    isScheduled = true;
    schedule(readSome);
  }

  return {
    add: (session, message, tokens) => {
      if (tokens > limits.messageTokens) return;
      const work = works.get(session) ?? { waiting: [], remembered: [] };
      works.delete(session);
      works.set(session, work);
      // An empty message counts as work, too.
      backlog.add(work, { message, tokens: Math.max(1, tokens) });
      backlog.dropWaiting(work, limits.sessionTokens);
      backlog.dropOldest(limits);
      scheduleOnce();
    },
    drop: (session) => {
      const work = works.get(session);
      if (work === undefined) return;
      works.delete(session);
      backlog.dropWaiting(work, 0);
      backlog.forget(work);
    },
  };
}

/** The messages that wait to be read and those that are remembered, by session, with the tokens of both. */
function createBacklog(forgetMessage: (message: Message) => void) {
  /** The sessions that were active longest ago come first. */
  const works = new Map<object, SessionWork>();
  let waitingTokens = 0;
  let rememberedTokens = 0;

  function dropWaiting(work: SessionWork, keptTokens: number): void {
    let tokens = tokensOf(work.waiting);
    while (tokens > keptTokens) {
      const dropped = work.waiting.shift()?.tokens ?? 0;
      tokens -= dropped;
      waitingTokens -= dropped;
    }
  }

  function forget(work: SessionWork): void {
    for (const { message } of work.remembered) {
      const held = message.deref();
      if (held !== undefined) forgetMessage(held);
    }
    rememberedTokens -= tokensOf(work.remembered);
    work.remembered = [];
  }

  return {
    works,
    waitingTokens: () => waitingTokens,
    add: (work: SessionWork, sized: SizedMessage): void => {
      work.waiting.push(sized);
      waitingTokens += sized.tokens;
    },
    next: (work: SessionWork): SizedMessage | undefined => {
      const next = work.waiting.shift();
      waitingTokens -= next?.tokens ?? 0;
      return next;
    },
    remember: (work: SessionWork, { message, tokens }: SizedMessage): void => {
      work.remembered.push({ message: new WeakRef(message), tokens });
      rememberedTokens += tokens;
    },
    dropWaiting,
    dropOldest: (most: Pick<IdleReaderLimits, "sessions" | "waitingTokens">): void => {
      let sessions = [...works.values()].filter(({ waiting }) => waiting.length > 0).length;
      for (const work of works.values()) {
        if (sessions <= most.sessions && waitingTokens <= most.waitingTokens) return;
        if (work.waiting.length > 0) sessions -= 1;
        dropWaiting(work, 0);
      }
    },
    forget,
    forgetOldest: (mostTokens: number): void => {
      for (const work of works.values()) {
        if (rememberedTokens <= mostTokens) return;
        forget(work);
      }
    },
  };
}

function tokensOf(messages: readonly { readonly tokens: number }[]): number {
  return messages.reduce((sum, { tokens }) => sum + tokens, 0);
}
