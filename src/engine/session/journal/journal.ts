import type { SavedReplay } from "../saved-replay.ts";
import { type LogRecord, withoutBlobs } from "./log-record.ts";

/** Keeps the records of a session. */
export interface Journal {
  /**
   * Keeps all of the records, or none. Resolves when they are kept, with everything that is new since the journal was last asked, in
   * order: what others wrote, and these records behind it.
   */
  write(records: readonly LogRecord[], options?: WriteOptions): Promise<WriteOutcome>;
  /** What others wrote since the journal was last asked. */
  catchUp(): Promise<readonly LogRecord[]>;
  /** What the records up to some version come to, where that was saved: only what came after them is news then. Asked first, or never. */
  readSaved(): Promise<SavedReplay | undefined>;
  /** The records that a saved replay stands for, in order. Throws where they are others. */
  readBefore(): Promise<readonly LogRecord[]>;
  /** Undefined where nothing can be saved. Takes what the records that the journal knows come to. */
  readonly save: ((replay: SavedReplay) => Promise<void>) | undefined;
}

/** What must still hold, so that the records are kept. */
export interface WriteOptions {
  /** Nobody has written a record after this one. */
  readonly version?: number | undefined;
  /** Nobody has rewritten the log after this record. */
  readonly rewriteVersion?: number | undefined;
}

export type WriteOutcome =
  /** The version is that of the last of the records; what others wrote right behind them is among the news as well. */
  | { readonly type: "written"; readonly news: readonly LogRecord[]; readonly version: number }
  /** It does not hold any longer, and nothing was kept. */
  | { readonly type: "conflict"; readonly news: readonly LogRecord[] };

/** For a session that nobody else knows: its records live as long as it does. */
export function localJournal(): Journal {
  let version = 0;
  return {
    // A local log is rewritten by its own session alone, which has looked at the version itself.
    write: async (records) => {
      version += records.length;
      // What events name is kept nowhere: nobody can ask for it.
      return { type: "written", news: records.map((record) => withoutBlobs(record).record), version };
    },
    catchUp: async () => [],
    readSaved: async () => undefined,
    readBefore: async () => [],
    save: undefined,
  };
}
