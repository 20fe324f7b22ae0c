import type { SavedReplay } from "../saved-replay.ts";
import { type LogRecord, withoutBlobs } from "./log-record.ts";

/** Keeps the records of a session. */
export interface Journal {
  /**
   * Keeps all of the records, or none. Resolves when they are kept, with every record that this journal has not returned yet, in order: those
   * of other processes, and these records behind them.
   */
  write(records: readonly LogRecord[], options?: WriteOptions): Promise<WriteOutcome>;
  /** The records of other processes that this journal has not returned yet. */
  catchUp(): Promise<readonly LogRecord[]>;
  /** The saved state of the session; undefined where there is none. Only records after it are returned from then on. Call it first, or never. */
  readSaved(): Promise<SavedReplay | undefined>;
  /** The records that the saved state stands for, in order. Throws "store-damaged" where they no longer have the same hash. */
  readBefore(): Promise<readonly LogRecord[]>;
  /** Saves a state of all records that the journal has returned. Undefined where nothing can be saved. */
  readonly save: ((replay: SavedReplay) => Promise<void>) | undefined;
}

/** Conditions for a write: the records are kept only if they hold. */
export interface WriteOptions {
  /** No record was written after this version. */
  readonly version?: number | undefined;
  /** The log was not rewritten after this version. */
  readonly rewriteVersion?: number | undefined;
}

export type WriteOutcome =
  /** `version` is that of the last of the records. `news` may end with records that other processes wrote behind them. */
  | { readonly type: "written"; readonly news: readonly LogRecord[]; readonly version: number }
  /** A condition did not hold, and nothing was kept. */
  | { readonly type: "conflict"; readonly news: readonly LogRecord[] };

/** The journal of a session without a store: nothing is kept beyond the session's own memory. */
export function localJournal(): Journal {
  let version = 0;
  return {
    // Conditions are not checked: only this session writes, and it has compared the versions itself.
    write: async (records) => {
      version += records.length;
      // The blobs of events are dropped: without a store, nobody can read them.
      return { type: "written", news: records.map((record) => withoutBlobs(record).record), version };
    },
    catchUp: async () => [],
    readSaved: async () => undefined,
    readBefore: async () => [],
    save: undefined,
  };
}
