import assert from "node:assert/strict";
import type { LockRequest } from "../../core/ports/store.ts";
import { delay, storeCase } from "./contract-case.ts";

const LONG_MS = 600_000;
const SHORT_MS = 40;

function request(sessionKey: number, holder: string, changes: Partial<LockRequest> = {}): LockRequest {
  return { sessionKey, name: "m1", holder, durationMs: LONG_MS, ...changes };
}

export const lockCases = [
  storeCase("a lock that is held is refused to others, who are told by whom and until when", async (store) => {
    const { key } = await store.open("s");
    const first = await store.acquireLock(request(key, "anna"));
    assert.equal(first.type, "acquired");
    const second = await store.acquireLock(request(key, "ben"));
    assert.deepEqual(second, { type: "held", holder: "anna", expiresAt: first.expiresAt });
  }),

  storeCase("finding a lock names its holder, and changes nothing", async (store) => {
    const { key } = await store.open("s");
    const other = await store.open("other");
    assert.equal(await store.findLock({ sessionKey: key, name: "m1" }), undefined);
    const { expiresAt } = await store.acquireLock(request(key, "anna"));
    for (let times = 0; times < 2; times++) {
      assert.deepEqual(await store.findLock({ sessionKey: key, name: "m1" }), { holder: "anna", expiresAt });
    }
    assert.equal(await store.findLock({ sessionKey: key, name: "M1" }), undefined);
    assert.equal(await store.findLock({ sessionKey: other.key, name: "m1" }), undefined);
    await store.releaseLock({ sessionKey: key, name: "m1", holder: "anna" });
    assert.equal(await store.findLock({ sessionKey: key, name: "m1" }), undefined);
  }),

  storeCase("nobody holds an expired lock", async (store) => {
    const { key } = await store.open("s");
    await store.acquireLock(request(key, "anna", { durationMs: SHORT_MS }));
    await delay(3 * SHORT_MS);
    assert.equal(await store.findLock({ sessionKey: key, name: "m1" }), undefined);
  }),

  storeCase("its holder may acquire it again, and its duration starts anew", async (store) => {
    const { key } = await store.open("s");
    const first = await store.acquireLock(request(key, "anna"));
    const again = await store.acquireLock(request(key, "anna", { durationMs: 2 * LONG_MS }));
    assert.equal(again.type, "acquired");
    assert.ok(again.expiresAt >= first.expiresAt + LONG_MS);
    const shorter = await store.acquireLock(request(key, "anna", { durationMs: LONG_MS / 2 }));
    assert.ok(shorter.expiresAt < first.expiresAt);
    assert.equal((await store.acquireLock(request(key, "ben"))).expiresAt, shorter.expiresAt);
  }),

  storeCase("anyone may acquire an expired lock; its former holder then cannot release it", async (store) => {
    const { key } = await store.open("s");
    await store.acquireLock(request(key, "anna", { durationMs: SHORT_MS }));
    await delay(3 * SHORT_MS);
    assert.equal((await store.acquireLock(request(key, "ben"))).type, "acquired");
    assert.equal(await store.releaseLock({ sessionKey: key, name: "m1", holder: "anna" }), false);
    assert.deepEqual((await store.acquireLock(request(key, "anna"))).type, "held");
  }),

  storeCase("an expired lock cannot be released, also where nobody else acquired it", async (store) => {
    const { key } = await store.open("s");
    await store.acquireLock(request(key, "anna", { durationMs: SHORT_MS }));
    await store.acquireLock(request(key, "anna", { name: "m2", durationMs: SHORT_MS }));
    await delay(3 * SHORT_MS);
    assert.equal(await store.releaseLock({ sessionKey: key, name: "m1", holder: "anna" }), false);
    assert.equal(await store.releaseLock({ sessionKey: key, name: "m2" }), false);
  }),

  storeCase("only its holder releases it", async (store) => {
    const { key } = await store.open("s");
    await store.acquireLock(request(key, "anna"));
    assert.equal(await store.releaseLock({ sessionKey: key, name: "m1", holder: "ben" }), false);
    assert.equal((await store.acquireLock(request(key, "ben"))).type, "held");
    assert.equal(await store.releaseLock({ sessionKey: key, name: "m1", holder: "anna" }), true);
    assert.equal(await store.releaseLock({ sessionKey: key, name: "m1", holder: "anna" }), false);
    assert.equal((await store.acquireLock(request(key, "ben"))).type, "acquired");
  }),

  storeCase("a release that names no holder is forced", async (store) => {
    const { key } = await store.open("s");
    await store.acquireLock(request(key, "anna"));
    assert.equal(await store.releaseLock({ sessionKey: key, name: "m1" }), true);
    assert.equal(await store.releaseLock({ sessionKey: key, name: "m1" }), false);
    assert.equal((await store.acquireLock(request(key, "ben"))).type, "acquired");
  }),

  storeCase("each name of each session has a lock of its own", async (store) => {
    const [one, other] = [await store.open("one"), await store.open("other")];
    await store.acquireLock(request(one.key, "anna"));
    assert.equal((await store.acquireLock(request(one.key, "ben", { name: "m2" }))).type, "acquired");
    assert.equal((await store.acquireLock(request(one.key, "ben", { name: "M1" }))).type, "acquired");
    assert.equal((await store.acquireLock(request(other.key, "ben"))).type, "acquired");
    assert.equal(await store.releaseLock({ sessionKey: other.key, name: "m1", holder: "ben" }), true);
    assert.equal((await store.acquireLock(request(one.key, "ben"))).type, "held");
  }),

  storeCase("of many concurrent requests for a lock, one acquires it", async (store) => {
    const { key } = await store.open("s");
    const holders = Array.from({ length: 20 }, (_, index) => `holder-${index}`);
    const outcomes = await Promise.all(holders.map((holder) => store.acquireLock(request(key, holder))));
    assert.equal(outcomes.filter(({ type }) => type === "acquired").length, 1);
  }),

  storeCase("locks are advisory: they keep nobody from appending", async (store) => {
    const { key } = await store.open("s");
    await store.acquireLock(request(key, "anna"));
    assert.equal((await store.append(key, [{ body: "1" }])).type, "appended");
  }),
];
