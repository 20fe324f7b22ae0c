import assert from "node:assert/strict";
import type { Store } from "../../core/ports/store.ts";
import { storeCase } from "./contract-case.ts";

export const checkpointCases = [
  storeCase("checkpoints come back byte for byte, the newest first", async (store) => {
    const { key } = await store.open("s");
    const bodies = [JSON.stringify("\0 \ud800 😀"), '{ "a" : 1.0 }', JSON.stringify("漢".repeat(1_000_000))];
    await store.saveCheckpoint(key, { id: "middle", at: 2_000, body: bodies[1] ?? "" });
    await store.saveCheckpoint(key, { id: "newest", at: 1_800_000_000_000, body: bodies[2] ?? "" });
    await store.saveCheckpoint(key, { id: "oldest", at: 0, body: bodies[0] ?? "" });
    const listed = await store.listCheckpoints(key);
    assert.deepEqual(
      listed.map(({ id }) => id),
      ["newest", "middle", "oldest"],
    );
    assert.deepEqual(
      listed.map(({ at }) => at),
      [1_800_000_000_000, 2_000, 0],
    );
    assert.ok(
      listed.every(({ body }, index) => body === bodies[2 - index]),
      "a body changed",
    );
  }),

  storeCase("of checkpoints of the same moment, the one saved last comes first", async (store) => {
    const { key } = await store.open("s");
    for (const id of ["b", "c", "a"]) await store.saveCheckpoint(key, { id, at: 5, body: "{}" });
    assert.deepEqual(await checkpointIds(store, key), ["a", "c", "b"]);
  }),

  storeCase("lists at most the limit", async (store) => {
    const { key } = await store.open("s");
    for (let at = 1; at <= 120; at++) await store.saveCheckpoint(key, { id: `c${at}`, at, body: "{}" });
    assert.deepEqual(await checkpointIds(store, key, 2), ["c120", "c119"]);
    assert.equal((await checkpointIds(store, key)).length, 120);
    assert.deepEqual(await checkpointIds(store, key, 0), []);
  }),

  storeCase("a checkpoint with the same id is replaced", async (store) => {
    const { key } = await store.open("s");
    await store.saveCheckpoint(key, { id: "a", at: 3, body: "1" });
    await store.saveCheckpoint(key, { id: "b", at: 2, body: "2" });
    await store.saveCheckpoint(key, { id: "a", at: 1, body: "3" });
    assert.deepEqual(await store.listCheckpoints(key), [
      { id: "b", at: 2, body: "2" },
      { id: "a", at: 1, body: "3" },
    ]);
  }),

  storeCase("each session has checkpoints of its own", async (store) => {
    const [one, other] = [await store.open("one"), await store.open("other")];
    await store.saveCheckpoint(one.key, { id: "a", at: 1, body: "1" });
    await store.saveCheckpoint(other.key, { id: "a", at: 2, body: "2" });
    assert.deepEqual(await store.listCheckpoints(one.key), [{ id: "a", at: 1, body: "1" }]);
    assert.equal(await store.deleteCheckpoint(one.key, "a"), true);
    assert.deepEqual(await store.listCheckpoints(one.key), []);
    assert.deepEqual(await store.listCheckpoints(other.key), [{ id: "a", at: 2, body: "2" }]);
  }),

  storeCase("deleting a checkpoint says whether there was one", async (store) => {
    const { key } = await store.open("s");
    await store.saveCheckpoint(key, { id: "a", at: 1, body: "1" });
    assert.equal(await store.deleteCheckpoint(key, "b"), false);
    assert.equal(await store.deleteCheckpoint(key, "a"), true);
    assert.equal(await store.deleteCheckpoint(key, "a"), false);
  }),

  storeCase("checkpoints leave the versions of the session alone", async (store) => {
    const session = await store.open("s");
    await store.saveCheckpoint(session.key, { id: "a", at: 1, body: "1" });
    assert.equal((await store.find("s"))?.version, 0);
    assert.deepEqual(await store.read(session.key), []);
  }),
];

async function checkpointIds(store: Store, key: number, limit?: number): Promise<readonly string[]> {
  const listed = await store.listCheckpoints(key, limit === undefined ? undefined : { limit });
  return listed.map(({ id }) => id);
}
