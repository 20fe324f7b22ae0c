import { PalimpsestError } from "../../core/errors.ts";
import type { NewRecord, Store, StoredRecord } from "../../core/ports/store.ts";
import { parseRecord, writeRecord } from "../../engine/session/journal/log-record.ts";
import { withoutLink } from "../../engine/session/journal/record-chain.ts";
import { storedForm } from "../../engine/session/journal/stored-form.ts";
import type { SessionEvent } from "../../engine/session/report.ts";
import type { SessionBuffer } from "./session-buffer.ts";
import type { SessionHandle } from "./session-handles.ts";

export interface WriteBackPorts {
  readonly store: Store;
  readonly now: () => number;
}

/** What became of a session's buffer. */
export type WriteBackOutcome =
  /** All records are in the session. */
  | { readonly type: "written" }
  /** All records that were kept are in the session, with an event that says how many were lost. */
  | { readonly type: "gap"; readonly lostRecords: number }
  /** Another writer has continued the session. The records are in a new session, with an event that names the original one. */
  | { readonly type: "set-apart"; readonly newId: string; readonly records: readonly NewRecord[] }
  /** The session was deleted, and the records were dropped. */
  | { readonly type: "deleted" };

interface Buffered {
  readonly handle: SessionHandle;
  readonly buffer: SessionBuffer;
}

/** The most records of one append. */
const MOST_RECORDS = 500;
const MOST_NAMES = 1_000;

/**
 * Writes a session's buffer to the store, and has the session served from the store again. Rejects if the store fails: then the buffer stays,
 * with the records that are not written yet.
 */
export async function writeBack(buffered: Buffered, ports: WriteBackPorts): Promise<WriteBackOutcome> {
  const { handle, buffer } = buffered;
  // An abandoned append may still be carried out. If its records were written before that, the session would have them twice.
  while (handle.unsettled.size > 0) await Promise.all(handle.unsettled);
  if (isEmpty(buffer)) return release(buffered);
  handle.storeKey ??= (await ports.store.open(handle.id)).key;
  const storeKey = handle.storeKey;
  for (;;) {
    const hasDiverged = await removeWritten(buffer, storeKey, ports);
    if (isEmpty(buffer)) return release(buffered);
    if (buffer.pending().length === 0) return recordGap(buffered, storeKey, ports);
    if (hasDiverged) return setApart(buffered, storeKey, ports);
    const records = buffer.pending().slice(0, MOST_RECORDS);
    const outcome = await ports.store.append(storeKey, records, { expectedVersion: buffer.baseVersion() });
    if (outcome.type === "missing") {
      retire(buffered);
      return { type: "deleted" };
    }
    // On a conflict, another writer has appended since `removeWritten`: the loop compares again.
    if (outcome.type === "appended") buffer.written(records.length);
  }
}

function isEmpty(buffer: SessionBuffer): boolean {
  return buffer.pending().length === 0 && buffer.lostRecords() === 0;
}

/**
 * Removes records from the buffer that are in the store already, because an abandoned append was carried out after all. Returns whether another
 * writer has appended something else: then the rest of the buffer does not belong behind it.
 */
async function removeWritten(buffer: SessionBuffer, storeKey: number, { store }: WriteBackPorts): Promise<boolean> {
  const pending = buffer.pending();
  const found = await readUnlessDeleted(store, storeKey, {
    afterVersion: buffer.baseVersion(),
    limit: pending.length + 1,
  });
  const differing = found.findIndex(({ body }, index) => body !== pending[index]?.body);
  buffer.written(differing === -1 ? found.length : differing);
  return differing !== -1;
}

async function readUnlessDeleted(
  store: Store,
  storeKey: number,
  read: { readonly afterVersion: number; readonly limit: number },
): Promise<readonly StoredRecord[]> {
  try {
    return await store.read(storeKey, read);
  } catch (error) {
    // The session was deleted, which the append then reports as "missing".
    if (error instanceof PalimpsestError && error.code === "not-found") return [];
    throw error;
  }
}

