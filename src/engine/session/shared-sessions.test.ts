import { expect, test } from "vitest";
import { GOOD_SUMMARY } from "../../../test/support/handlers.ts";
import { disturbStore } from "../../../test/support/intercepted-store.ts";
import { chat, user } from "../../../test/support/messages.ts";
import { hideMiddle, problemsOf, strategy, talkOf, toolLoop } from "../../../test/support/sessions.ts";
import { engineOn, idsOf, seen, sessionOn, shown } from "../../../test/support/stored-sessions.ts";
import { describeStores } from "../../../test/support/stores.ts";
import type { CondensationPlugin, EngineOptions, Message } from "../../index.ts";

await describeStores("two engines on one store", (makePlace) => {
  async function openTwo(options: Partial<EngineOptions> = {}) {
    const place = makePlace();
    const store = disturbStore(place.open());
    return { store, one: await sessionOn(store, options), other: await sessionOn(place.open(), options) };
  }

  test("append at the same time: nothing is lost, and each finds its own in its order", async () => {
    const { one, other } = await openTwo();
    const said = (name: string) => Array.from({ length: 30 }, (_, index) => ({ ...user("x"), id: `${name}${index}` }));
    const appendAll = async (session: typeof one, messages: readonly Message[]) => {
      for (let index = 0; index < messages.length; index += 3)
        await session.append(...messages.slice(index, index + 3));
    };
    await Promise.all([appendAll(one, said("a")), appendAll(other, said("b"))]);
    const ids = await idsOf(one);
    expect(ids).toHaveLength(60);
    for (const name of ["a", "b"]) {
      expect(ids.filter((id) => id?.startsWith(name))).toEqual(said(name).map(({ id }) => id));
    }
    expect(await seen(other)).toEqual(await seen(one));
  });

  test("see each other's folds, restorings and rewinds at once, byte for byte", async () => {
    const { one, other } = await openTwo();
    await one.append(...talkOf(20, 390));
    const { condenseId = "" } = await one.condense();
    expect(await seen(other)).toEqual(await seen(one));
    const [prepared, there] = [await one.prepare(), await other.prepare()];
    expect(JSON.stringify(there.messages)).toBe(JSON.stringify(prepared.messages));
    await other.restore(condenseId);
    expect(await one.folds()).toEqual([]);
    await one.rewind({ toMessage: "m9" });
    expect(await seen(other)).toEqual(await seen(one));
    await other.rewind({ undo: true });
    expect(await idsOf(one)).toHaveLength(20);
    expect(await one.events()).toEqual(await other.events());
  });

  test("prepare at the same time: one of them folds, both give out the same valid view", async () => {
    const { one, other } = await openTwo();
    await one.append(...toolLoop(40, 300));
    await Promise.all([one.prepare(), other.prepare()]);
    const [prepared, there] = [await one.prepare(), await other.prepare()];
    expect(JSON.stringify(there.messages)).toBe(JSON.stringify(prepared.messages));
    expect(await seen(one)).toEqual(await seen(other));
    expect(await problemsOf(one, toolLoop(40, 300))).toEqual([]);
  });

  test("a condensation that lost the race is discarded, said so, and nothing is lost", async () => {
    const { store, one, other } = await openTwo();
    await one.append(...talkOf(20, 300));
    store.disturbNext("append", () => other.condense());
    const { error } = await one.condense();
    expect(error).toContain("was rewritten while it was condensed; the result is discarded");
    expect(await one.folds()).toHaveLength(1);
    expect(await problemsOf(one, talkOf(20, 300))).toEqual([]);
    expect((await one.events()).map(({ type }) => type)).toEqual(["condense_context", "condense_failed"]);
    expect(await seen(one)).toEqual(await seen(other));
  });

  test("a condensation that others only appended behind is kept, with what they appended", async () => {
    const { store, one, other } = await openTwo();
    await one.append(...talkOf(20, 300));
    store.disturbNext("append", () => other.append(...chat(3)));
    expect((await one.condense()).error).toBeUndefined();
    expect(await problemsOf(other, [...talkOf(20, 300), ...chat(3)])).toEqual([]);
    expect(await seen(one)).toEqual(await seen(other));
  });

  test("a prepare whose folds lost the race gives out what the log is then, and tells what its summary cost", async () => {
    const condenser: CondensationPlugin = strategy("costly", {
      condense: ({ messages }) => hideMiddle(messages, `fold-of-${messages.length}`, { summary: GOOD_SUMMARY }),
    });
    const { store, one, other } = await openTwo({ condenser, configuration: { strategies: { primary: "llm" } } });
    await one.append(...talkOf(20, 390));
    store.disturbNext("append", () => other.condense());
    const { messages, report } = await one.prepare();
    expect(JSON.stringify(messages)).toBe((await shown(one)).view);
    expect(report.cost).toBe(0.5);
    const failed = (await one.events()).find(({ type }) => type === "condense_failed");
    expect(failed).toMatchObject({ cost: 0.5, error: expect.stringContaining("discarded") });
    expect(await problemsOf(one, talkOf(20, 390))).toEqual([]);
  });

  test("a restoring meets a log that others rewound meanwhile", async () => {
    const { store, one, other } = await openTwo();
    await one.append(...talkOf(20, 300));
    const { condenseId = "" } = await one.condense();
    store.disturbNext("append", () => other.rewind({ toMessage: "m19" }));
    await expect(one.restore(condenseId)).rejects.toMatchObject({ code: "unknown-fold" });
    expect(await shown(one)).toEqual(await shown(other));
  });

  test("a rewind to a message meets a log that others rewound meanwhile", async () => {
    const { store, one, other } = await openTwo();
    await one.append(...chat(6));
    store.disturbNext("append", () => other.rewind({ toMessage: "m3" }));
    await one.rewind({ toMessage: "m2" });
    expect(await idsOf(other)).toEqual(["m0", "m1", "m2"]);
    store.disturbNext("append", () => other.rewind({ toMessage: "m0" }));
    await expect(one.rewind({ toMessage: "m1" })).rejects.toMatchObject({ code: "not-found" });
    expect(await idsOf(one)).toEqual(["m0"]);
  });

  test("begin one session with messages at the same time: one does, the other is told", async () => {
    const place = makePlace();
    const openings = await Promise.allSettled(
      [place.open(), place.open()].map((store, index) =>
        engineOn(store).session("new", { messages: [user(`begun by ${index}`)] }),
      ),
    );
    expect(openings.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });
});
