import { forgetMessage, readMessage } from "../../core/condense/ledger/read-message.ts";
import type { Message } from "../../core/message/message.ts";
import { createIdleReader } from "./idle-reader.ts";

/** Between slices: at most about a fifth of a core is spent on what nobody may need. */
const PAUSE_MS = 15;

/** One for the whole process, whose time and memory sessions share. A million tokens take about half a second to read. */
const reader = createIdleReader({
  limits: {
    sessions: 16,
    messageTokens: 64_000,
    sessionTokens: 256_000,
    waitingTokens: 1_000_000,
    rememberedTokens: 2_000_000,
    sliceTokens: 8_000,
  },
  read: readMessage,
  forget: forgetMessage,
  schedule: (run) => {
    const timer: NodeJS.Timeout | number = setTimeout(run, PAUSE_MS);
    // Nobody's process stays alive for it. In browsers and workers a timer is a number, and keeps nothing alive.
    if (typeof timer !== "number") timer.unref();
  },
});

/** Reads new messages of one session ahead; dispose it with the session. */
export interface ReadAhead {
  appended(message: Message, tokens: AppendedTokens): void;
  dispose(): void;
}

export interface AppendedTokens {
  readonly message: number;
  /** What the view takes with it. */
  readonly view: number;
}

/**
 * Reads new messages of a session for a ledger when there is nothing else to do, which is mostly while the model writes its reply. What
 * is not read by then is read when the ledger is written; its text does not depend on it. Views of fewer than `nearTokens` are too far
 * from a fold: most sessions end before they need one.
 */
export function createReadAhead(nearTokens: () => number): ReadAhead {
  const session = {};
  let later: (readonly [message: Message, tokens: number])[] = [];
  let isDisposed = false;
  return {
    appended: (message, tokens) => {
      if (isDisposed) return;
      later.push([message, tokens.message]);
      if (tokens.view < nearTokens()) return;
      for (const [each, eachTokens] of later) reader.add(session, each, eachTokens);
      later = [];
    },
    dispose: () => {
      isDisposed = true;
      later = [];
      reader.drop(session);
    },
  };
}
