import assert from "node:assert/strict";
import type { SavedStates, Store } from "../../core/ports/store.ts";
import { append, rejectsWith, type StoreContractCase, storeCase } from "./contract-case.ts";

/** A promise of stores that save states; a store without `savedStates` promises nothing here. */
function stateCase(name: string, check: (states: SavedStates, store: Store) => Promise<void>): StoreContractCase {
  return storeCase(name, async (store) => {
    if (store.savedStates !== undefined) await check(store.savedStates, store);
  });
}

export const savedStateCases = [
  stateCase("a saved state comes back byte for byte", async (states, store) => {
    const { key } = await store.open("s");
    assert.equal(await states.read(key), undefined);
    const body = JSON.stringify(`\0 \ud800 😀 ${"漢".repeat(1_000_000)}`);
    await states.save(key, { version: 7, body });
    assert.ok((await states.read(key))?.body === body, "the body changed");
    assert.equal((await states.read(key))?.version, 7);
  }),

  stateCase("a newer state takes the place of an older one, and not the reverse", async (states, store) => {
    const { key } = await store.open("s");
    await states.save(key, { version: 2, body: "2" });
    await states.save(key, { version: 3, body: "3" });
    await states.save(key, { version: 1, body: "1" });
    assert.deepEqual(await states.read(key), { version: 3, body: "3" });
    await states.save(key, { version: 3, body: "4" });
    assert.deepEqual(await states.read(key), { version: 3, body: "4" });
  }),

  stateCase("each session has a state of its own, which goes with it", async (states, store) => {
    const [one, other] = [await store.open("one"), await store.open("other")];
    await states.save(one.key, { version: 1, body: "1" });
    await states.save(other.key, { version: 2, body: "2" });
    await store.delete("one");
    assert.equal(await states.read(one.key), undefined);
    assert.equal(await states.read((await store.open("one")).key), undefined);
    assert.deepEqual(await states.read(other.key), { version: 2, body: "2" });
    await rejectsWith("not-found", states.save(one.key, { version: 1, body: "1" }));
  }),

  stateCase("a saved state leaves the session and its records alone", async (states, store) => {
    const session = await store.open("s");
    await append(store, session, ["one"]);
    const before = await store.find("s");
    await states.save(session.key, { version: 1, body: "{}" });
    assert.deepEqual(await store.find("s"), before);
    assert.equal((await store.read(session.key)).length, 1);
  }),

  stateCase("a store that is closed neither saves nor reads a state", async (states, store) => {
    const { key } = await store.open("s");
    await store.close();
    await rejectsWith("store-failed", states.save(key, { version: 1, body: "1" }));
    await rejectsWith("store-failed", states.read(key));
  }),

  stateCase("an invalid state is refused", async (states, store) => {
    const { key } = await store.open("s");
    const refused: readonly (readonly unknown[])[] = [
      [0, { version: 1, body: "1" }],
      [key, { version: -1, body: "1" }],
      [key, { version: 1.5, body: "1" }],
      [key, { version: 1, body: 1 }],
      [key, undefined],
    ];
    const save: (...given: never[]) => Promise<unknown> = states.save;
    for (const given of refused) await rejectsWith("invalid-argument", Reflect.apply(save, states, given));
    await rejectsWith("invalid-argument", states.read(0));
  }),
];
