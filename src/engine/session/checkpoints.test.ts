import { describe, expect, test } from "vitest";
import { chat, user } from "../../../test/support/messages.ts";
import { prose, talkOf, untyped } from "../../../test/support/sessions.ts";
import { engineOn, sessionOn, shown } from "../../../test/support/stored-sessions.ts";
import { describeStores } from "../../../test/support/stores.ts";

await describeStores("checkpoints", (makePlace) => {
  /** A session whose clock the test sets. */
  async function open() {
    const place = makePlace();
    const clock = { now: 1_000_000 };
    const session = await sessionOn(place.open(), { now: () => clock.now });
    const elsewhere = () => sessionOn(place.open(), { now: () => clock.now });
    return { session, clock, elsewhere };
  }

  test("are listed newest first, by everyone, with what they keep", async () => {
    const { session, clock, elsewhere } = await open();
    await session.append(...chat(2));
    const first = await session.checkpoint({ state: { step: 1 }, phase: "planning" });
    expect(first).toEqual({
      id: expect.any(String),
      at: 1_000_000,
      reason: "manual",
      version: 2,
      messages: 2,
      phase: "planning",
      state: { step: 1 },
    });
    clock.now += 1;
    await session.append(user("more"));
    const second = await session.checkpoint();
    expect(await (await elsewhere()).checkpoints()).toEqual([second, first]);
    expect(await session.checkpoints({ limit: 1 })).toEqual([second]);
    expect(await session.events()).toMatchObject([
      { type: "checkpoint", checkpointId: first.id, reason: "manual" },
      { type: "checkpoint", checkpointId: second.id, reason: "manual" },
    ]);
  });

  test("give the agent's state back as it was", async () => {
    const { session, elsewhere } = await open();
    const state = { text: "\ud800\u0000家", deep: [{ a: [null, 1.5e-7, ""] }], __proto__: null };
    await session.checkpoint({ state });
    const [found] = await (await elsewhere()).checkpoints();
    expect(JSON.stringify(found?.state)).toBe(JSON.stringify(state));
  });

  test("are five at most, or as many as asked for: the oldest go", async () => {
    const { session, clock } = await open();
    const ids: string[] = [];
    for (let index = 0; index < 7; index++) {
      clock.now += 1_000;
      await session.append(user(`${index}`));
      ids.unshift((await session.checkpoint()).id);
    }
    expect((await session.checkpoints()).map(({ id }) => id)).toEqual(ids.slice(0, 5));
    clock.now += 1_000;
    const last = await session.checkpoint({ keep: 2 });
    expect((await session.checkpoints()).map(({ id }) => id)).toEqual([last.id, ids[0]]);
  });

  test("of turns and others do not push each other out", async () => {
    const { session, clock } = await open();
    const { id: asked } = await session.checkpoint();
    await session.append(user("turn"));
    const turn = { version: 0, filesId: "files" };
    for (let index = 0; index < 7; index++) {
      clock.now += 1_000;
      await session.checkpoint({ turn, keep: 3 });
    }
    const kept = await session.checkpoints();
    expect(kept.map(({ reason }) => reason)).toEqual(["turn", "turn", "turn", "manual"]);
    expect(kept.at(-1)?.id).toBe(asked);
    clock.now += 1_000;
    await session.checkpoint({ keep: 1 });
    expect((await session.checkpoints()).map(({ reason }) => reason)).toEqual(["manual", "turn", "turn", "turn"]);
  });

  test("of a turn need a version that there is, and an id of files", async () => {
    const { session } = await open();
    await session.append(user("turn"));
    for (const turn of [{ version: 9, filesId: "f" }, { version: -1, filesId: "f" }, { version: 0, filesId: "" }, 7]) {
      await expect(session.checkpoint({ turn: untyped(turn) })).rejects.toMatchObject({ code: "invalid-argument" });
    }
    expect(await session.checkpoints()).toEqual([]);
  });

  test("never go at once, also where the clock was set back", async () => {
    const { session, clock } = await open();
    for (let index = 0; index < 5; index++) await session.checkpoint();
    clock.now -= 500_000;
    const saved = await session.checkpoint();
    const kept = await session.checkpoints();
    expect(kept).toHaveLength(5);
    expect(kept).toContainEqual(saved);
  });

  test("are what a rewind goes back to, and undo comes back from", async () => {
    const { session } = await open();
    await session.append(...talkOf(20, 390));
    await session.condense();
    const [{ id }, then] = [await session.checkpoint(), await shown(session)];
    await session.append(user("more"));
    const [fold] = await session.folds();
    await session.restore(fold?.foldId ?? "");
    const later = await shown(session);
    await session.rewind({ toCheckpoint: id });
    expect(await shown(session)).toEqual(then);
    await session.rewind({ undo: true });
    expect(await shown(session)).toEqual(later);
    await expect(session.rewind({ toCheckpoint: "none" })).rejects.toMatchObject({ code: "not-found" });
  });

  test("of one session are not another's", async () => {
    const place = makePlace();
    const engine = engineOn(place.open());
    const [one, other] = [await engine.session("one"), await engine.session("other")];
    const { id } = await one.checkpoint();
    expect(await other.checkpoints()).toEqual([]);
    await expect(other.rewind({ toCheckpoint: id })).rejects.toMatchObject({ code: "not-found" });
  });

  test.each([
    ["a state with a BigInt", { state: { big: 1n } }],
    ["a phase that is none", { phase: 5 }],
    ["none to keep", { keep: 0 }],
    ["no options", null],
  ])("%s is refused, and none is kept", async (_, options) => {
    const { session } = await open();
    await expect(session.checkpoint(untyped(options))).rejects.toMatchObject({ code: "invalid-argument" });
    expect(await session.checkpoints()).toEqual([]);
    expect(await session.events()).toEqual([]);
  });

  describe("made when they are due", () => {
    test("after ten minutes with something new", async () => {
      const { session, clock } = await open();
      await session.append(user("a"));
      clock.now += 599_999;
      expect(await session.checkpointIfDue()).toBeUndefined();
      clock.now += 1;
      expect(await session.checkpointIfDue()).toMatchObject({ reason: "interval" });
      clock.now += 600_000;
      expect(await session.checkpointIfDue()).toBeUndefined();
      await session.append(user("b"));
      expect(await session.checkpointIfDue()).toMatchObject({ reason: "interval", messages: 2 });
    });

    test("on a change of phase, in whichever engine", async () => {
      const { session, elsewhere } = await open();
      expect(await session.checkpointIfDue({ phase: "planning" })).toBeUndefined();
      await session.checkpoint({ phase: "planning" });
      expect(await session.checkpointIfDue({ phase: "planning" })).toBeUndefined();
      const other = await elsewhere();
      expect(await other.checkpointIfDue({ phase: "executing" })).toMatchObject({
        reason: "phase",
        phase: "executing",
      });
      expect(await session.checkpointIfDue({ phase: "executing" })).toBeUndefined();
    });

    test("after fifty messages, stand-ins not among them", async () => {
      const { session } = await open();
      await session.append(...chat(49));
      await session.condense();
      expect(await session.checkpointIfDue()).toBeUndefined();
      await session.append({ ...user("fiftieth"), id: "last" });
      expect(await session.checkpointIfDue()).toMatchObject({ reason: "messages", messages: 50 });
      await session.append(user("next"));
      expect(await session.checkpointIfDue()).toBeUndefined();
    });

    test("after a hundred thousand tokens", async () => {
      const { session } = await open();
      await session.append(user(prose(99_000, "a")));
      expect(await session.checkpointIfDue()).toBeUndefined();
      await session.append(user(prose(1_000, "b")));
      expect(await session.checkpointIfDue()).toMatchObject({ reason: "tokens" });
    });

    test("by rules of one's own, and after a rewind by what came since", async () => {
      const { session } = await open();
      const rules = { messages: 3 };
      await session.append(...chat(3));
      expect(await session.checkpointIfDue({ rules })).toMatchObject({ reason: "messages" });
      await session.rewind({ toMessage: "m0" });
      await session.append(user("a"), user("b"));
      expect(await session.checkpointIfDue({ rules })).toBeUndefined();
    });
  });
});

describe("without a store", () => {
  test("there are no checkpoints, and that is said", async () => {
    const session = await sessionOn(undefined);
    await expect(session.checkpoint()).rejects.toMatchObject({ code: "invalid-configuration" });
    await expect(session.checkpoints()).rejects.toMatchObject({ code: "invalid-configuration" });
    await expect(session.checkpointIfDue()).rejects.toMatchObject({ code: "invalid-configuration" });
  });
});
