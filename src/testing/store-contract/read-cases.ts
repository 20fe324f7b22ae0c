import assert from "node:assert/strict";
import { append, readBodies, storeCase } from "./contract-case.ts";

/** What JSON.stringify makes of texts that trip databases up, and JSON that it would write otherwise. */
const AWKWARD_BODIES = [
  JSON.stringify("a NUL \0, a tab \t and a bell \u0007"),
  JSON.stringify("half a pair: \ud800, \udc00 and \ud83d."),
  JSON.stringify("😀 👩‍👩‍👧 漢字 é e\u0301 \u2028 \u2029 \ufeff \ufffd \uffff"),
  '"raw 😀 漢字 \u2028 \u0085 \ufeff"',
  '{ "b" : 1.0e2,\t"a":[ 1 , -0 ],\r\n "b" : 12345678901234567890 }',
  "'; DROP TABLE records; -- \\ \\\\ $1 ? :name %s $x",
  "null",
  " ",
  "",
];

export const readCases = [
  storeCase("bodies come back byte for byte", async (store) => {
    const session = await store.open("s");
    await append(
      store,
      session,
      AWKWARD_BODIES.map((body) => ({ body })),
    );
    for (const body of AWKWARD_BODIES) await append(store, session, [{ body }]);
    assert.deepEqual(await readBodies(store, session), [...AWKWARD_BODIES, ...AWKWARD_BODIES]);
  }),

  storeCase("bodies of five million characters come back byte for byte", async (store) => {
    const session = await store.open("s");
    const bodies = ["a", "漢", "😀"].map((text) => JSON.stringify(text.repeat(5_000_000 / text.length)));
    for (const body of bodies) await append(store, session, [{ body }]);
    const returned = await readBodies(store, session);
    // Compared by hand, as a failed comparison would print all of it.
    assert.ok(returned.length === 3 && bodies.every((body, index) => body === returned[index]), "a large body changed");
  }),

  storeCase("reads what comes after a version, up to the limit", async (store) => {
    const { key } = await store.open("s");
    await append(store, { key }, ["1", "2", "3", "4", "5"]);
    const versions = async (options: Parameters<typeof store.read>[1]) =>
      (await store.read(key, options)).map(({ version }) => version);
    assert.deepEqual(await versions({}), [1, 2, 3, 4, 5]);
    assert.deepEqual(await versions({ afterVersion: 0 }), [1, 2, 3, 4, 5]);
    assert.deepEqual(await versions({ afterVersion: 3 }), [4, 5]);
    assert.deepEqual(await versions({ limit: 2 }), [1, 2]);
    assert.deepEqual(await versions({ afterVersion: 1, limit: 3 }), [2, 3, 4]);
    assert.deepEqual(await versions({ afterVersion: 4, limit: 100 }), [5]);
    assert.deepEqual(await versions({ afterVersion: 5 }), []);
    assert.deepEqual(await versions({ afterVersion: 99 }), []);
    assert.deepEqual(await versions({ limit: 0 }), []);
  }),

  storeCase("what a caller does to its own objects changes nothing that is stored", async (store) => {
    const { key } = await store.open("s");
    const record = { body: "1", terms: ["first"] };
    const records = [record];
    const appending = store.append(key, records);
    record.body = "2";
    record.terms.push("second");
    records.push({ body: "3", terms: [] });
    await appending;
    const checkpoint = { id: "c1", at: 1, body: "{}" };
    await store.saveCheckpoint(key, checkpoint);
    checkpoint.body = "[]";
    assert.deepEqual(await readBodies(store, { key }), ["1"]);
    assert.deepEqual(await store.search(["second"]), []);
    assert.deepEqual(await store.listCheckpoints(key), [{ id: "c1", at: 1, body: "{}" }]);
  }),
];
