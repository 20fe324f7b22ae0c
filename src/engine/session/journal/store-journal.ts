import { PalimpsestError } from "../../../core/errors.ts";
import { messageKeys } from "../../../core/message/message-keys.ts";
import type { NewRecord, Store, StoredRecord, StoredSession } from "../../../core/ports/store.ts";
import { messageTerms } from "../../../core/recall/message-terms.ts";
import type { Journal } from "./journal.ts";
import { isRewrite, type LogRecord, readRecord, type WrittenRecord, writeRecord } from "./log-record.ts";
import { type ChainLink, EMPTY_CHAIN, extendChain } from "./record-chain.ts";

/** How many records are read at once: a session of any length is read in bounded steps. */
const PAGE = 2_000;

export interface StoreJournalOptions {
  readonly store: Store;
  readonly session: StoredSession;
  /** Told when it turns out that someone deleted the session. */
  readonly deleted?: (() => void) | undefined;
}

/** Keeps a session's records in a store, which other processes may write to as well. */
export function storeJournal({ store, session, deleted }: StoreJournalOptions): Journal {
  const { key, id: sessionId } = session;
  let known = 0;
  /** After the records that are known. */
  let chain: ChainLink | undefined = EMPTY_CHAIN;

  function gone(): PalimpsestError {
    deleted?.();
    return new PalimpsestError(
      "not-found",
      `The session ${JSON.stringify(sessionId)} was deleted. Open it again to begin a new one.`,
    );
  }

  async function readPage(afterVersion: number): Promise<readonly StoredRecord[]> {
    try {
      return await store.read(key, { afterVersion, limit: PAGE });
    } catch (error) {
      throw error instanceof PalimpsestError && error.code === "not-found" ? gone() : error;
    }
  }

  async function catchUp(): Promise<readonly LogRecord[]> {
    const news: LogRecord[] = [];
    let extended = chain;
    for (;;) {
      const page = await readPage(known + news.length);
      for (const { version, body } of page) {
        news.push(readRecord(body, { sessionId, version }));
        extended = extended && extendChain(extended, body);
      }
      if (page.length < PAGE) break;
    }
    // Not before: where a page cannot be read, those before it are told the next time.
    known += news.length;
    chain = extended;
    return news;
  }

  return {
    catchUp,
    write: async (records, { version, rewriteVersion } = {}) => {
      const { written, chain: extended } = linkRecords(records, chain, version === undefined ? "first" : "all");
      const outcome = await store.append(key, written.map(storedForm), {
        ...(version === undefined ? {} : { expectedVersion: version }),
        ...(rewriteVersion === undefined ? {} : { expectedRewriteVersion: rewriteVersion }),
      });
      if (outcome.type === "missing") throw gone();
      if (outcome.type === "conflict") return { type: "conflict", news: await catchUp() };
      const { version: ownVersion } = outcome;
      if (ownVersion !== known + written.length) return { type: "written", news: await catchUp(), version: ownVersion };
      known = ownVersion;
      chain = extended;
      return { type: "written", news: written.map(({ record }) => record), version: ownVersion };
    },
  };
}

interface LinkedRecords {
  readonly written: readonly WrittenRecord[];
  /** After these records, where they come right behind those that are known. */
  readonly chain: ChainLink | undefined;
}

/** Which of them name the head before them: only the first where others may have written since, as nobody knows what is right before. */
function linkRecords(
  records: readonly LogRecord[],
  known: ChainLink | undefined,
  linked: "first" | "all",
): LinkedRecords {
  const written: WrittenRecord[] = [];
  let chain = known;
  for (const record of records) {
    const isLinked = linked === "all" || written.length === 0;
    const next = writeRecord(record, isLinked ? chain : undefined);
    written.push(next);
    chain = chain && extendChain(chain, next.body);
  }
  return { written, chain };
}

/** A record as a store takes it. */
export function storedForm({ body, record, blobs }: WrittenRecord): NewRecord {
  return { body, terms: termsOf(record), isRewrite: isRewrite(record), ...(blobs !== undefined && { blobs }) };
}

/** What a record is found by. An edited message is recognised by its new keys too. */
function termsOf(record: LogRecord): readonly string[] {
  switch (record.type) {
    case "message":
      return [...messageTerms(record.message), ...messageKeys(record.message)];
    case "patch":
      return record.patch.changed.flatMap(({ set }) => messageKeys({ role: "user", content: "", ...set }));
    case "event":
      return record.event.type === "recalled" ? [record.event.key] : [];
    case "rewind":
      return [];
  }
}
