import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { interceptStore } from "../../../test/support/intercepted-store.ts";
import { until } from "../../../test/support/loopback.ts";
import { user } from "../../../test/support/messages.ts";
import { engineOn } from "../../../test/support/stored-sessions.ts";
import { PalimpsestError } from "../../core/errors.ts";
import type { Store } from "../../core/ports/store.ts";
import { memoryStore } from "../../stores/memory/index.ts";
import { storeContract } from "../../testing/index.ts";
import { type BufferedStore, type BufferedStoreOptions, bufferedStore, type OutageEvent } from "./buffered-store.ts";

describe("while the store answers", () => {
  const store = () => bufferedStore({ store: memoryStore(), timeoutMs: 60_000, now: Date.now }).store;
  for (const { name, run } of storeContract) test(name, () => run(async () => store()));
});

/** A store whose calls wait, or fail, until the test says otherwise. */
interface Outage extends BufferedStore {
  /** The store itself. */
  readonly behind: Store;
  readonly events: readonly OutageEvent[];
  /** The calls that reached the store. */
  readonly calls: readonly (keyof Store)[];
  hang(isHit?: (call: keyof Store) => boolean): void;
  fail(error: unknown): void;
  /** Lets go everything that hangs. */
  recover(): void;
}

function startOutage(options: Partial<BufferedStoreOptions> = {}): Outage {
  const behind = memoryStore();
  const events: OutageEvent[] = [];
  const calls: (keyof Store)[] = [];
  const waiting: (() => void)[] = [];
  let isHanging = (_: keyof Store) => false;
  let failure: { readonly error: unknown } | undefined;
  const store = interceptStore(behind, {
    before: (call) => {
      calls.push(call);
      if (failure !== undefined) throw failure.error;
      if (isHanging(call)) return new Promise<void>((resolve) => waiting.push(resolve));
    },
  });
  const buffered = bufferedStore({
    store,
    timeoutMs: 20,
    now: () => 42,
    timings: { pauseMs: 5, probeTimeoutMs: 60_000, suspectTimeoutMs: 20 },
    onEvent: (event) => events.push(event),
    ...options,
  });
  onTestFinished(() => buffered.stop());
  return {
    ...buffered,
    behind,
    events,
    calls,
    hang: (isHit = () => true) => {
      isHanging = isHit;
    },
    fail: (error) => {
      failure = { error };
    },
    recover: () => {
      isHanging = () => false;
      failure = undefined;
      for (const answer of waiting.splice(0)) answer();
    },
  };
}

const body = (text: string) => ({ body: JSON.stringify(text), terms: [text] });

async function bodiesOf(store: Store, sessionId: string): Promise<readonly string[]> {
  const session = await store.find(sessionId);
  const records = session === undefined ? [] : await store.read(session.key);
  return records.map((record) => JSON.parse(record.body));
}

/** A session with one record, read by its user. */
async function openWithOne(store: Store, id = "s"): Promise<number> {
  const { key } = await store.open(id);
  await store.append(key, [body("one")], { expectedVersion: 0 });
  return key;
}

const isBack = ({ events }: Outage) => events.some(({ type }) => type === "written-back");

test("blobs wait with their records, are read meanwhile, and are in the store when it is back", async () => {
  const outage = startOutage();
  const { store, behind } = outage;
  const key = await openWithOne(store);
  const blob = (name: string) => ({ name, bytes: new TextEncoder().encode(name) });
  await store.append(key, [{ ...body("two"), blobs: [blob("a")] }]);
  outage.fail(new PalimpsestError("store-failed", "The disk is full."));
  await store.append(key, [{ ...body("three"), blobs: [blob("b")] }]);
  expect(await store.readBlobs(key, ["b"])).toEqual([blob("b")]);
  await expect(store.readBlobs(key, ["a", "b"])).rejects.toMatchObject({ code: "store-failed" });
  outage.recover();
  await until(() => isBack(outage));
  const stored = await behind.open("s");
  expect((await behind.readBlobs(stored.key, ["a", "b"])).map(({ name }) => name).toSorted()).toEqual(["a", "b"]);
  expect((await store.readBlobs(key, ["a", "b"])).length).toBe(2);
});

