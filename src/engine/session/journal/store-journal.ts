import { PalimpsestError } from "../../../core/errors.ts";
import type { NewRecord, Store, StoredSession } from "../../../core/ports/store.ts";
import { messageTerms } from "../../../core/recall/message-terms.ts";
import type { Journal } from "./journal.ts";
import { isRewrite, type LogRecord, readRecord, writeRecord } from "./log-record.ts";

/** How many records are read at once: a session of any length is read in bounded steps. */
const PAGE = 2_000;

/** Keeps a session's records in a store, which other processes may write to as well. */
export function storeJournal(store: Store, { key, id: sessionId }: StoredSession): Journal {
  let known = 0;

  async function catchUp(): Promise<readonly LogRecord[]> {
    const news: LogRecord[] = [];
    for (;;) {
      const page = await store.read(key, { afterVersion: known, limit: PAGE });
      for (const { version, body } of page) news.push(readRecord(body, { sessionId, version }));
      known += page.length;
      if (page.length < PAGE) return news;
    }
  }

  return {
    catchUp,
    write: async (records, { version, rewriteVersion } = {}) => {
      const rows = records.map(rowOf);
      const outcome = await store.append(key, rows, {
        ...(version === undefined ? {} : { expectedVersion: version }),
        ...(rewriteVersion === undefined ? {} : { expectedRewriteVersion: rewriteVersion }),
      });
      if (outcome.type === "missing") throw deleted(sessionId);
      if (outcome.type === "conflict") return { type: "conflict", news: await catchUp() };
      if (outcome.version !== known + rows.length) return { type: "written", news: await catchUp() };
      known = outcome.version;
      // As they will be read again: what JSON leaves out is gone here, too.
      const news = rows.map(({ body }, index) =>
        readRecord(body, { sessionId, version: known - rows.length + index + 1 }),
      );
      return { type: "written", news };
    },
  };
}

function rowOf(record: LogRecord): NewRecord {
  const body = writeRecord(record);
  const terms = record.type === "message" ? messageTerms(record.message) : [];
  return { body, terms, isRewrite: isRewrite(record) };
}

function deleted(sessionId: string): PalimpsestError {
  return new PalimpsestError(
    "not-found",
    `The session ${JSON.stringify(sessionId)} was deleted. Open it again to begin a new one.`,
  );
}
