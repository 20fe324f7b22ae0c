import type { Message } from "../../core/message/message.ts";
import type { IdleReader } from "./idle-reader.ts";
import { loadLedgerReader } from "./late-parts.ts";

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
  let reader: IdleReader | undefined;
  let isDisposed = false;

  function handOver(): void {
    for (const [message, tokens] of later) reader?.add(session, message, tokens);
    later = [];
  }

  /** Nobody waits for it: what cannot be loaded is tried again with the next message. */
  function load(): void {
    loadLedgerReader().then(
      ({ ledgerReader }) => {
        reader = ledgerReader;
        handOver();
      },
      () => undefined,
    );
  }

  return {
    appended: (message, tokens) => {
      if (isDisposed) return;
      later.push([message, tokens.message]);
      if (tokens.view < nearTokens()) return;
      if (reader === undefined) load();
      else handOver();
    },
    dispose: () => {
      isDisposed = true;
      later = [];
      reader?.drop(session);
    },
  };
}
