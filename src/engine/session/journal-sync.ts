import type { Journal, WriteOptions } from "./journal/journal.ts";
import type { LogRecord } from "./journal/log-record.ts";
import { type LogReplay, needsWholeLog } from "./log-replay.ts";
import type { createQueue } from "./session-context.ts";

/** Keeps a replay in step with its journal. */
export interface JournalSync {
  /** Takes in what the journal told. In turn. */
  take(news: readonly LogRecord[]): Promise<void>;
  /** Keeps records, and takes them in. The version of the last one; undefined where the log is no longer what is demanded. In turn. */
  write(records: readonly LogRecord[], demanded?: WriteOptions): Promise<number | undefined>;
  /** Reads the records that a saved state stands for, once. */
  load(): Promise<void>;
}

export interface JournalSyncPorts {
  readonly journal: Journal;
  readonly replay: LogReplay;
  readonly enqueue: ReturnType<typeof createQueue>;
  /** Called when there is something new. */
  readonly saveSoon: () => void;
}

export function createJournalSync({ journal, replay, enqueue, saveSoon }: JournalSyncPorts): JournalSync {
  const { history } = replay;
  let reading: ReturnType<Journal["readBefore"]> | undefined;
  /** The journal tells its news once: they are kept here until they are taken in. */
  let news: readonly LogRecord[] = [];

  function read(): ReturnType<Journal["readBefore"]> {
    if (reading !== undefined) return reading;
    const begun = journal.readBefore();
    reading = begun;
    // What could not be read is tried again.
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
    // Then only counting all that was said tells how much it is.
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
      // Not in turn: what is appended meanwhile does not wait for it.
      await read();
      await enqueue(fill);
    },
  };
}
