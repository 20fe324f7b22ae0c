import type { Store } from "../../core/ports/store.ts";
import { appendCases } from "./append-cases.ts";
import { argumentCases } from "./argument-cases.ts";
import { blobCases } from "./blob-cases.ts";
import { checkpointCases } from "./checkpoint-cases.ts";
import { append, rejectsWith, type StoreContractCase, storeCase } from "./contract-case.ts";
import { lockCases } from "./lock-cases.ts";
import { readCases } from "./read-cases.ts";
import { savedStateCases } from "./saved-state-cases.ts";
import { searchCases } from "./search-cases.ts";
import { sessionCases } from "./session-cases.ts";

const closeCases = [
  storeCase("a store that is closed refuses everything", async (store) => {
    const session = await store.open("s");
    await append(store, session, ["one"]);
    await store.close();
    for (const call of everyCall(store, session.key)) await rejectsWith("store-failed", call());
  }),

  storeCase("a store that is closed before it was used refuses everything", async (store) => {
    await store.close();
    for (const call of everyCall(store, 1)) await rejectsWith("store-failed", call());
  }),

  storeCase("closing twice is allowed", async (store) => {
    await store.open("s");
    await store.close();
    await store.close();
  }),
];

function everyCall(store: Store, sessionKey: number): readonly (() => Promise<unknown>)[] {
  return [
    () => store.open("s"),
    () => store.find("s"),
    () => store.list(),
    () => store.delete("s"),
    () => store.append(sessionKey, [{ body: "1" }]),
    () => store.read(sessionKey),
    () => store.readBlobs(sessionKey, ["a"]),
    () => store.search(["a"]),
    () => store.acquireLock({ sessionKey, name: "m1", holder: "anna", durationMs: 1_000 }),
    () => store.findLock({ sessionKey, name: "m1" }),
    () => store.releaseLock({ sessionKey, name: "m1" }),
    () => store.saveCheckpoint(sessionKey, { id: "c1", at: 1, body: "{}" }),
    () => store.listCheckpoints(sessionKey),
    () => store.deleteCheckpoint(sessionKey, "c1"),
  ];
}

/**
 * What every store promises, for any test runner:
 * `for (const { name, run } of storeContract) test(name, () => run(open));`
 *
 * Beyond what the port says: for the key of no session append returns `missing`, releaseLock and deleteCheckpoint `false`,
 * search and findLock nothing; read, readBlobs, acquireLock, saveCheckpoint and listCheckpoints refuse it with "not-found". Search
 * breaks ties by the session key, then the version, both descending. An expired lock cannot be released. Invalid arguments are
 * refused with "invalid-argument", all use after closing with "store-failed", both as rejections.
 * @example
 * ```ts
 * import { memoryStore } from "palimpsest/stores/memory";
 * import { storeContract } from "palimpsest/testing";
 * for (const { run } of storeContract) await run(async () => memoryStore());
 * console.log(storeContract.length > 20); // true
 * ```
 */
export const storeContract: readonly StoreContractCase[] = [
  ...sessionCases,
  ...appendCases,
  ...readCases,
  ...blobCases,
  ...searchCases,
  ...lockCases,
  ...checkpointCases,
  ...savedStateCases,
  ...argumentCases,
  ...closeCases,
];
