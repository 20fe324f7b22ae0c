import { PalimpsestError } from "../../../core/errors.ts";
import { messageKeys } from "../../../core/message/message-keys.ts";
import type { Acknowledge, NewRecord, Store, StoredRecord, StoredSession } from "../../../core/ports/store.ts";
import { messageTerms } from "../../../core/recall/message-terms.ts";
import { notAsWritten } from "../only-hidden.ts";
import type { SessionEvent } from "../report.ts";
import { readState, type SavedReplay, writeState } from "../saved-replay.ts";
import type { Journal } from "./journal.ts";
import { isRewrite, type LogRecord, readRecord, type WrittenRecord, writeRecord } from "./log-record.ts";
import { type ChainLink, EMPTY_CHAIN, extendChain } from "./record-chain.ts";

/** How many records are read at once: a session of any length is read in bounded steps. */
const PAGE = 2_000;

export interface StoreJournalOptions {
  readonly store: Store;
  readonly session: StoredSession;
  /** When messages and the records of requests count as kept; everything else is durable before it does. @default "durable" */
  readonly acknowledge?: Acknowledge | undefined;
  /** Called when it turns out that someone deleted the session. */
  readonly deleted?: (() => void) | undefined;
}

/** Keeps a session's records in a store, which other processes may write to as well. */
export function storeJournal({ store, session, acknowledge, deleted }: StoreJournalOptions): Journal {
  const { key, id: sessionId } = session;
  let known = 0;
  /** After the records that are known; undefined where the platform has no hashes. */
  let chain: ChainEnd | undefined = { before: EMPTY_CHAIN, end: EMPTY_CHAIN };
  /** The end of the chain that the saved replay stands for, while the records before it were not read. */
  let unread: ChainLink = EMPTY_CHAIN;

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
        extended = extendEnd(extended, body);
      }
      if (page.length < PAGE) break;
    }
    // Not before: where a page cannot be read, those before it are told the next time.
    known += news.length;
    chain = extended;
    return news;
  }

  async function readSaved(): Promise<SavedReplay | undefined> {
    const stored = await store.savedStates?.read(key).catch(() => undefined);
    const state = stored && readState(stored.body);
    if (state === undefined || state.replay.version !== stored?.version) return undefined;
    const { replay, headBefore, head } = state;
    const { version } = replay;
    // What rewrites came since may change what is hidden, which is not saved.
    if (version < 1 || session.rewriteVersion > version || session.version < version) return undefined;
    const [last] = await store.read(key, { afterVersion: version - 1, limit: 1 });
    const before = { version: version - 1, head: headBefore };
    const end = last && extendChain(before, last.body);
    if (end === undefined || end.head !== head) return undefined;
    known = version;
    chain = { before, end };
    unread = end;
    return replay;
  }

  async function readBefore(): Promise<readonly LogRecord[]> {
    const records: LogRecord[] = [];
    let read: ChainLink | undefined = EMPTY_CHAIN;
    while (records.length < unread.version) {
      const limit = Math.min(PAGE, unread.version - records.length);
      const page = await store.read(key, { afterVersion: records.length, limit });
      for (const { version, body } of page) {
        records.push(readRecord(body, { sessionId, version }));
        read = read && extendChain(read, body);
      }
      if (page.length === 0) break;
    }
    if (read?.head === unread.head) return records;
    throw notAsWritten(sessionId, `its first ${unread.version} records are not those that it went on from`);
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
    readBefore,
    save: store.savedStates === undefined ? undefined : save,
    write: async (records, { version, rewriteVersion } = {}) => {
      const { written, chain: extended } = linkRecords(records, chain, version === undefined ? "first" : "all");
      const outcome = await store.append(key, written.map(storedForm), {
        ...(version === undefined ? {} : { expectedVersion: version }),
        ...(rewriteVersion === undefined ? {} : { expectedRewriteVersion: rewriteVersion }),
        ...(acknowledge === "visible" && records.every(mayBeVisibleFirst) ? { acknowledge } : {}),
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

/** The last two links of a chain. */
interface ChainEnd {
  readonly before: ChainLink;
  readonly end: ChainLink;
}

function extendEnd(chain: ChainEnd | undefined, body: string): ChainEnd | undefined {
  const end = chain && extendChain(chain.end, body);
  return chain && end && { before: chain.end, end };
}

/** An event of one of these types may be lost: an account is short of one then, and nothing is decided by it that the next reply does not teach again. */
const ACCOUNTS: ReadonlySet<SessionEvent["type"]> = new Set<SessionEvent["type"]>([
  "request",
  "anchored",
  "condense_context",
  "condense_failed",
  "sliding_window_truncation",
  "blocks_folded",
]);

/** Whether a client says it again, or it only tells what happened. */
function mayBeVisibleFirst(record: LogRecord): boolean {
  return record.type === "event" ? ACCOUNTS.has(record.event.type) : record.type === "message";
}

interface LinkedRecords {
  readonly written: readonly WrittenRecord[];
  /** After these records, where they come right behind those that are known. */
  readonly chain: ChainEnd | undefined;
}

/** Which of them name the head before them: only the first where others may have written since, as nobody knows what is right before. */
function linkRecords(
  records: readonly LogRecord[],
  known: ChainEnd | undefined,
  linked: "first" | "all",
): LinkedRecords {
  const written: WrittenRecord[] = [];
  let chain = known;
  for (const record of records) {
    const isLinked = linked === "all" || written.length === 0;
    const next = writeRecord(record, isLinked ? chain?.end : undefined);
    written.push(next);
    chain = extendEnd(chain, next.body);
  }
  return { written, chain };
}

/** A record as a store takes it. */
export function storedForm({ body, record, blobs }: WrittenRecord): NewRecord {
  return { body, terms: termsOf(record), isRewrite: isRewrite(record), ...(blobs !== undefined && { blobs }) };
}

/** What a store finds rewinds by. No word of a message is like it: words have no colon. */
export const REWIND_TERM = "palimpsest:rewind";

/** What a record is found by. An edited message is recognised by its new keys too. */
function termsOf(record: LogRecord): readonly string[] {
  switch (record.type) {
    case "message":
      return [...messageTerms(record.message), ...messageKeys(record.message)];
    case "patch":
      return record.patch.changed.flatMap(({ set }) => messageKeys({ role: "user", content: "", ...set }));
    case "event":
      if (record.event.type === "compacted") return record.event.keys;
      return record.event.type === "recalled" ? [record.event.key] : [];
    case "rewind":
      return [REWIND_TERM];
  }
}
