import { describe, expect, test } from "vitest";
import { storeContract } from "../../testing/index.ts";
import { memoryStore } from "./index.ts";

describe("the contract", () => {
  for (const { name, run } of storeContract) test(name, () => run(async () => memoryStore()));
});

test("takes all times from the given clock", async () => {
  let time = 1_000;
  const store = memoryStore({ now: () => time });
  const { key } = await store.open("s");
  time = 2_000;
  await store.append(key, [{ body: "1" }]);
  expect(await store.read(key)).toEqual([{ version: 1, at: 2_000, body: "1" }]);
  expect(await store.find("s")).toMatchObject({ createdAt: 1_000, updatedAt: 2_000 });
  const lock = { sessionKey: key, name: "m1", durationMs: 500 };
  expect(await store.acquireLock({ ...lock, holder: "anna" })).toEqual({ type: "acquired", expiresAt: 2_500 });
  time = 2_499;
  expect(await store.acquireLock({ ...lock, holder: "ben" })).toMatchObject({ type: "held" });
  time = 2_500;
  expect(await store.acquireLock({ ...lock, holder: "ben" })).toEqual({ type: "acquired", expiresAt: 3_000 });
});

test("stores are independent of each other", async () => {
  const [one, other] = [memoryStore(), memoryStore()];
  await one.open("s");
  expect(await other.list()).toEqual([]);
});
