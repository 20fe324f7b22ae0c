import { PalimpsestError } from "../../../core/errors.ts";
import type { Acknowledge, Store, StoredRecord, StoredSession } from "../../../core/ports/store.ts";
import { notAsWritten } from "../only-hidden.ts";
import type { SessionEvent } from "../report.ts";
import { readState, type SavedReplay, writeState } from "../saved-replay.ts";
import type { Journal } from "./journal.ts";
import { type LogRecord, readRecord, type WrittenRecord, writeRecord } from "./log-record.ts";
import { type ChainLink, EMPTY_CHAIN, extendChain } from "./record-chain.ts";
import { storedForm } from "./stored-form.ts";

/** How many records are read at a time. */
const PAGE = 2_000;

export interface StoreJournalOptions {
  readonly store: Store;
  readonly session: StoredSession;
  /** When messages and the records of requests count as kept. Everything else is always durable first. @default "durable" */
  readonly acknowledge?: Acknowledge | undefined;
  /** Called when another process has deleted the session. */
  readonly onDeleted?: (() => void) | undefined;
}

/** Keeps a session's records in a store, which other processes may write to as well. */
export function storeJournal({ store, session, acknowledge, onDeleted }: StoreJournalOptions): Journal {
  const { key, id: sessionId } = session;
  /** The version of the last record that this journal has returned. */
  let version = 0;
  /** The chain up to that version; undefined where the platform has no hashes. */
  let chain: ChainEnd | undefined = { before: EMPTY_CHAIN, end: EMPTY_CHAIN };
  /** The end of the chain of the records that the saved state stands for. */
  let savedEnd: ChainLink = EMPTY_CHAIN;

  function gone(): PalimpsestError {
    onDeleted?.();
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
      const page = await readPage(version + news.length);
      for (const stored of page) {
        const { body } = stored;
        news.push(readRecord(body, { sessionId, version: stored.version }));
        extended = extendEnd(extended, body);
      }
      if (page.length < PAGE) break;
    }
    // Only now: if a page cannot be read, the next call returns the pages before it again.
    version += news.length;
    chain = extended;
    return news;
  }

  async function readSaved(): Promise<SavedReplay | undefined> {
    const saved = await readTrustedState(store, session);
    if (saved === undefined) return undefined;
    version = saved.replay.version;
    chain = saved.chain;
    savedEnd = saved.chain.end;
    return saved.replay;
  }

  async function save(replay: SavedReplay): Promise<void> {
    if (chain === undefined || chain.end.version !== replay.version) return;
    const { before, end } = chain;
    const body = writeState({ replay, headBefore: before.head, head: end.head });
    await store.savedStates?.save(key, { version: replay.version, body });
  }

  return {
    catchUp,
    readSaved,
    readBefore: () => readUpTo(savedEnd, store, session),
    save: store.savedStates === undefined ? undefined : save,
    write: async (records, { version: expectedVersion, rewriteVersion } = {}) => {
      const { written, chain: extended } = linkRecords(records, chain, expectedVersion === undefined ? "first" : "all");
      const outcome = await store.append(key, written.map(storedForm), {
        ...(expectedVersion === undefined ? {} : { expectedVersion }),
        ...(rewriteVersion === undefined ? {} : { expectedRewriteVersion: rewriteVersion }),
        ...(acknowledge === "visible" && records.every(mayBeVisibleFirst) ? { acknowledge } : {}),
      });
      if (outcome.type === "missing") throw gone();
      if (outcome.type === "conflict") return { type: "conflict", news: await catchUp() };
      const { version: ownVersion } = outcome;
      if (ownVersion !== version + written.length)
        return { type: "written", news: await catchUp(), version: ownVersion };
      version = ownVersion;
      chain = extended;
      return { type: "written", news: written.map(({ record }) => record), version: ownVersion };
    },
  };
}

interface TrustedState {
  readonly replay: SavedReplay;
  /** The chain up to the state's version. */
  readonly chain: ChainEnd;
}

/** Reads the saved state of a session; undefined where there is none, or where the session's records are not those that it stands for. */
async function readTrustedState(store: Store, session: StoredSession): Promise<TrustedState | undefined> {
  const { key, version, rewriteVersion } = session;
  const stored = await store.savedStates?.read(key).catch(() => undefined);
  const state = stored && readState(stored.body);
  if (state === undefined || state.replay.version !== stored?.version) return undefined;
  const { replay, headBefore, head } = state;
  const { version: savedVersion } = replay;
  // A rewrite after the state may have changed hidden messages, which the state does not have.
  if (savedVersion < 1 || rewriteVersion > savedVersion || version < savedVersion) return undefined;
  const [last] = await store.read(key, { afterVersion: savedVersion - 1, limit: 1 });
  const before = { version: savedVersion - 1, head: headBefore };
  const end = last && extendChain(before, last.body);
  return end === undefined || end.head !== head ? undefined : { replay, chain: { before, end } };
}

/** Reads a session's first records, up to a link of their chain. Throws where they are not those that the chain covers. */
async function readUpTo(
  end: ChainLink,
  store: Store,
  { key, id: sessionId }: StoredSession,
): Promise<readonly LogRecord[]> {
  const records: LogRecord[] = [];
  let read: ChainLink | undefined = EMPTY_CHAIN;
  while (records.length < end.version) {
    const limit = Math.min(PAGE, end.version - records.length);
    const page = await store.read(key, { afterVersion: records.length, limit });
    for (const stored of page) {
      const { body } = stored;
      records.push(readRecord(body, { sessionId, version: stored.version }));
      read = read && extendChain(read, body);
    }
    if (page.length === 0) break;
  }
  if (read?.head === end.head) return records;
  throw notAsWritten(sessionId, `its first ${end.version} records are not those that it went on from`);
}

/** The last two links of a chain. */
interface ChainEnd {
  readonly before: ChainLink;
  readonly end: ChainLink;
}

function extendEnd(chain: ChainEnd | undefined, body: string): ChainEnd | undefined {
  const end = chain && extendChain(chain.end, body);
  return chain && end && { before: chain.end, end };
}

/** Events that may be lost: the session's account then lacks an entry, and what an event teaches is learned again from the next reply. */
const ACCOUNT_EVENTS: ReadonlySet<SessionEvent["type"]> = new Set<SessionEvent["type"]>([
  "request",
  "anchored",
  "condense_context",
  "condense_failed",
  "sliding_window_truncation",
  "blocks_folded",
]);

/** Whether a record may count as kept before it is durable: a client sends its messages again, and an account may lack an entry. */
function mayBeVisibleFirst(record: LogRecord): boolean {
  return record.type === "event" ? ACCOUNT_EVENTS.has(record.event.type) : record.type === "message";
}

interface LinkedRecords {
  readonly written: readonly WrittenRecord[];
  /** The chain with these records, if no other process writes in between. */
  readonly chain: ChainEnd | undefined;
}

/**
 * Serializes records and adds links of the chain: to all of them where no other process can have written since, otherwise to the first alone, as the
 * head right before the others is not known then.
 */
function linkRecords(
  records: readonly LogRecord[],
  start: ChainEnd | undefined,
  linked: "first" | "all",
): LinkedRecords {
  const written: WrittenRecord[] = [];
  let chain = start;
  for (const record of records) {
    const isLinked = linked === "all" || written.length === 0;
    const next = writeRecord(record, isLinked ? chain?.end : undefined);
    written.push(next);
    chain = extendEnd(chain, next.body);
  }
  return { written, chain };
}
