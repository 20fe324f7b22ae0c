import { describe, expect, test } from "vitest";
import type { Store } from "../../core/ports/store.ts";
import { memoryStore } from "../../stores/memory/index.ts";
import { durableStoreContract, storeContract } from "../index.ts";

type Fault = (store: Store) => Partial<Store>;

/** The first promise that a store with this fault breaks. */
async function firstBreach(fault: Fault): Promise<string | undefined> {
  const open = async () => {
    const store = memoryStore();
    return { ...store, ...fault(store) };
  };
  for (const { name, run } of storeContract) {
    const isKept = await run(open).then(
      () => true,
      () => false,
    );
    if (!isKept) return name;
  }
  return undefined;
}

const FAULTS: Readonly<Record<string, Fault>> = {
  "loses the last record of a batch": ({ append }) => ({
    append: (key, records, options) => append(key, records.length > 1 ? records.slice(0, -1) : records, options),
  }),
  "rewrites JSON in its own way": ({ append }) => ({
    append: (key, records, options) =>
      append(
        key,
        records.map((record) => ({ ...record, body: record.body.trim() })),
        options,
      ),
  }),
  "lets NUL through": ({ append }) => ({
    append: (key, records, options) =>
      append(
        key,
        records.map((record) => ({ ...record, body: String(record.body).replaceAll("\0", "") })),
        options,
      ),
  }),
  "does not look at the expected version": ({ append }) => ({
    append: (key, records, { expectedRewriteVersion } = {}) =>
      append(key, records, expectedRewriteVersion === undefined ? {} : { expectedRewriteVersion }),
  }),
  "does not look at the expected rewrite version": ({ append }) => ({
    append: (key, records, { expectedVersion } = {}) =>
      append(key, records, expectedVersion === undefined ? {} : { expectedVersion }),
  }),
  "forgets rewrites": ({ append }) => ({
    append: (key, records, options) =>
      append(
        key,
        records.map(({ body, terms = [] }) => ({ body, terms })),
        options,
      ),
  }),
  "reads one record too few": ({ read }) => ({
    read: async (key, options) => (await read(key, options)).slice(0, 4_000).slice(0, -1),
  }),
  "reads all records whatever the limit": ({ read }) => ({
    read: (key, options) => read(key, { ...options, limit: 1e6 }),
  }),
  "answers for sessions that are gone": ({ read }) => ({ read: (key, options) => read(key, options).catch(() => []) }),
  "finds parts of terms": ({ append }) => ({
    append: (key, records, options) =>
      append(
        key,
        records.map((record) => ({
          ...record,
          terms: record.terms?.flatMap((term) => [term, term.slice(0, 1)]) ?? [],
        })),
        options,
      ),
  }),
  "finds the oldest first": ({ search }) => ({
    search: async (terms, options) => (await search(terms, options)).toReversed(),
  }),
  "counts what is asked twice": ({ search }) => ({
    search: async (terms, options) =>
      (await search(terms, options)).map((found) => ({ ...found, matches: Math.min(terms.length, found.matches + 1) })),
  }),
  "searches other sessions too": ({ search }) => ({
    search: (terms, { limit = 1e6 } = {}) => search(terms, { limit }),
  }),
  "lists the oldest session first": ({ list }) => ({ list: async (options) => (await list(options)).toReversed() }),
  "lists fewer sessions than 100": ({ list }) => ({ list: (options) => list({ limit: 50, ...options }) }),
  "keeps deleted sessions": () => ({ delete: async () => true }),
  "gives a lock to everyone": ({ acquireLock }) => ({ acquireLock: (lock) => acquireLock({ ...lock, holder: "all" }) }),
  "holds locks for ever": ({ acquireLock }) => ({ acquireLock: (lock) => acquireLock({ ...lock, durationMs: 1e9 }) }),
  "takes a lock that it is only asked about": ({ acquireLock }) => ({
    findLock: async (lock) => {
      const { expiresAt } = await acquireLock({ ...lock, holder: "reader", durationMs: 1e6 });
      return { holder: "anna", expiresAt };
    },
  }),
  "knows no holders": () => ({ findLock: async () => undefined }),
  "lets anyone release a lock": ({ releaseLock }) => ({
    releaseLock: ({ sessionKey, name }) => releaseLock({ sessionKey, name }),
  }),
  "locks whole sessions": ({ acquireLock }) => ({ acquireLock: (lock) => acquireLock({ ...lock, name: "session" }) }),
  "lists the oldest checkpoint first": ({ listCheckpoints }) => ({
    listCheckpoints: async (key, options) => (await listCheckpoints(key, options)).toReversed(),
  }),
  "keeps deleted checkpoints": () => ({ deleteCheckpoint: async () => true }),
  "goes on after closing": () => ({ close: async () => {} }),
  "throws instead of rejecting": ({ open }) => ({
    open(sessionId) {
      if (typeof sessionId !== "string") throw new TypeError("no id");
      return open(sessionId);
    },
  }),
};

describe("the contract finds a store that", () => {
  test.each(Object.entries(FAULTS))("%s", async (_, fault) => {
    expect(await firstBreach(fault)).toBeTypeOf("string");
  });
});

test("the contract has no two promises of one name", () => {
  const names = [...storeContract, ...durableStoreContract].map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

describe("the contract of durable stores finds one that forgets:", () => {
  for (const { name, run } of durableStoreContract) {
    // Which is as true of two stores that have nothing to do with each other.
    if (name === "closing one handle leaves the other as it was") continue;
    test(name, async () => {
      const forgetful = run({ open: async () => memoryStore(), reopen: async () => memoryStore() });
      await expect(forgetful).rejects.toThrow();
    });
  }
});
