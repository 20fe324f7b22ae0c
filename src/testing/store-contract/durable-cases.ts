import assert from "node:assert/strict";
import type { Store } from "../../core/ports/store.ts";
import { append, type DurableStoreContractCase, durableCase, type OpenStore, readBodies } from "./contract-case.ts";

async function withSecond(reopen: OpenStore, check: (second: Store) => Promise<void>): Promise<void> {
  const second = await reopen();
  try {
    await check(second);
  } finally {
    await second.close();
  }
}

/**
 * What durable stores promise: their data outlives the handle that wrote it, and is shared by all who open it.
 * @example
 * ```ts
 * import { mkdtemp } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { sqliteStore } from "palimpsest/stores/sqlite";
 * import { durableStoreContract } from "palimpsest/testing";
 * for (const { run } of durableStoreContract) {
 *   const path = join(await mkdtemp(join(tmpdir(), "contract-")), "sessions.db");
 *   await run({ open: async () => sqliteStore({ path }), reopen: async () => sqliteStore({ path }) });
 * }
 * console.log(durableStoreContract.length > 3); // true
 * ```
 */
export const durableStoreContract: readonly DurableStoreContractCase[] = [
  durableCase("everything is there after closing and opening again", async (store, reopen) => {
    const session = await store.open("s");
    await append(store, session, ["one", { body: JSON.stringify("\0 😀"), isRewrite: true, terms: ["word"] }]);
    await store.saveCheckpoint(session.key, { id: "c1", at: 1, body: "{}" });
    const lock = { sessionKey: session.key, name: "m1", holder: "anna", durationMs: 600_000 };
    const held = await store.acquireLock(lock);
    const [stored, records] = [await store.find("s"), await store.read(session.key)];
    await store.close();
    await withSecond(reopen, async (second) => {
      assert.deepEqual(await second.open("s"), stored);
      assert.deepEqual(await second.read(session.key), records);
      assert.deepEqual(await second.search(["word"]), [
        { sessionKey: session.key, sessionId: session.id, version: 2, matches: 1 },
      ]);
      assert.deepEqual(await second.listCheckpoints(session.key), [{ id: "c1", at: 1, body: "{}" }]);
      const refused = await second.acquireLock({ ...lock, holder: "ben" });
      assert.deepEqual(refused, { type: "held", holder: "anna", expiresAt: held.expiresAt });
    });
  }),

  durableCase("one handle reads at once what the other has acknowledged", async (store, reopen) => {
    await withSecond(reopen, async (second) => {
      const session = await store.open("s");
      for (let round = 0; round < 10; round++) {
        const [writer, reader] = round % 2 === 0 ? [store, second] : [second, store];
        const version = await append(writer, session, [{ body: `${round}`, terms: [`t${round}`] }]);
        assert.equal((await reader.find("s"))?.version, version);
        assert.equal((await reader.read(session.key)).at(-1)?.body, `${round}`);
        assert.equal((await reader.search([`t${round}`])).length, 1);
      }
    });
  }),

  durableCase("two handles that append at the same time lose nothing", async (store, reopen) => {
    await withSecond(reopen, async (second) => {
      const session = await store.open("s");
      const texts = Array.from({ length: 50 }, (_, index) => `${index}`);
      const appends = texts.map((text, index) => append(index % 2 === 0 ? store : second, session, [text]));
      const versions = await Promise.all(appends);
      const bodies = await readBodies(second, session);
      assert.equal(new Set(versions).size, 50);
      texts.forEach((text, index) => {
        assert.equal(bodies[(versions[index] ?? 0) - 1], JSON.stringify(text));
      });
    });
  }),

  durableCase("of two handles that expect one version, one succeeds", async (store, reopen) => {
    await withSecond(reopen, async (second) => {
      const { key } = await store.open("s");
      for (let expectedVersion = 0; expectedVersion < 10; expectedVersion++) {
        const records = [{ body: "1" }];
        const attempts = [store, second].map((handle) => handle.append(key, records, { expectedVersion }));
        const types = (await Promise.all(attempts)).map(({ type }) => type);
        assert.deepEqual(types.sort(), ["appended", "conflict"]);
      }
      assert.equal((await store.read(key)).length, 10);
    });
  }),

  durableCase("two handles that open one id make one session", async (store, reopen) => {
    await withSecond(reopen, async (second) => {
      for (const id of ["a", "b", "c"]) {
        const [one, other] = await Promise.all([store.open(id), second.open(id)]);
        assert.deepEqual(one, other);
        await append(store, one, ["one"]);
        assert.equal((await second.open(id)).version, 1);
      }
    });
  }),

  durableCase("a session deleted by one handle is missing for the other", async (store, reopen) => {
    await withSecond(reopen, async (second) => {
      const session = await store.open("s");
      await append(second, session, ["one"]);
      assert.equal(await second.delete("s"), true);
      assert.deepEqual(await store.append(session.key, [{ body: "1" }]), { type: "missing" });
      assert.notEqual((await store.open("s")).key, session.key);
    });
  }),

  durableCase("keys are not given again after closing", async (store, reopen) => {
    const { key } = await store.open("s");
    await store.delete("s");
    await store.close();
    await withSecond(reopen, async (second) => {
      assert.notEqual((await second.open("s")).key, key);
    });
  }),

  durableCase("a lock holds against the other handle, and can be forced by it", async (store, reopen) => {
    await withSecond(reopen, async (second) => {
      const { key } = await store.open("s");
      const lock = { sessionKey: key, name: "m1", durationMs: 600_000 };
      await store.acquireLock({ ...lock, holder: "anna" });
      assert.equal((await second.acquireLock({ ...lock, holder: "ben" })).type, "held");
      assert.equal(await second.releaseLock({ sessionKey: key, name: "m1" }), true);
      assert.equal((await second.acquireLock({ ...lock, holder: "ben" })).type, "acquired");
      assert.equal((await store.acquireLock({ ...lock, holder: "anna" })).type, "held");
    });
  }),

  durableCase("closing one handle leaves the other as it was", async (store, reopen) => {
    await withSecond(reopen, async (second) => {
      const session = await second.open("s");
      await store.close();
      await append(second, session, ["one"]);
      assert.equal((await second.read(session.key)).length, 1);
    });
  }),
];