test("a session that is open goes on in memory, and is written byte for byte when the store is back", async () => {
  const outage = startOutage();
  const key = await openWithOne(outage.store);
  outage.hang();
  expect(await outage.store.append(key, [body("two")], { expectedVersion: 1 })).toMatchObject({ version: 2 });
  const asked = outage.calls.length;
  expect(await outage.store.append(key, [body("three"), body("four")], { expectedVersion: 2 })).toMatchObject({
    type: "appended",
    version: 4,
  });
  expect((await outage.store.read(key, { afterVersion: 1 })).map(({ version }) => version)).toEqual([2, 3, 4]);
  expect(await outage.asFarAsKnown.find("s")).toMatchObject({ key, version: 4 });
  expect(outage.calls.slice(asked).filter((call) => call !== "find")).toEqual([]);
  expect(outage.unsaved()).toEqual({ sessions: 1, records: 3 });
  outage.recover();
  await until(() => isBack(outage));
  // The first append was given up, and carried out all the same: its record is there once.
  expect(await bodiesOf(outage.behind, "s")).toEqual(["one", "two", "three", "four"]);
  expect(await outage.store.append(key, [body("five")], { expectedVersion: 4 })).toMatchObject({ version: 5 });
  expect(await bodiesOf(outage.behind, "s")).toEqual(["one", "two", "three", "four", "five"]);
  expect(outage.unsaved()).toEqual({ sessions: 0, records: 0 });
  expect(outage.events).toEqual([
    { type: "unavailable", error: undefined },
    { type: "available" },
    { type: "written-back", sessionId: "s", outcome: { type: "written" } },
  ]);
});

describe("a saved state", () => {
  test("stands for the records before it: whoever was given it goes on in memory", async () => {
    const outage = startOutage();
    const key = await openWithOne(outage.behind);
    await outage.behind.append(key, [body("two")]);
    await outage.behind.savedStates?.save(key, { version: 2, body: "one, two" });
    const opened = await outage.store.open("s");
    expect(await outage.store.savedStates?.read(opened.key)).toEqual({ version: 2, body: "one, two" });
    outage.hang();
    expect(await outage.store.append(opened.key, [body("three")], { expectedVersion: 2 })).toMatchObject({
      version: 3,
    });
    outage.recover();
    await until(() => isBack(outage));
    expect(await bodiesOf(outage.behind, "s")).toEqual(["one", "two", "three"]);
  });

  test("is not saved while records wait, and not waited for", async () => {
    const outage = startOutage();
    const key = await openWithOne(outage.store);
    outage.hang();
    await outage.store.append(key, [body("two")], { expectedVersion: 1 });
    const state = { version: 2, body: "one, two" };
    await expect(outage.store.savedStates?.save(key, state)).rejects.toMatchObject({ code: "store-failed" });
    await expect(outage.store.savedStates?.read(key)).rejects.toMatchObject({ code: "store-failed" });
    outage.recover();
    await until(() => isBack(outage));
    expect(await outage.behind.savedStates?.read(key)).toBeUndefined();
    await outage.store.savedStates?.save(key, state);
    expect(await outage.behind.savedStates?.read(key)).toEqual(state);
  });

  test("is not saved of a session whose records still wait, where the store answers others", async () => {
    const outage = startOutage();
    const key = await openWithOne(outage.store);
    outage.hang((call) => call === "append");
    await outage.store.append(key, [body("two")], { expectedVersion: 1 });
    await until(() => outage.isAvailable());
    const saving = outage.store.savedStates?.save(key, { version: 2, body: "one, two" });
    await expect(saving).rejects.toMatchObject({ code: "store-failed" });
    outage.recover();
  });
});

test("a session that is opened meanwhile is written as it is, where the store has none of its name", async () => {
  const outage = startOutage();
  outage.hang();
  const { key, version } = await outage.store.open("new");
  expect(version).toBe(0);
  await outage.store.append(key, [body("one")], { expectedVersion: 0 });
  expect(await outage.store.open("new")).toMatchObject({ key, version: 1 });
  expect(await outage.asFarAsKnown.search(["one"])).toEqual([
    { sessionKey: key, sessionId: "new", version: 1, matches: 1 },
  ]);
  outage.recover();
  await until(() => isBack(outage));
  expect(await bodiesOf(outage.behind, "new")).toEqual(["one"]);
  await outage.store.append(key, [body("two")], { expectedVersion: 1 });
  expect(await bodiesOf(outage.store, "new")).toEqual(["one", "two"]);
});

