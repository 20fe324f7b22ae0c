import type { Enqueue } from "../queue.ts";
import type { Journal, WriteOptions } from "./journal/journal.ts";
import type { LogRecord } from "./journal/log-record.ts";
import { type LogReplay, needsWholeLog } from "./log-replay.ts";

/** Writes records to the journal, and adds to the replay what the journal has. "In turn" means: called from within the queue. */
export interface JournalSync {
  /** Adds records that the journal returned as new. In turn. */
  take(news: readonly LogRecord[]): Promise<void>;
  /** Writes records and adds them. Resolves to the version of the last one, or to undefined where the log is no longer as demanded. In turn. */
  write(records: readonly LogRecord[], demanded?: WriteOptions): Promise<number | undefined>;
  /** Reads the records that the saved state stands for, unless that was done. */
  load(): Promise<void>;
}

export interface JournalSyncPorts {
  readonly journal: Journal;
  readonly replay: LogReplay;
  readonly enqueue: Enqueue;
  /** Called after records were added. */
  readonly saveSoon: () => void;
}

export function createJournalSync({ journal, replay, enqueue, saveSoon }: JournalSyncPorts): JournalSync {
  const { history } = replay;
  let reading: ReturnType<Journal["readBefore"]> | undefined;
  /** Records that the journal returned and the replay does not have yet: the journal returns each record once. */
  let news: readonly LogRecord[] = [];

  function read(): ReturnType<Journal["readBefore"]> {
    if (reading !== undefined) return reading;
    const begun = journal.readBefore();
    reading = begun;
    // After a failure, the next call reads again.
    begun.catch(() => {
      reading = undefined;
    });
    return begun;
  }

  async function fill(): Promise<void> {
    if (replay.isWhole()) return;
    replay.fill(await read());
    reading = undefined;
  }

  async function take(added: readonly LogRecord[]): Promise<void> {
    news = news.length === 0 ? added : [...news, ...added];
    if (news.some(needsWholeLog)) await fill();
    const taken = news;
    news = [];
    replay.take(taken);
    // Without it, the size of the conversation is known only by counting all messages.
    if (replay.growth.save() === undefined) await fill();
    saveSoon();
  }

  return {
    take,
    write: async (records, demanded = {}) => {
      replay.assertIntact();
      const { rewriteVersion = history.rewriteVersion() } = demanded;
      if (history.rewriteVersion() !== rewriteVersion) return undefined;
      if (records.some(needsWholeLog)) await fill();
      const outcome = await journal.write(records, demanded);
      await take(outcome.news);
      return outcome.type === "written" ? outcome.version : undefined;
    },
    load: async () => {
      if (replay.isWhole()) return;
      // Read outside of the queue, so that appends do not wait for it.
      await read();
      await enqueue(fill);
    },
  };
}