/** Has the session served from the store again. If it has no key there, its user must open it again. */
function release({ handle, buffer }: Buffered): WriteBackOutcome {
  handle.buffer = undefined;
  handle.isGone = handle.storeKey === undefined;
  handle.deliveredVersion = buffer.version();
  handle.latestVersion = buffer.version();
  return { type: "written" };
}

/** Called when all kept records are written and some were lost: appends an event that says how many. */
async function recordGap(buffered: Buffered, storeKey: number, ports: WriteBackPorts): Promise<WriteBackOutcome> {
  // First, so that the session's user opens it again from the store and appends nothing more to the buffer.
  buffered.handle.isGone = true;
  const lostRecords = buffered.buffer.lostRecords();
  await ports.store.append(storeKey, [eventRecord({ type: "gap", at: ports.now(), lostRecords })]);
  retire(buffered);
  return { type: "gap", lostRecords };
}

/** Drops the buffer and invalidates the handle: the session's user must open it again. */
function retire({ handle, buffer }: Buffered): void {
  handle.isGone = true;
  handle.buffer = undefined;
  buffer.drop();
}

/** Copies the session as its user knows it into a new session: the records that the store had when the buffer was made, and those of the buffer. */
async function setApart(buffered: Buffered, storeKey: number, ports: WriteBackPorts): Promise<WriteBackOutcome> {
  const { handle, buffer } = buffered;
  const { store, now } = ports;
  const { id: newId, key } = await openEmpty(handle.id, store);
  const baseVersion = buffer.baseVersion();
  const before = baseVersion === 0 ? [] : await store.read(storeKey, { limit: baseVersion });
  const copied = before.map(withTerms);
  const closingEvents = () => eventsOf(handle.id, { at: now(), lostRecords: buffer.lostRecords() });
  let records: readonly NewRecord[] = [];
  let version = 0;
  // All records in one append, so that nothing is left of the new session if it fails; then those that the user has appended in the meantime.
  for (;;) {
    const all = [...copied, ...buffer.pending()];
    const added = version === 0 ? [...all, ...closingEvents()] : all.slice(records.length).map(unlinked);
    if (added.length === 0) break;
    await assertAppended(store.append(key, added, { expectedVersion: version }), newId);
    version += added.length;
    records = all;
  }
  retire(buffered);
  return { type: "set-apart", newId, records };
}

/** Returns the record without its chain head: in the new session, events precede it that its writer did not know of. */
function unlinked(record: NewRecord): NewRecord {
  return { ...record, body: withoutLink(record.body) };
}

function eventsOf(
  fromSessionId: string,
  { at, lostRecords }: { readonly at: number; readonly lostRecords: number },
): readonly NewRecord[] {
  const setApart = eventRecord({ type: "set_apart", at, fromSessionId });
  return lostRecords === 0 ? [setApart] : [setApart, eventRecord({ type: "gap", at, lostRecords })];
}

async function assertAppended(appending: ReturnType<Store["append"]>, id: string): Promise<void> {
  const { type } = await appending;
  if (type === "appended") return;
  throw new PalimpsestError("conflict", `Someone else writes to the session ${JSON.stringify(id)}. It is tried again.`);
}

/** Opens a new session. It is named after the original one, as branches are, so that requests find it in the same scope. */
async function openEmpty(sessionId: string, store: Store): Promise<{ readonly id: string; readonly key: number }> {
  for (let number = 1; number <= MOST_NAMES; number++) {
    const id = `${sessionId}~unsaved-${number}`;
    const { key, version } = await store.open(id);
    if (version === 0) return { id, key };
  }
  throw new PalimpsestError("conflict", `The session ${JSON.stringify(sessionId)} was set apart ${MOST_NAMES} times.`);
}

/** Returns the record with its search terms, which stores keep but do not return. */
function withTerms({ body }: StoredRecord): NewRecord {
  const record = parseRecord(body);
  return record === undefined ? { body } : storedForm({ body, record });
}

function eventRecord(event: SessionEvent): NewRecord {
  return storedForm(writeRecord({ type: "event", event }));
}
