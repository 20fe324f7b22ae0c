import assert from "node:assert/strict";
import type { PalimpsestErrorCode } from "../../core/errors.ts";
import type { AppendOptions, AppendOutcome, NewRecord, Store, StoredSession } from "../../core/ports/store.ts";

/** Gives a new store that holds nothing. */
export type OpenStore = () => Promise<Store>;

/** One promise of the store's contract: `run` throws where it is broken, and closes what it opened. */
export interface StoreContractCase {
  readonly name: string;
  readonly run: (open: OpenStore) => Promise<void>;
}

/** Opens two handles on the same data. */
export interface StoreHandles {
  readonly open: OpenStore;
  /** One more handle on what the store that `open` gave last holds. */
  readonly reopen: OpenStore;
}

/** One promise of durable stores, whose data outlives the handle that wrote it. */
export interface DurableStoreContractCase {
  readonly name: string;
  readonly run: (handles: StoreHandles) => Promise<void>;
}

export function storeCase(name: string, check: (store: Store) => Promise<void>): StoreContractCase {
  return { name, run: async (open) => closeAfter(await open(), check) };
}

export function durableCase(
  name: string,
  check: (store: Store, reopen: OpenStore) => Promise<void>,
): DurableStoreContractCase {
  return { name, run: async ({ open, reopen }) => closeAfter(await open(), (store) => check(store, reopen)) };
}

async function closeAfter(store: Store, check: (store: Store) => Promise<void>): Promise<void> {
  try {
    await check(store);
  } finally {
    await store.close();
  }
}

export async function rejectsWith(code: PalimpsestErrorCode, promise: Promise<unknown>): Promise<void> {
  await assert.rejects(promise, (error: unknown) => {
    const actual = error instanceof Error && "code" in error ? error.code : undefined;
    assert.equal(actual, code, `expected an error with the code "${code}", not ${String(error)}`);
    return true;
  });
}

/** Appends records that must be accepted, and returns the version that the session then has. */
export async function append(
  store: Store,
  session: Pick<StoredSession, "key">,
  records: readonly (string | NewRecord)[],
): Promise<number> {
  const outcome = await store.append(session.key, records.map(asRecord));
  assert.equal(outcome.type, "appended");
  return outcome.type === "appended" ? outcome.version : 0;
}

/** The outcome of appending one record under conditions. */
export async function appendIf(store: Store, session: StoredSession, options: AppendOptions): Promise<AppendOutcome> {
  return store.append(session.key, [asRecord("conditional")], options);
}

export async function readBodies(store: Store, session: Pick<StoredSession, "key">): Promise<readonly string[]> {
  return (await store.read(session.key)).map(({ body }) => body);
}

export function asRecord(record: string | NewRecord): NewRecord {
  return typeof record === "string" ? { body: JSON.stringify(record) } : record;
}

export function delay(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs));
}
