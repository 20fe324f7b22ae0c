import { PalimpsestError } from "../../core/errors.ts";
import type { NewRecord, Store, StoredRecord } from "../../core/ports/store.ts";
import { parseRecord, writeRecord } from "../../engine/session/journal/log-record.ts";
import { withoutLink } from "../../engine/session/journal/record-chain.ts";
import { storedForm } from "../../engine/session/journal/store-journal.ts";
import type { SessionEvent } from "../../engine/session/report.ts";
import type { SessionBuffer } from "./session-buffer.ts";
import type { SessionHandle } from "./session-handles.ts";

export interface WriteBackPorts {
  readonly store: Store;
  readonly now: () => number;
}

/** What became of a buffer. */
export type WriteBackOutcome =
  /** All of it is in its session. */
  | { readonly type: "written" }
  /** All that was kept is in its session, which says how much is missing. */
  | { readonly type: "gap"; readonly lostRecords: number }
  /** It is in a session of its own, which says where it belongs. */
  | { readonly type: "set-apart"; readonly newId: string; readonly records: readonly NewRecord[] }
  /** Someone deleted its session. */
  | { readonly type: "deleted" };

interface Buffered {
  readonly handle: SessionHandle;
  readonly buffer: SessionBuffer;
}

/** In one statement. */
const MOST_RECORDS = 500;
const MOST_NAMES = 1_000;

/**
 * Writes what a session's buffer holds to the store, and has the session served from there again. Rejects where the store fails: then the
 * buffer stays, with what is still to be written.
 */
export async function writeBack(buffered: Buffered, ports: WriteBackPorts): Promise<WriteBackOutcome> {
  const { handle, buffer } = buffered;
  // A call that was given up may still be carried out: written again before that, its records would be there twice.
  while (handle.unsettled.size > 0) await Promise.all(handle.unsettled);
  if (isEmpty(buffer)) return release(buffered);
  handle.storeKey ??= (await ports.store.open(handle.id)).key;
  const storeKey = handle.storeKey;
  for (;;) {
    const hasParted = await takeOutWritten(buffer, storeKey, ports);
    if (isEmpty(buffer)) return release(buffered);
    if (buffer.pending().length === 0) return tellGap(buffered, storeKey, ports);
    if (hasParted) return setApart(buffered, storeKey, ports);
    const records = buffer.pending().slice(0, MOST_RECORDS);
    const outcome = await ports.store.append(storeKey, records, { expectedVersion: buffer.baseVersion() });
    if (outcome.type === "missing") {
      retire(buffered);
      return { type: "deleted" };
    }
    // In a conflict someone wrote since we looked: we look again.
    if (outcome.type === "appended") buffer.written(records.length);
  }
}

function isEmpty(buffer: SessionBuffer): boolean {
  return buffer.pending().length === 0 && buffer.lostRecords() === 0;
}

/**
 * Takes out of the buffer what is in the store already, by a call that was given up. Whether someone else wrote something in between: then
 * the rest cannot be added there.
 */
async function takeOutWritten(buffer: SessionBuffer, storeKey: number, { store }: WriteBackPorts): Promise<boolean> {
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
    // The append says so as well.
    if (error instanceof PalimpsestError && error.code === "not-found") return [];
    throw error;
  }
}

/** Has the session served from the store again. One that the store never heard of is opened there by its user. */
function release({ handle, buffer }: Buffered): WriteBackOutcome {
  handle.buffer = undefined;
  handle.isGone = handle.storeKey === undefined;
  handle.deliveredVersion = buffer.version();
  handle.latestVersion = buffer.version();
  return { type: "written" };
}

/** Everything that was kept is written: the session says that there was more. */
async function tellGap(buffered: Buffered, storeKey: number, ports: WriteBackPorts): Promise<WriteBackOutcome> {
  // From now on its user opens it again, as it is in the store, and nothing more is lost.
  buffered.handle.isGone = true;
  const lostRecords = buffered.buffer.lostRecords();
  await ports.store.append(storeKey, [eventRecord({ type: "gap", at: ports.now(), lostRecords })]);
  retire(buffered);
  return { type: "gap", lostRecords };
}

function retire({ handle, buffer }: Buffered): void {
  handle.isGone = true;
  handle.buffer = undefined;
  buffer.drop();
}

/** Writes the session as its user knows it to a session of its own: what the store had of it, and what the buffer holds. */
async function setApart(buffered: Buffered, storeKey: number, ports: WriteBackPorts): Promise<WriteBackOutcome> {
  const { handle, buffer } = buffered;
  const { store, now } = ports;
  const { id: newId, key } = await openEmpty(handle.id, store);
  const baseVersion = buffer.baseVersion();
  const before = baseVersion === 0 ? [] : await store.read(storeKey, { limit: baseVersion });
  const known = before.map(readAgain);
  const told = () => eventsOf(handle.id, { at: now(), lostRecords: buffer.lostRecords() });
  let records: readonly NewRecord[] = [];
  let version = 0;
  // All at once, so that nothing is left of it where that fails; then what its user has written meanwhile.
  for (;;) {
    const all = [...known, ...buffer.pending()];
    const added = version === 0 ? [...all, ...told()] : all.slice(records.length).map(unlinked);
    if (added.length === 0) break;
    await assertAppended(store.append(key, added, { expectedVersion: version }), newId);
    version += added.length;
    records = all;
  }
  retire(buffered);
  return { type: "set-apart", newId, records };
}

/** Its writer did not know of the events that stand before it here. */
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

/** Named after the session that it belongs to, as branches are, so that it is found in the same scope. */
async function openEmpty(sessionId: string, store: Store): Promise<{ readonly id: string; readonly key: number }> {
  for (let number = 1; number <= MOST_NAMES; number++) {
    const id = `${sessionId}~unsaved-${number}`;
    const { key, version } = await store.open(id);
    if (version === 0) return { id, key };
  }
  throw new PalimpsestError("conflict", `The session ${JSON.stringify(sessionId)} was set apart ${MOST_NAMES} times.`);
}

/** The record with the terms that the store finds it by, which the store does not return. */
function readAgain({ body }: StoredRecord): NewRecord {
  const record = parseRecord(body);
  return record === undefined ? { body } : storedForm({ body, record });
}

function eventRecord(event: SessionEvent): NewRecord {
  return storedForm(writeRecord({ type: "event", event }));
}
