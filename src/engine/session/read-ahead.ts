import type { Message } from "../../core/message/message.ts";
import type { IdleReader } from "./idle-reader.ts";
import { loadLedgerReader } from "./late-parts.ts";

/** Reads the new messages of one session before a fold needs them. Dispose it with the session. */
export interface ReadAhead {
  appended(message: Message, tokens: AppendedTokens): void;
  dispose(): void;
}

export interface AppendedTokens {
  readonly message: number;
  /** The tokens of the view with this message. */
  readonly view: number;
}

/**
 * Reads new messages for a ledger while the process is idle, which is mostly while the model writes its reply. Messages that were not read
 * ahead are read when the ledger is written; its text is the same either way. While the view has fewer than `nearTokens`, nothing is read:
 * most sessions end before they need a fold.
 */
export function createReadAhead(nearTokens: () => number): ReadAhead {
  const session = {};
  let pending: (readonly [message: Message, tokens: number])[] = [];
  let reader: IdleReader | undefined;
  let isDisposed = false;

  function handOver(): void {
    for (const [message, tokens] of pending) reader?.add(session, message, tokens);
    pending = [];
  }

  /** Nobody waits for the reader: if it cannot be loaded, the next message tries again. */
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
      pending.push([message, tokens.message]);
      if (tokens.view < nearTokens()) return;
      if (reader === undefined) load();
      else handOver();
    },
    dispose: () => {
      isDisposed = true;
      pending = [];
      reader?.drop(session);
    },
  };
}
