import assert from "node:assert/strict";
import type { Store } from "../../core/ports/store.ts";
import { rejectsWith, type StoreContractCase, storeCase } from "./contract-case.ts";

const INVALID_NAMES: readonly unknown[] = [undefined, null, 1, "", {}, "a\0b", "\ud800", "x".repeat(513)];
const INVALID_KEYS: readonly unknown[] = [
  undefined,
  null,
  "1",
  0,
  -1,
  1.5,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  2 ** 53,
];
const INVALID_COUNTS: readonly unknown[] = [null, "1", -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY];
const INVALID_BODIES: readonly unknown[] = [undefined, null, 1, {}, "a\0b", "\ud800", "\udc00\ud800"];
const INVALID_TERMS: readonly unknown[] = [null, "word", [""], [1], [undefined], ["fine", null], ["x".repeat(513)]];

type Attempt = (store: Store, key: number, value: unknown) => unknown;

function refuses(name: string, values: readonly unknown[], attempts: readonly Attempt[]): StoreContractCase {
  return storeCase(`refuses ${name}`, async (store) => {
    const session = await store.open("s");
    const { key } = session;
    for (const attempt of attempts) {
      for (const value of values) await assertRefused(() => attempt(store, key, value));
    }
    assert.deepEqual(await store.find("s"), session);
    assert.equal((await store.list()).length, 1);
    assert.deepEqual(await store.listCheckpoints(key), []);
  });
}

/** The attempt is refused by a rejection: a caller who handles rejections must not meet an exception. */
async function assertRefused(attempt: () => unknown): Promise<void> {
  const answer = attempt();
  assert.ok(answer instanceof Promise, "a method threw, or gave no promise");
  await rejectsWith("invalid-argument", answer);
}

/** Calls the method as callers without types do. */
function call(
  store: Store,
  method: Exclude<keyof Store, "maintenance" | "savedStates">,
  ...values: readonly unknown[]
): unknown {
  return Reflect.apply(store[method], store, values);
}

const lock = (key: unknown) => ({ sessionKey: key, name: "m1", holder: "anna", durationMs: 1_000 });
const checkpoint = { id: "c1", at: 1, body: "{}" };

export const argumentCases: readonly StoreContractCase[] = [
  refuses("invalid ids, names and holders", INVALID_NAMES, [
    (store, _, value) => call(store, "open", value),
    (store, _, value) => call(store, "find", value),
    (store, _, value) => call(store, "delete", value),
    (store, key, value) => call(store, "deleteCheckpoint", key, value),
    (store, key, value) => call(store, "saveCheckpoint", key, { ...checkpoint, id: value }),
    (store, key, value) => call(store, "acquireLock", { ...lock(key), name: value }),
    (store, key, value) => call(store, "acquireLock", { ...lock(key), holder: value }),
    (store, key, value) => call(store, "findLock", { ...lock(key), name: value }),
    (store, key, value) => call(store, "releaseLock", { ...lock(key), name: value }),
  ]),
  refuses("invalid session keys", INVALID_KEYS, [
    (store, _, value) => call(store, "append", value, [{ body: "1" }]),
    (store, _, value) => call(store, "read", value),
    (store, _, value) => call(store, "acquireLock", lock(value)),
    (store, _, value) => call(store, "findLock", lock(value)),
    (store, _, value) => call(store, "releaseLock", lock(value)),
    (store, _, value) => call(store, "saveCheckpoint", value, checkpoint),
    (store, _, value) => call(store, "listCheckpoints", value),
    (store, _, value) => call(store, "deleteCheckpoint", value, "c1"),
  ]),
  refuses("invalid limits, versions, times and durations", INVALID_COUNTS, [
    (store, _, value) => call(store, "list", { limit: value }),
    (store, key, value) => call(store, "read", key, { limit: value }),
    (store, key, value) => call(store, "read", key, { afterVersion: value }),
    (store, key, value) => call(store, "append", key, [{ body: "1" }], { expectedVersion: value }),
    (store, key, value) => call(store, "append", key, [{ body: "1" }], { expectedRewriteVersion: value }),
    (store, key, value) => call(store, "listCheckpoints", key, { limit: value }),
    (store, _, value) => call(store, "search", ["a"], { limit: value }),
    (store, _, value) => call(store, "search", ["a"], { sessionKey: value }),
    (store, key, value) => call(store, "saveCheckpoint", key, { ...checkpoint, at: value }),
    (store, key, value) => call(store, "acquireLock", { ...lock(key), durationMs: value }),
  ]),
  refuses("bodies that UTF-8 cannot carry", INVALID_BODIES, [
    (store, key, value) => call(store, "append", key, [{ body: value }]),
    (store, key, value) => call(store, "append", key, [{ body: "1" }, { body: value }]),
    (store, key, value) => call(store, "saveCheckpoint", key, { ...checkpoint, body: value }),
  ]),
  refuses("invalid terms", INVALID_TERMS, [
    (store, key, value) => call(store, "append", key, [{ body: "1", terms: value }]),
    (store, _, value) => call(store, "search", value),
  ]),
  refuses(
    "other values in the place of lists and objects",
    [null, 7, "text"],
    [
      (store, key, value) => call(store, "append", key, value),
      (store, key, value) => call(store, "append", key, [value]),
      (store, key, value) => call(store, "append", key, [], value),
      (store, key, value) => call(store, "append", key, [{ body: "1", isRewrite: value }]),
      (store, key, value) => call(store, "read", key, value),
      (store, _, value) => call(store, "list", value),
      (store, _, value) => call(store, "search", [], value),
      (store, _, value) => call(store, "acquireLock", value),
      (store, _, value) => call(store, "findLock", value),
      (store, _, value) => call(store, "releaseLock", value),
      (store, key, value) => call(store, "saveCheckpoint", key, value),
      (store, key, value) => call(store, "listCheckpoints", key, value),
    ],
  ),
  refuses(
    "locks that last no time or longer than any date",
    [0, -1, 1e16],
    [(store, key, value) => call(store, "acquireLock", { ...lock(key), durationMs: value })],
  ),
];
