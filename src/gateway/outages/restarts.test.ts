import { expect, onTestFinished, test } from "vitest";
import { interceptStore } from "../../../test/support/intercepted-store.ts";
import { PalimpsestError } from "../../core/errors.ts";
import type { Store } from "../../core/ports/store.ts";
import { memoryStore } from "../../stores/memory/index.ts";
import { bufferedStore, type OutageEvent } from "./buffered-store.ts";

const LOST = new PalimpsestError("store-failed", "The connection was lost.");

/** A server that goes away, before or after it did what it was asked, and answers again at the third probe. */
function startRestarting(goesAway: "before" | "after") {
  const behind = memoryStore();
  const events: OutageEvent[] = [];
  let [isAway, probes] = [false, 0];
  const answering = (call: keyof Store) => {
    if (!isAway) return;
    if (call === "find") probes += 1;
    if (probes >= 3) isAway = false;
    else throw LOST;
  };
  const store = interceptStore(behind, { before: answering });
  let willGo = false;
  const buffered = bufferedStore({
    store: {
      ...store,
      append: async (...given) => {
        if (!willGo) return store.append(...given);
        willGo = false;
        isAway = true;
        if (goesAway === "after") await behind.append(...given);
        throw LOST;
      },
    },
    timeoutMs: 60_000,
    now: () => 42,
    timings: { pauseMs: 60_000, probeTimeoutMs: 60_000, restartMs: 60_000 },
    onEvent: (event) => events.push(event),
  });
  onTestFinished(() => buffered.stop());
  const goAway = () => {
    willGo = true;
  };
  return { ...buffered, behind, events, goAway };
}

test.each(["before", "after"] as const)(
  "an append whose connection broke %s it happened is there once, and nothing is set apart",
  async (goesAway) => {
    const { store, behind, events, goAway, unsaved } = startRestarting(goesAway);
    const { key } = await store.open("s");
    await store.append(key, [{ body: '"one"' }]);
    goAway();
    const append = store.append(key, [{ body: '"two"' }, { body: '"three"', isRewrite: true }], { expectedVersion: 1 });
    // of another session of this gateway: it waits for the restart too
    const read = store.read(key);
    expect(await append).toEqual({ type: "appended", version: 3, rewriteVersion: 3 });
    expect((await read).length).toBeGreaterThan(0);
    expect(await store.append(key, [{ body: '"four"' }], { expectedVersion: 3 })).toMatchObject({ version: 4 });
    const stored = await behind.read((await behind.open("s")).key);
    expect(stored.map(({ body }) => body)).toEqual(['"one"', '"two"', '"three"', '"four"']);
    expect(events.map(({ type }) => type)).toEqual(["unavailable", "available"]);
    expect(unsaved()).toEqual({ sessions: 0, records: 0 });
  },
);

test("where another gateway wrote first, the append is a conflict and not a session of its own", async () => {
  const { store, behind, goAway } = startRestarting("before");
  const { key } = await store.open("s");
  await store.append(key, [{ body: '"one"' }]);
  goAway();
  const append = store.append(key, [{ body: '"two"' }], { expectedVersion: 1 });
  await behind.append((await behind.open("s")).key, [{ body: '"other"' }]);
  expect(await append).toEqual({ type: "conflict", version: 2, rewriteVersion: 0 });
});

test("where another gateway wrote behind an append that happened, it happened, and nothing is set apart", async () => {
  const { store, behind, goAway, unsaved } = startRestarting("after");
  const { key } = await store.open("s");
  await store.append(key, [{ body: '"one"' }]);
  goAway();
  const append = store.append(key, [{ body: '"two"' }, { body: '"three"' }]);
  const { key: stored } = await behind.open("s");
  await behind.append(stored, [{ body: '"other"', isRewrite: true }]);
  expect(await append).toEqual({ type: "appended", version: 3, rewriteVersion: 4 });
  expect((await store.read(key, { afterVersion: 3 })).map(({ body }) => body)).toEqual(['"other"']);
  expect(unsaved()).toEqual({ sessions: 0, records: 0 });
});