test("a session that is opened meanwhile, and turns out to be another one, is set apart and says so", async () => {
  const outage = startOutage();
  await outage.behind.append((await outage.behind.open("s")).key, [body("of long ago")]);
  outage.hang();
  const { key } = await outage.store.open("s");
  await outage.store.append(key, [body("said now")]);
  outage.recover();
  await until(() => isBack(outage));
  expect(outage.events.at(-1)).toMatchObject({ outcome: { type: "set-apart", newId: "s~unsaved-1" } });
  expect(await bodiesOf(outage.behind, "s")).toEqual(["of long ago"]);
  expect(await bodiesOf(outage.behind, "s~unsaved-1")).toEqual([
    "said now",
    { type: "event", event: { type: "set_apart", at: 42, fromSessionId: "s" } },
  ]);
  // Whoever looks for it finds both, and can read them.
  const found = await outage.store.search(["of long ago", "said now"]);
  expect(found.map(({ sessionId }) => sessionId).toSorted()).toEqual(["s", "s~unsaved-1"]);
  // Whoever still has it is told to open it again.
  await expect(outage.store.read(key)).rejects.toMatchObject({ code: "not-found" });
  expect(await outage.store.append(key, [body("more")])).toEqual({ type: "missing" });
  const { key: again } = await outage.store.open("s");
  expect((await outage.store.read(again)).length).toBe(1);
});

test("where someone else wrote to the session meanwhile, both are kept", async () => {
  const outage = startOutage();
  const key = await openWithOne(outage.store);
  outage.hang((call) => call !== "append");
  await outage.store.read(key, { afterVersion: 1 });
  await outage.store.append(key, [body("ours")], { expectedVersion: 1 });
  const theirs = await outage.behind.find("s");
  await outage.behind.append(theirs?.key ?? 0, [body("theirs")], { expectedVersion: 1 });
  outage.recover();
  await until(() => isBack(outage));
  expect(await bodiesOf(outage.behind, "s")).toEqual(["one", "theirs"]);
  await expect(outage.store.read(key)).rejects.toMatchObject({ code: "not-found" });
  expect(await bodiesOf(outage.store, "s")).toEqual(["one", "theirs"]);
  for (const { sessionKey } of await outage.store.search(["theirs"])) {
    expect(await outage.store.read(sessionKey)).toHaveLength(2);
  }
  expect(await bodiesOf(outage.behind, "s~unsaved-1")).toEqual([
    "one",
    "ours",
    { type: "event", event: { type: "set_apart", at: 42, fromSessionId: "s" } },
  ]);
});

test("both sessions of an outage can be verified: what is set apart goes on with the chain that it began", async () => {
  const outage = startOutage();
  const session = await engineOn(outage.store).session("s");
  await session.append(user("one"), user("two"));
  outage.hang((call) => call !== "append");
  expect(await session.version()).toBe(2);
  await session.append(user("ours"));
  await session.append(user("ours again"));
  const other = await engineOn(outage.behind).session("s");
  await other.append(user("theirs"));
  outage.recover();
  await until(() => isBack(outage));
  for (const [id, messages] of [
    ["s", 3],
    ["s~unsaved-1", 4],
  ] as const) {
    const reopened = await engineOn(outage.behind).session(id);
    expect(await reopened.verify()).toMatchObject({ type: "intact", messages });
    await reopened.append(user("on"));
    expect(await reopened.verify()).toMatchObject({ type: "intact", messages: messages + 1 });
  }
});

test("nothing is set apart where there was nothing to write", async () => {
  const outage = startOutage();
  const key = await openWithOne(outage.store);
  outage.hang();
  expect(await outage.store.read(key, { afterVersion: 1 })).toEqual([]);
  const behind = await outage.behind.find("s");
  await outage.behind.append(behind?.key ?? 0, [body("theirs")]);
  outage.recover();
  await until(() => isBack(outage));
  expect((await outage.store.read(key, { afterVersion: 1 })).map(({ version }) => version)).toEqual([2]);
  expect(await outage.behind.list()).toHaveLength(1);
});

