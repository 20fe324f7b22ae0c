import assert from "node:assert/strict";
import type { Store, StoredSession } from "../../core/ports/store.ts";
import { append, type OpenStore, readBodies, rejectsWith } from "./contract-case.ts";

/** A place in what a store keeps. */
export type StoredPlace =
  /** The body of a record. */
  | { readonly type: "record"; readonly sessionKey: number; readonly version: number }
  /** The body of a checkpoint. */
  | { readonly type: "checkpoint"; readonly sessionKey: number; readonly id: string }
  /** Which record of a session is its newest rewrite. */
  | { readonly type: "session"; readonly sessionKey: number };

export interface DamagedStore {
  readonly open: OpenStore;
  /** Changes what is stored there behind the back of the store that `open` gave last, as a bad disk would. */
  readonly damage: (place: StoredPlace) => Promise<void>;
}

/** One promise about what was damaged where it is stored. */
export interface DamageContractCase {
  readonly name: string;
  readonly run: (damaged: DamagedStore) => Promise<void>;
}

interface DamageCheck {
  readonly store: Store;
  readonly damage: DamagedStore["damage"];
  /** Four records, the second of which rewrites, and a checkpoint. */
  readonly session: StoredSession;
}

const TEXTS = ["one", "two", "three", "four"];

/** Checks a store with the session "s" and another one of the same content, which must stay whole. */
function damageCase(name: string, check: (given: DamageCheck) => Promise<void>): DamageContractCase {
  return {
    name,
    run: async ({ open, damage }) => {
      const store = await open();
      try {
        const [session, other] = [await fill(store, "s"), await fill(store, "other")];
        await check({ store, damage, session });
        await assertWhole(store, other);
      } finally {
        await store.close();
      }
    },
  };
}

async function fill(store: Store, id: string): Promise<StoredSession> {
  const session = await store.open(id);
  await append(
    store,
    session,
    TEXTS.map((text) => ({ body: JSON.stringify(text), isRewrite: text === "two" })),
  );
  await store.saveCheckpoint(session.key, { id: "c", at: 1, body: '{"a":1}' });
  return session;
}

/** Damage to one session leaves another untouched: it can be read, listed and written. */
async function assertWhole(store: Store, { key, id }: StoredSession): Promise<void> {
  assert.deepEqual(
    await readBodies(store, { key }),
    TEXTS.map((text) => JSON.stringify(text)),
  );
  assert.equal((await store.find(id))?.version, TEXTS.length);
  assert.deepEqual(await store.listCheckpoints(key), [{ id: "c", at: 1, body: '{"a":1}' }]);
  assert.equal((await store.append(key, [{ body: "1" }])).type, "appended");
  assert.ok((await store.list()).some((listed) => listed.id === id));
}

/** The call is refused as damaged, by a message that names all of these. */
async function assertDamaged(promise: Promise<unknown>, ...names: readonly string[]): Promise<void> {
  await rejectsWith("store-damaged", promise);
  const message = await promise.then(String, String);
  for (const name of names) assert.ok(message.toLowerCase().includes(name), `${name} is not named in: ${message}`);
}

/**
 * What stores promise about damage: reading finds and names it, and only what is damaged is lost.
 * @example
 * ```ts
 * import { memoryStore } from "palimpsest/stores/memory";
 * import { damageStoreContract } from "palimpsest/testing";
 * const damage = async () => {}; // a real one changes what is stored; a store that reports none of it breaks the contract
 * const broken = damageStoreContract.map(({ run }) => run({ open: async () => memoryStore(), damage }).then(() => false, () => true));
 * console.log((await Promise.all(broken)).includes(true)); // true
 * ```
 */
export const damageStoreContract: readonly DamageContractCase[] = [
  damageCase("a record that was changed is refused on each way of reading it", async ({ store, damage, session }) => {
    const { key } = session;
    await damage({ type: "record", sessionKey: key, version: 3 });
    const names = ["record 3", 'session "s"'];
    await assertDamaged(store.read(key), ...names);
    await assertDamaged(store.read(key, { afterVersion: 2 }), ...names);
    await assertDamaged(store.read(key, { afterVersion: 1, limit: 2 }), ...names);
  }),

  damageCase("the records before and after one that was changed can be read", async ({ store, damage, session }) => {
    const { key } = session;
    await damage({ type: "record", sessionKey: key, version: 3 });
    assert.deepEqual(
      (await store.read(key, { limit: 2 })).map(({ body }) => body),
      ['"one"', '"two"'],
    );
    assert.deepEqual(
      (await store.read(key, { afterVersion: 3 })).map(({ body }) => body),
      ['"four"'],
    );
    assert.equal((await store.listCheckpoints(key)).length, 1);
  }),

  damageCase("a checkpoint that was changed is refused, and can be deleted", async ({ store, damage, session }) => {
    const { key } = session;
    await damage({ type: "checkpoint", sessionKey: key, id: "c" });
    await assertDamaged(store.listCheckpoints(key), 'checkpoint "c"', 'session "s"');
    assert.equal((await store.read(key)).length, TEXTS.length);
    assert.equal(await store.deleteCheckpoint(key, "c"), true);
    assert.deepEqual(await store.listCheckpoints(key), []);
  }),

  damageCase("a session whose entry was changed is refused, also for writing", async ({ store, damage, session }) => {
    await damage({ type: "session", sessionKey: session.key });
    const name = 'session "s"';
    await assertDamaged(store.find("s"), name);
    await assertDamaged(store.open("s"), name);
    await assertDamaged(store.read(session.key), name);
    await assertDamaged(store.append(session.key, [{ body: "1" }]), name);
    assert.ok((await store.list()).some(({ id }) => id === "s"));
  }),

  damageCase("a damaged session can be deleted, and made anew", async ({ store, damage, session }) => {
    await damage({ type: "session", sessionKey: session.key });
    await damage({ type: "record", sessionKey: session.key, version: 1 });
    assert.equal(await store.delete("s"), true);
    assert.equal((await store.open("s")).version, 0);
  }),
];
