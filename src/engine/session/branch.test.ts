import { expect, test } from "vitest";
import { chat, user } from "../../../test/support/messages.ts";
import { talkOf } from "../../../test/support/sessions.ts";
import { engineOn, idsOf, seen, sessionOn, shown } from "../../../test/support/stored-sessions.ts";
import { describeSessions, describeStores } from "../../../test/support/stores.ts";

await describeSessions("a branch", (makePlace) => {
  test("begins with the log as it is, folds and all, and both go their own ways", async () => {
    const session = await sessionOn(makePlace().open());
    await session.append(...talkOf(20, 390));
    await session.condense();
    const branch = await session.branch("other");
    expect(await shown(branch)).toEqual(await shown(session));
    const [before, [fold]] = [await shown(session), await branch.folds()];
    await branch.restore(fold?.foldId ?? "");
    await branch.append({ ...user("in the branch"), id: "b" });
    expect(await shown(session)).toEqual(before);
    await session.append({ ...user("in the trunk"), id: "t" });
    expect(await branch.log()).toEqual([...talkOf(20, 390), { ...user("in the branch"), id: "b" }]);
    expect((await idsOf(session)).at(-1)).toBe("t");
  });

  test("begins at a moment, also one that was rewound", async () => {
    const session = await sessionOn(makePlace().open());
    await session.append(...chat(6));
    await session.rewind({ toMessage: "m1" });
    await session.append({ ...user("other"), id: "other" });
    expect(await idsOf(await session.branch("whole", { toVersion: 6 }))).toEqual(["m0", "m1", "m2", "m3", "m4", "m5"]);
    expect(await idsOf(await session.branch("cut", { toMessage: "m0" }))).toEqual(["m0"]);
    expect(await idsOf(await session.branch("before", { toMessage: "other", includeMessage: false }))).toEqual([
      "m0",
      "m1",
    ]);
    expect(await (await session.branch("empty", { toVersion: 0 })).log()).toEqual([]);
    await expect(session.branch("none", { toMessage: "m5" })).rejects.toMatchObject({ code: "not-found" });
  });

  test("can be rewound by itself, to any moment that it took over", async () => {
    const session = await sessionOn(makePlace().open());
    await session.append(...talkOf(20, 390));
    const unfolded = await shown(session);
    await session.condense();
    const branch = await session.branch("other");
    await branch.rewind({ toMessage: "m19" });
    expect(await shown(branch)).toEqual(unfolded);
    await branch.rewind({ undo: true });
    expect(await shown(branch)).toEqual(await shown(session));
  });

  test("does not take the place of a session that there is, not even its own", async () => {
    const engine = engineOn(makePlace().open());
    const session = await engine.session("task");
    const other = await engine.session("other");
    await session.append(...chat(2));
    await other.append(user("mine"));
    for (const id of ["other", "task"]) {
      await expect(session.branch(id)).rejects.toMatchObject({
        code: "invalid-argument",
        message: expect.stringContaining("has a log already"),
      });
    }
    expect(await other.log()).toEqual([user("mine")]);
    expect(await session.log()).toEqual(chat(2));
  });
});

await describeStores("a branch on a store", (makePlace) => {
  test("is a session of its own for others", async () => {
    const place = makePlace();
    const session = await sessionOn(place.open());
    await session.append(...talkOf(20, 390));
    await session.condense();
    const branch = await session.branch("other", { toMessage: "m10" });
    const engine = engineOn(place.open());
    expect(await seen(await engine.session("other"))).toEqual(await seen(branch));
    expect(await engine.deleteSession("task")).toBe(true);
    expect(await idsOf(branch)).toHaveLength(11);
  });

  test("does not take the place of a session that only others know", async () => {
    const place = makePlace();
    const session = await sessionOn(place.open());
    await session.append(...chat(2));
    await (await engineOn(place.open()).session("other")).append(user("mine"));
    await expect(session.branch("other")).rejects.toThrow("has a log already");
    expect(await (await engineOn(place.open()).session("other")).log()).toEqual([user("mine")]);
  });
});

await describeStores("deleting", (makePlace) => {
  test("a session that another engine has open: it says so at the next call, and nothing is made again", async () => {
    const place = makePlace();
    const store = place.open();
    const open = await sessionOn(store);
    await open.append(...chat(3));
    expect(await engineOn(place.open()).deleteSession("task")).toBe(true);
    const gone = { code: "not-found", message: expect.stringContaining("deleted") };
    await expect(open.append(user("late"))).rejects.toMatchObject(gone);
    await expect(open.prepare()).rejects.toMatchObject(gone);
    await expect(open.log()).rejects.toMatchObject(gone);
    await expect(open.mark("m0", { important: true })).rejects.toMatchObject(gone);
    await expect(open.checkpoint()).rejects.toMatchObject(gone);
    expect(await store.find("task")).toBeUndefined();
    expect(await engineOn(store).sessions()).toEqual([]);
  });

  test("a session that another engine has open: opened again, it begins anew there as well", async () => {
    const place = makePlace();
    const engine = engineOn(place.open());
    const old = await engine.session("task");
    await old.append(...chat(3));
    await engineOn(place.open()).deleteSession("task");
    await expect(old.log()).rejects.toThrow("Open it again to begin a new one");
    const fresh = await engine.session("task");
    await fresh.append(user("new"));
    expect(await fresh.log()).toEqual([user("new")]);
    await expect(old.log()).rejects.toMatchObject({ code: "not-found" });
    expect(await engine.session("task")).toBe(fresh);
  });

  test("and beginning anew leaves those who had the old one with nothing of the new one", async () => {
    const place = makePlace();
    const old = await sessionOn(place.open());
    await old.append(...chat(3));
    const engine = engineOn(place.open());
    await engine.deleteSession("task");
    const fresh = await engine.session("task");
    await fresh.append(user("new"));
    await expect(old.append(user("late"))).rejects.toMatchObject({ code: "not-found" });
    await expect(old.view()).rejects.toMatchObject({ code: "not-found" });
    expect(await fresh.log()).toEqual([user("new")]);
  });
});

await describeSessions("an engine", (makePlace) => {
  test("says whether there was a session to delete, and opens a new one of that id", async () => {
    const engine = engineOn(makePlace().open());
    const session = await engine.session("task");
    await session.append(user("old"));
    expect(await engine.deleteSession("task")).toBe(true);
    expect(await engine.deleteSession("task")).toBe(false);
    expect(await (await engine.session("task")).log()).toEqual([]);
  });

  test("has a session once, also when it is asked for it twice at the same moment", async () => {
    const engine = engineOn(makePlace().open());
    const [one, other] = await Promise.all([engine.session("task"), engine.session("task")]);
    expect(one).toBe(other);
  });

  test("keeps the session that it opened after another was closed, also when that is closed again", async () => {
    const engine = engineOn(makePlace().open());
    const first = await engine.session("task");
    first.close();
    const second = await engine.session("task");
    await second.append(user("kept"));
    first.close();
    expect(await engine.session("task")).toBe(second);
  });
});
