import assert from "node:assert/strict";
import { append, rejectsWith, storeCase } from "./contract-case.ts";

export const sessionCases = [
  storeCase("a session that is opened for the first time is empty", async (store) => {
    const session = await store.open("new");
    assert.equal(session.id, "new");
    assert.equal(session.version, 0);
    assert.equal(session.rewriteVersion, 0);
    assert.ok(Number.isSafeInteger(session.key) && session.key > 0, "the key is a positive whole number");
    assert.ok(Number.isFinite(session.createdAt));
    assert.equal(session.updatedAt, session.createdAt);
    assert.deepEqual(await store.read(session.key), []);
  }),

  storeCase("opening again gives the same session with its versions", async (store) => {
    const session = await store.open("again");
    await append(store, session, ["one", { body: '"two"', isRewrite: true }, "three"]);
    const again = await store.open("again");
    assert.equal(again.key, session.key);
    assert.equal(again.version, 3);
    assert.equal(again.rewriteVersion, 2);
    assert.equal(again.createdAt, session.createdAt);
    assert.ok(again.updatedAt >= session.updatedAt);
    assert.deepEqual(await store.find("again"), again);
  }),

  storeCase("opening one id many times at once makes one session", async (store) => {
    const sessions = await Promise.all(Array.from({ length: 20 }, () => store.open("shared")));
    assert.equal(new Set(sessions.map(({ key }) => key)).size, 1);
    assert.equal((await store.list()).length, 1);
  }),

  storeCase("finding creates no session", async (store) => {
    assert.equal(await store.find("nobody"), undefined);
    assert.deepEqual(await store.list(), []);
  }),

  storeCase("ids are told apart by every character", async (store) => {
    const ids = ["a", "A", "a ", " a", "á", "a\u0301", "a%", "a_", "a'b", 'a"b', "漢字", "😀", "../a", "x".repeat(512)];
    const keys = new Set<number>();
    for (const id of ids) keys.add((await store.open(id)).key);
    assert.equal(keys.size, ids.length);
    for (const id of ids) assert.equal((await store.find(id))?.id, id);
  }),

  storeCase("lists the sessions written to last first, also within one millisecond", async (store) => {
    const [a, b, c] = [await store.open("a"), await store.open("b"), await store.open("c")];
    assert.deepEqual(
      (await store.list()).map(({ id }) => id),
      ["c", "b", "a"],
    );
    await append(store, b, ["x"]);
    await append(store, a, ["x"]);
    await store.open("c");
    await store.read(c.key);
    assert.deepEqual(
      (await store.list()).map(({ id }) => id),
      ["a", "b", "c"],
    );
    assert.deepEqual(
      (await store.list()).map(({ version }) => version),
      [1, 1, 0],
    );
  }),

  storeCase("lists at most the limit, 100 without one", async (store) => {
    for (let index = 0; index < 103; index++) await store.open(`s${index}`);
    assert.equal((await store.list()).length, 100);
    assert.equal((await store.list({})).length, 100);
    assert.deepEqual(
      (await store.list({ limit: 2 })).map(({ id }) => id),
      ["s102", "s101"],
    );
    assert.equal((await store.list({ limit: 500 })).length, 103);
    assert.deepEqual(await store.list({ limit: 0 }), []);
  }),

  storeCase("deleting destroys the records, locks, checkpoints and terms of that session alone", async (store) => {
    const [gone, kept] = [await store.open("gone"), await store.open("kept")];
    for (const session of [gone, kept]) {
      await append(store, session, [{ body: "1", terms: ["word"] }]);
      await store.acquireLock({ sessionKey: session.key, name: "m1", holder: "me", durationMs: 60_000 });
      await store.saveCheckpoint(session.key, { id: "c1", at: 1, body: "{}" });
    }
    assert.equal(await store.delete("gone"), true);
    assert.equal(await store.find("gone"), undefined);
    assert.deepEqual(
      (await store.list()).map(({ id }) => id),
      ["kept"],
    );
    assert.deepEqual(await store.search(["word"]), [
      { sessionKey: kept.key, sessionId: kept.id, version: 1, matches: 1 },
    ]);
    assert.deepEqual(await store.search(["word"], { sessionKey: gone.key }), []);
    assert.equal((await store.read(kept.key)).length, 1);
    assert.equal((await store.listCheckpoints(kept.key)).length, 1);
    assert.equal(await store.releaseLock({ sessionKey: kept.key, name: "m1" }), true);
  }),

  storeCase("deleting returns whether there was a session", async (store) => {
    assert.equal(await store.delete("never"), false);
    await store.open("once");
    assert.equal(await store.delete("once"), true);
    assert.equal(await store.delete("once"), false);
  }),

  storeCase("the key of a deleted session finds nothing", async (store) => {
    const { key } = await store.open("gone");
    await append(store, { key }, ["x"]);
    await store.saveCheckpoint(key, { id: "c1", at: 1, body: "{}" });
    await store.delete("gone");
    assert.deepEqual(await store.append(key, [{ body: "1" }]), { type: "missing" });
    assert.deepEqual(await store.append(key, [{ body: "1" }], { expectedVersion: 9 }), { type: "missing" });
    await rejectsWith("not-found", store.read(key));
    await rejectsWith("not-found", store.acquireLock({ sessionKey: key, name: "m", holder: "h", durationMs: 1_000 }));
    await rejectsWith("not-found", store.saveCheckpoint(key, { id: "c2", at: 1, body: "{}" }));
    await rejectsWith("not-found", store.listCheckpoints(key));
    assert.equal(await store.deleteCheckpoint(key, "c1"), false);
    assert.equal(await store.findLock({ sessionKey: key, name: "m" }), undefined);
    assert.equal(await store.releaseLock({ sessionKey: key, name: "m" }), false);
    assert.equal(await store.find("gone"), undefined);
  }),

  storeCase("a key that no session ever had finds nothing", async (store) => {
    for (const key of [999_999, Number.MAX_SAFE_INTEGER]) {
      assert.deepEqual(await store.append(key, [{ body: "1" }]), { type: "missing" });
      await rejectsWith("not-found", store.read(key));
      assert.deepEqual(await store.search(["a"], { sessionKey: key }), []);
    }
  }),

  storeCase("a session made again has another key and nothing of the old one", async (store) => {
    const keys = new Set<number>();
    for (let round = 0; round < 3; round++) {
      const session = await store.open("phoenix");
      assert.equal(session.version, 0);
      assert.equal(session.rewriteVersion, 0);
      assert.deepEqual(await store.read(session.key), []);
      assert.deepEqual(await store.listCheckpoints(session.key), []);
      assert.deepEqual(await store.search(["word"]), []);
      keys.add(session.key);
      await append(store, session, [{ body: "1", isRewrite: true, terms: ["word"] }]);
      await store.saveCheckpoint(session.key, { id: "c1", at: 1, body: "{}" });
      await store.delete("phoenix");
    }
    assert.equal(keys.size, 3);
  }),
];
