import { expect, test } from "vitest";
import { describeDurableStores } from "../../../test/support/stores.ts";
import type { Store } from "../../core/ports/store.ts";
import { memoryStore } from "../../stores/memory/index.ts";
import { createEngine } from "../create-engine.ts";
import { applyRetention } from "./apply-retention.ts";

const HOUR = 60 * 60 * 1_000;
const DAY = 24 * HOUR;

await describeDurableStores("retention", (makePlace) => {
  /** A store whose sessions were last written to so many days ago. */
  async function storeWith(daysById: Readonly<Record<string, number>>) {
    const { open, age } = makePlace();
    const store = open();
    const engine = createEngine({ model: "claude-sonnet-4-5", store });
    for (const [id, days] of Object.entries(daysById)) {
      const session = await engine.session(id);
      await session.append({ role: "user", content: `The task of ${id}.`, id: `${id}-m1` });
      session.close();
      await age(id, days * DAY);
    }
    return { store, engine };
  }

  async function idsOf(store: Store): Promise<readonly string[]> {
    return (await store.list()).map(({ id }) => id).toSorted();
  }

  test("removes what is too old, and says how many bytes that was", async () => {
    const { store } = await storeWith({ old: 100, older: 200, young: 2 });
    const sizes = new Map((await store.maintenance.measure()).map(({ id, bytes }) => [id, bytes]));
    const retention = { keepMs: 90 * DAY };
    const dry = await applyRetention({ store, retention, isDryRun: true });
    expect(await idsOf(store)).toEqual(["old", "older", "young"]);
    const gone: string[] = [];
    const outcome = await applyRetention({ store, retention, onRemoved: async (id) => void gone.push(id) });
    expect(outcome.removed.map(({ id, reason }) => [id, reason])).toEqual([
      ["older", "age"],
      ["old", "age"],
    ]);
    expect(dry.removed.map(({ id }) => id)).toEqual(outcome.removed.map(({ id }) => id));
    expect(outcome.removedBytes).toBe((sizes.get("old") ?? 0) + (sizes.get("older") ?? 0));
    expect(outcome).toMatchObject({ keptSessions: 1, keptBytes: sizes.get("young") });
    expect(outcome.removedBytes).toBeGreaterThan(100);
    expect(gone).toEqual(["older", "old"]);
    expect(await idsOf(store)).toEqual(["young"]);
    expect(await store.search(["old", "older"])).toEqual([]);
  });

  test("blobs count, and go with their session", async () => {
    const { store } = await storeWith({ large: 3, small: 2, newest: 1 });
    const { key, version } = await store.open("large");
    const bytes = new Uint8Array(50_000).fill(7);
    await store.append(key, [{ body: "{}", blobs: [{ name: "body", bytes }] }], { expectedVersion: version });
    const [measured] = (await store.maintenance.measure()).filter(({ id }) => id === "large");
    expect(measured?.bytes).toBeGreaterThan(50_000);
    expect(measured?.bytes).toBeLessThan(52_000);
  });

  test("by size, the sessions written to longest ago go first, and those of this hour stay", async () => {
    const { store } = await storeWith({ first: 3, second: 2, third: 0 });
    const { removed } = await applyRetention({ store, retention: { keepBytes: 1 } });
    expect(removed.map(({ id, reason }) => [id, reason])).toEqual([
      ["first", "size"],
      ["second", "size"],
    ]);
    expect(await idsOf(store)).toEqual(["third"]);
  });

  test("a pinned session stays, and so does one with a pinned message", async () => {
    const { store, engine } = await storeWith({ whole: 100, message: 100, once: 100, plain: 100 });
    expect(await store.maintenance.pin("whole", true)).toBe(true);
    expect(await store.maintenance.pin("nowhere", true)).toBe(false);
    for (const [id, important] of [["message", true] as const, ["once", true] as const, ["once", false] as const]) {
      const session = await engine.session(id);
      await session.mark(`${id}-m1`, { important });
      session.close();
    }
    // a mark is a write: only the clock of the store can make these old again
    const retention = { keepBytes: 1 };
    const measure = async () =>
      (await store.maintenance.measure()).map((session) => ({ ...session, idleMs: 100 * DAY }));
    const aged = { ...store, maintenance: { ...store.maintenance, measure } };
    const { removed, pinned } = await applyRetention({ store: aged, retention });
    expect(removed.map(({ id }) => id).toSorted()).toEqual(["once", "plain"]);
    expect(pinned).toEqual(["message"]);
    expect(await idsOf(store)).toEqual(["message", "whole"]);
    await store.maintenance.pin("whole", false);
    expect((await applyRetention({ store, retention: { keepMs: 90 * DAY } })).removed).toMatchObject([{ id: "whole" }]);
  });

  test("a session that is written to meanwhile, is pinned meanwhile or is in use stays", async () => {
    const { store } = await storeWith({ written: 100, pinned: 100, used: 100 });
    const measured = await store.maintenance.measure();
    const { key } = await store.open("written");
    await store.append(key, [{ body: "{}" }]);
    await store.maintenance.pin("pinned", true);
    const late = { ...store, maintenance: { ...store.maintenance, measure: async () => measured } };
    const isInUse = (id: string) => id === "used";
    const { removed } = await applyRetention({ store: late, retention: { keepMs: DAY }, isInUse });
    expect(removed).toEqual([]);
    expect(await idsOf(store)).toEqual(["pinned", "used", "written"]);
  });
});

test("a store that cannot be maintained is refused, in words", async () => {
  await expect(applyRetention({ store: memoryStore(), retention: { keepMs: DAY } })).rejects.toMatchObject({
    code: "invalid-argument",
    message: expect.stringContaining("sqliteStore() or postgresStore()"),
  });
});
