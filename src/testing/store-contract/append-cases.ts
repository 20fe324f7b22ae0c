import assert from "node:assert/strict";
import type { Store, StoredSession } from "../../core/ports/store.ts";
import { append, appendIf, asRecord, readBodies, storeCase } from "./contract-case.ts";

export const appendCases = [
  storeCase("records are numbered from 1 without gaps, and come back in order", async (store) => {
    const session = await store.open("s");
    assert.equal(await append(store, session, ["one"]), 1);
    assert.equal(await append(store, session, ["two", "three"]), 3);
    const records = await store.read(session.key);
    assert.deepEqual(
      records.map(({ version }) => version),
      [1, 2, 3],
    );
    assert.deepEqual(
      records.map(({ body }) => body),
      ['"one"', '"two"', '"three"'],
    );
    assert.ok(records.every(({ at }) => Number.isFinite(at)));
    assert.equal((await store.find("s"))?.updatedAt, records.at(-1)?.at);
  }),

  storeCase("the versions of one session say nothing about another", async (store) => {
    const [one, other] = [await store.open("one"), await store.open("other")];
    await append(store, one, ["a", "b"]);
    assert.equal(await append(store, other, ["c"]), 1);
    assert.equal(await append(store, one, ["d"]), 3);
    assert.deepEqual(await readBodies(store, other), ['"c"']);
  }),

  storeCase("the outcome holds both versions after the append", async (store) => {
    const { key } = await store.open("s");
    const rewrite = { body: "1", isRewrite: true };
    const plain = { body: "2" };
    const expected = (version: number, rewriteVersion: number) => ({ type: "appended", version, rewriteVersion });
    assert.deepEqual(await store.append(key, [plain]), expected(1, 0));
    assert.deepEqual(await store.append(key, [rewrite, plain]), expected(3, 2));
    assert.deepEqual(await store.append(key, [{ ...plain, isRewrite: false }]), expected(4, 2));
    assert.deepEqual(await store.append(key, [rewrite, rewrite]), expected(6, 6));
  }),

  storeCase("appending nothing adds nothing, and conditions still hold", async (store) => {
    const { key } = await store.open("s");
    await append(store, { key }, ["one"]);
    assert.deepEqual(await store.append(key, []), { type: "appended", version: 1, rewriteVersion: 0 });
    const conflict = { type: "conflict", version: 1, rewriteVersion: 0 };
    assert.deepEqual(await store.append(key, [], { expectedVersion: 0 }), conflict);
    assert.equal((await store.read(key)).length, 1);
  }),

  storeCase("an expected version lets only that version pass", async (store) => {
    const session = await store.open("s");
    await append(store, session, ["one", "two"]);
    const conflict = { type: "conflict", version: 2, rewriteVersion: 0 };
    for (const expectedVersion of [0, 1, 3, 100]) {
      assert.deepEqual(await appendIf(store, session, { expectedVersion }), conflict);
    }
    assert.equal((await store.read(session.key)).length, 2);
    assert.equal((await appendIf(store, session, { expectedVersion: 2 })).type, "appended");
    assert.equal((await appendIf(store, session, { expectedVersion: 2 })).type, "conflict");
    assert.equal((await store.read(session.key)).length, 3);
  }),

  storeCase("an expected rewrite version lets messages of others pass, but no rewrite", async (store) => {
    const session = await store.open("s");
    await append(store, session, ["one", { body: "2", isRewrite: true }]);
    await append(store, session, ["three"]);
    const passed = await appendIf(store, session, { expectedRewriteVersion: 2 });
    assert.deepEqual(passed, { type: "appended", version: 4, rewriteVersion: 2 });
    await append(store, session, [{ body: "5", isRewrite: true }]);
    const conflict = { type: "conflict", version: 5, rewriteVersion: 5 };
    for (const expectedRewriteVersion of [0, 2, 4, 6]) {
      assert.deepEqual(await appendIf(store, session, { expectedRewriteVersion }), conflict);
    }
    assert.equal((await store.read(session.key)).length, 5);
  }),

  storeCase("of two conditions both must hold", async (store) => {
    const session = await store.open("s");
    await append(store, session, [{ body: "1", isRewrite: true }, "two"]);
    const outcome = async (expectedVersion: number, expectedRewriteVersion: number) =>
      (await appendIf(store, session, { expectedVersion, expectedRewriteVersion })).type;
    assert.equal(await outcome(1, 1), "conflict");
    assert.equal(await outcome(2, 0), "conflict");
    assert.equal(await outcome(2, 1), "appended");
  }),

  storeCase("a batch with one bad record adds none of them", async (store) => {
    const session = await store.open("s");
    await append(store, session, ["kept"]);
    // @ts-expect-error callers without types
    await assert.rejects(store.append(session.key, [{ body: "1", terms: ["early"] }, { body: 2 }]));
    await assert.rejects(
      store.append(session.key, [
        { body: "1", terms: ["early"] },
        { body: "2", terms: [""] },
      ]),
    );
    assert.deepEqual(await readBodies(store, session), ['"kept"']);
    assert.deepEqual(await store.search(["early"]), []);
    assert.equal((await store.find("s"))?.version, 1);
    assert.equal(await append(store, session, ["next"]), 2);
  }),

  storeCase("a batch of thousands goes in whole", async (store) => {
    const session = await store.open("s");
    const records = Array.from({ length: 3_000 }, (_, index) => ({ body: `${index}`, terms: [`t${index}`] }));
    assert.equal(await append(store, session, records), 3_000);
    assert.deepEqual(
      await readBodies(store, session),
      records.map(({ body }) => body),
    );
    assert.deepEqual(await store.search(["t2999"]), [
      { sessionKey: session.key, sessionId: session.id, version: 3_000, matches: 1 },
    ]);
  }),

  storeCase("of concurrent appends none is lost and each has versions of its own", async (store) => {
    const session = await store.open("s");
    const batches = Array.from({ length: 50 }, (_, index) => [`${index}a`, `${index}b`]);
    const versions = await Promise.all(batches.map((batch) => append(store, session, batch)));
    const sorted = [...versions].sort((a, b) => a - b);
    assert.deepEqual(
      sorted,
      Array.from({ length: 50 }, (_, index) => 2 * (index + 1)),
    );
    const bodies = await readBodies(store, session);
    batches.forEach((batch, index) => {
      const end = versions[index] ?? 0;
      assert.deepEqual(
        bodies.slice(end - 2, end),
        batch.map((text) => asRecord(text).body),
      );
    });
  }),

  storeCase("of concurrent appends that expect one version, one succeeds", async (store) => {
    const session = await store.open("s");
    await append(store, session, ["one"]);
    assert.equal(await countSuccesses(store, session, 1), 1);
    assert.equal(await countSuccesses(store, session, 2), 1);
    assert.equal((await store.read(session.key)).length, 3);
  }),
];

async function countSuccesses(store: Store, session: StoredSession, expectedVersion: number): Promise<number> {
  const attempts = Array.from({ length: 20 }, () => appendIf(store, session, { expectedVersion }));
  return (await Promise.all(attempts)).filter(({ type }) => type === "appended").length;
}
