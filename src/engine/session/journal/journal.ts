import type { LogRecord } from "./log-record.ts";

/** Where a session's records are kept. */
export interface Journal {
  /**
   * Keeps all of the records, or none. Resolves when they are kept, with everything that is new since the journal was last asked, in
   * order: what others wrote, and these records behind it.
   */
  write(records: readonly LogRecord[], options?: WriteOptions): Promise<WriteOutcome>;
  /** What others wrote since the journal was last asked. */
  catchUp(): Promise<readonly LogRecord[]>;
}

/** What must still hold, so that the records are kept. */
export interface WriteOptions {
  /** Nobody has written a record after this one. */
  readonly version?: number | undefined;
  /** Nobody has rewritten the log after this record. */
  readonly rewriteVersion?: number | undefined;
}

export interface WriteOutcome {
  /** A conflict: it does not hold any longer, and nothing was kept. */
  readonly type: "written" | "conflict";
  readonly news: readonly LogRecord[];
}

/** For a session that nobody else knows: its records live as long as it does. */
export function localJournal(): Journal {
  return {
    // A local log is rewritten by its own session alone, which has looked at the version itself.
    write: async (records) => ({ type: "written", news: records }),
    catchUp: async () => [],
  };
}
