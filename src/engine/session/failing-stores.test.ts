import { expect, test } from "vitest";
import { interceptStore } from "../../../test/support/intercepted-store.ts";
import { chat, user } from "../../../test/support/messages.ts";
import { problemsOf, talkOf, toolLoop } from "../../../test/support/sessions.ts";
import { engineOn, idsOf, seen, sessionOn } from "../../../test/support/stored-sessions.ts";
import { describeStores } from "../../../test/support/stores.ts";
import { PalimpsestError, type Store } from "../../index.ts";

/** A store whose calls fail when the test says so, before or after they did their work. */
function fallible(store: Store) {
  const failures: { readonly call: keyof Store; readonly when: "before" | "after"; skip: number }[] = [];
  const failAt = (when: "before" | "after") => (call: keyof Store) => {
    const failure = failures.find((each) => each.call === call && each.when === when);
    if (failure === undefined || failure.skip-- > 0) return;
    failures.splice(failures.indexOf(failure), 1);
    throw new PalimpsestError("store-failed", `${call} failed`);
  };
  return {
    store: interceptStore(store, { before: failAt("before"), after: failAt("after") }),
    /** The next call of the kind, after some that succeed. */
    fail: (call: keyof Store, { when = "before" as "before" | "after", skip = 0 } = {}) =>
      failures.push({ call, when, skip }),
  };
}

const FAILED = { code: "store-failed" };

await describeStores("a store that fails", (makePlace) => {
  async function open() {
    const place = makePlace();
    const { store, fail } = fallible(place.open());
    const session = await sessionOn(store);
    return { session, fail, store, elsewhere: () => sessionOn(place.open()) };
  }

  test("at an append: the session is as before, and the next append works", async () => {
    const { session, fail, elsewhere } = await open();
    await session.append(...chat(2));
    fail("append");
    await expect(session.append(user("lost"), user("with it"))).rejects.toMatchObject(FAILED);
    expect(await session.log()).toEqual(chat(2));
    await session.append(user("kept"));
    expect(await session.log()).toEqual([...chat(2), user("kept")]);
    expect(await seen(await elsewhere())).toEqual(await seen(session));
  });

  test("right after an append was kept: it is there when the session is looked at, and once", async () => {
    const { session, fail } = await open();
    await session.append(...chat(2));
    fail("append", { when: "after" });
    await expect(session.append(user("kept"))).rejects.toMatchObject(FAILED);
    expect(await session.log()).toEqual([...chat(2), user("kept")]);
    await session.append(user("next"));
    expect(await session.log()).toEqual([...chat(2), user("kept"), user("next")]);
  });

  test("one of many appends at once fails alone", async () => {
    const { session, fail } = await open();
    fail("append", { skip: 2 });
    const outcomes = await Promise.allSettled(chat(6).map((message) => session.append(message)));
    expect(outcomes.map(({ status }) => status === "fulfilled")).toEqual([true, true, false, true, true, true]);
    expect(await idsOf(session)).toEqual(["m0", "m1", "m3", "m4", "m5"]);
  });

  test.each(["read", "append"] as const)("at a %s within prepare: it rejects, and works later", async (call) => {
    const { session, fail, elsewhere } = await open();
    await session.append(...toolLoop(40, 300));
    const before = await seen(session);
    fail(call);
    await expect(session.prepare()).rejects.toMatchObject(FAILED);
    expect(await seen(session)).toEqual(before);
    const { report } = await session.prepare();
    expect(report.foldIds.length).toBeGreaterThan(0);
    expect(await problemsOf(session, toolLoop(40, 300))).toEqual([]);
    expect(await seen(await elsewhere())).toEqual(await seen(session));
  });

  test("when events are to be kept: they are kept with the next operation, and not twice", async () => {
    const { session, fail, elsewhere } = await open();
    await session.append(...talkOf(20, 390));
    fail("append", { skip: 1 });
    await expect(session.condense()).rejects.toMatchObject(FAILED);
    expect(await session.folds()).toHaveLength(1);
    expect((await session.events()).map(({ type }) => type)).toEqual(["condense_context"]);
    const other = await elsewhere();
    expect(await other.events()).toEqual([]);
    await session.prepare();
    expect((await other.events()).map(({ type }) => type)).toEqual(["condense_context"]);
    expect(await seen(other)).toEqual(await seen(session));
  });

  test("at a restoring, an update or a rewind: nothing changed", async () => {
    const { session, fail } = await open();
    await session.append(...talkOf(20, 390));
    const { condenseId = "" } = await session.condense();
    const before = await seen(session);
    for (const operation of [
      () => session.restore(condenseId),
      () => session.update("m0", (messages) => messages.map((message) => ({ ...message, content: "x" }))),
      () => session.rewind({ toMessage: "m3" }),
    ]) {
      fail("append");
      await expect(operation()).rejects.toMatchObject(FAILED);
      expect(await seen(session)).toEqual(before);
    }
    await session.update("m0", (messages) => messages);
    await session.restore(condenseId);
    expect(await session.log()).toEqual(talkOf(20, 390));
  });

  test("in the middle of many records that others wrote: none of them is skipped later", async () => {
    const { session, fail, elsewhere } = await open();
    const messages = Array.from({ length: 4_100 }, (_, index) => ({ ...user("x"), id: `${index}` }));
    await (await elsewhere()).append(...messages);
    for (const skip of [0, 1, 2]) {
      fail("read", { skip });
      await expect(session.log()).rejects.toMatchObject(FAILED);
    }
    expect(await idsOf(session)).toEqual(messages.map(({ id }) => id));
  });

  test("at the opening: it can be opened when the store works again", async () => {
    const { store, fail } = fallible(makePlace().open());
    const engine = engineOn(store);
    for (const call of ["open", "read"] as const) {
      fail(call);
      await expect(engine.session("new")).rejects.toMatchObject(FAILED);
    }
    const session = await engine.session("new", { messages: chat(2) });
    expect(await session.log()).toEqual(chat(2));
  });

  test("at a checkpoint: none is told of that is not there", async () => {
    const { session, fail } = await open();
    fail("saveCheckpoint");
    await expect(session.checkpoint()).rejects.toMatchObject(FAILED);
    expect(await session.checkpoints()).toEqual([]);
    expect(await session.events()).toEqual([]);
    const { id } = await session.checkpoint();
    expect((await session.checkpoints()).map((each) => each.id)).toEqual([id]);
  });

  test("while a lock is released: the update stands, and the lock runs out by itself", async () => {
    const { session, fail, elsewhere } = await open();
    await session.append(...chat(2));
    fail("releaseLock");
    await session.update("m0", (messages) => messages, { durationMs: 40 });
    const lock = await (await elsewhere()).lock("m0", { timeoutMs: 2_000 });
    expect(await lock.release()).toBe(true);
  });
});
