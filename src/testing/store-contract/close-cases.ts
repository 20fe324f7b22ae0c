import type { Store } from "../../core/ports/store.ts";
import { append, rejectsWith, storeCase } from "./contract-case.ts";

export const closeCases = [
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

  storeCase("closing twice is no mistake", async (store) => {
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
    () => store.search(["a"]),
    () => store.acquireLock({ sessionKey, name: "m1", holder: "anna", durationMs: 1_000 }),
    () => store.releaseLock({ sessionKey, name: "m1" }),
    () => store.saveCheckpoint(sessionKey, { id: "c1", at: 1, body: "{}" }),
    () => store.listCheckpoints(sessionKey),
    () => store.deleteCheckpoint(sessionKey, "c1"),
  ];
}