test("what there is no room for is told in the session, which is then opened again", async () => {
  const outage = startOutage({ maxBufferedSize: 20 });
  const key = await openWithOne(outage.store);
  outage.hang();
  await outage.store.append(key, [body("kept")], { expectedVersion: 1 });
  await outage.store.append(key, [body("too long for the room that there is")], { expectedVersion: 2 });
  expect(await outage.store.append(key, [body("x")], { expectedVersion: 3 })).toMatchObject({ version: 4 });
  outage.recover();
  await until(() => isBack(outage));
  expect(await bodiesOf(outage.behind, "s")).toEqual([
    "one",
    "kept",
    { type: "event", event: { type: "gap", at: 42, lostRecords: 2 } },
  ]);
  expect(await outage.store.append(key, [body("y")])).toEqual({ type: "missing" });
});

test("what needs the store is refused at once; what can do with less is not", async () => {
  const outage = startOutage();
  const key = await openWithOne(outage.store);
  outage.hang();
  await outage.store.append(key, [body("two")]);
  const failed = { code: "store-failed", message: expect.stringContaining("Look at the database") };
  await expect(outage.store.list()).rejects.toMatchObject(failed);
  await expect(outage.store.find("other")).rejects.toMatchObject(failed);
  await expect(outage.store.search(["two"])).rejects.toMatchObject(failed);
  await expect(outage.store.delete("s")).rejects.toMatchObject(failed);
  await expect(outage.store.listCheckpoints(key)).rejects.toMatchObject(failed);
  // It begins with a record that is in the store alone.
  await expect(outage.store.read(key)).rejects.toMatchObject(failed);
  expect(await outage.asFarAsKnown.find("other")).toBeUndefined();
  expect(await outage.asFarAsKnown.search(["two", "one"])).toMatchObject([{ version: 2, matches: 1 }]);
});

test("a store that fails is left alone as one that hangs is", async () => {
  const outage = startOutage();
  const key = await openWithOne(outage.store);
  const error = new PalimpsestError("store-failed", "The disk is full.");
  outage.fail(error);
  await outage.store.append(key, [body("two")], { expectedVersion: 1 });
  await outage.store.append(key, [body("three")], { expectedVersion: 2 });
  expect(outage.events[0]).toEqual({ type: "unavailable", error });
  expect(outage.calls.filter((call) => call === "append")).toHaveLength(2);
  outage.recover();
  await until(() => isBack(outage));
  expect(await bodiesOf(outage.behind, "s")).toEqual(["one", "two", "three"]);
});

test("a refusal is an answer", async () => {
  const outage = startOutage();
  outage.fail(new PalimpsestError("store-damaged", "Record 3 is none."));
  await expect(outage.store.open("s")).rejects.toMatchObject({ code: "store-damaged" });
  expect(outage.events).toEqual([]);
});

test("one session that hangs does not hold up the others", async () => {
  const memory = memoryStore();
  let release = () => {};
  const locked = new Promise<void>((resolve) => {
    release = resolve;
  });
  let lockedKey: number | undefined;
  const store: Store = {
    ...memory,
    append: async (key, ...rest) => {
      if (key === lockedKey) await locked;
      return memory.append(key, ...rest);
    },
  };
  const events: OutageEvent[] = [];
  const buffered = bufferedStore({
    store,
    timeoutMs: 20,
    now: () => 42,
    timings: { pauseMs: 5 },
    onEvent: (event) => events.push(event),
  });
  onTestFinished(() => buffered.stop());
  const [one, other] = [await openWithOne(buffered.store, "one"), await openWithOne(buffered.store, "other")];
  lockedKey = one;
  await buffered.store.append(one, [body("two")]);
  await until(() => events.some(({ type }) => type === "available"));
  await buffered.store.append(other, [body("two")]);
  await buffered.store.append(one, [body("three")]);
  expect(await bodiesOf(memory, "other")).toEqual(["one", "two"]);
  expect(await bodiesOf(memory, "one")).toEqual(["one"]);
  expect(events.filter(({ type }) => type === "unavailable")).toHaveLength(1);
  release();
  await until(() => buffered.unsaved().records === 0);
  expect(await bodiesOf(memory, "one")).toEqual(["one", "two", "three"]);
});

test("an answer that came while the process was busy is not late", async () => {
  const outage = startOutage({ timeoutMs: 5 });
  const { key } = await outage.store.open("s");
  const appending = outage.store.append(key, [body("one")]);
  const until = performance.now() + 30;
  while (performance.now() < until);
  await appending;
  await nextTurn();
  expect(outage.events).toEqual([]);
});
