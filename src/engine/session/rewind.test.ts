import { expect, test } from "vitest";
import { chat, user } from "../../../test/support/messages.ts";
import { talkOf, toolLoop, untyped } from "../../../test/support/sessions.ts";
import { idsOf, sessionOn, shown } from "../../../test/support/stored-sessions.ts";
import { describeSessions } from "../../../test/support/stores.ts";
import type { Message, Session } from "../../index.ts";

/** Messages of a second batch, with ids of their own. */
function more(messages: readonly Message[]): readonly Message[] {
  return messages.map((message, index) => ({ ...message, id: `n${index}` }));
}

/** What the session was after each step, with the version to come back to. */
async function moment(session: Session) {
  return { version: await session.version(), ...(await shown(session)) };
}

await describeSessions("rewinding", (makePlace) => {
  const open = () => sessionOn(makePlace().open());

  test("past a condensation, a truncation and folded blocks brings back exactly the view of each moment", async () => {
    const session = await open();
    const moments = [await moment(session)];
    const after = async (step: () => Promise<unknown>) => {
      await step();
      moments.push(await moment(session));
    };
    await after(() => session.append(...toolLoop(30, 300)));
    await after(() => session.prepare());
    await after(() => session.append(...more(talkOf(6, 500))));
    await after(() => session.condense());
    await after(() => session.append({ ...user(" apple".repeat(30_000)), id: "huge" }));
    await after(() => session.prepare());
    const kinds = new Set((await session.folds()).map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual(expect.arrayContaining(["clip", "condense"]));
    for (const { version, ...shownThen } of [...moments, ...moments.toReversed()]) {
      await session.rewind({ toVersion: version });
      expect(await shown(session)).toEqual(shownThen);
    }
  });

  test("past a truncation brings back what it hid", async () => {
    const session = await sessionOn(makePlace().open(), { configuration: { strategies: { primary: "truncation" } } });
    await session.append(...talkOf(30, 390));
    const before = await shown(session);
    const { report } = await session.prepare();
    expect(report.foldIds).toHaveLength(1);
    await session.append(user("next"));
    await session.rewind({ toMessage: "m29" });
    expect(await shown(session)).toEqual(before);
    expect(await session.folds()).toEqual([]);
  });

  test("to a message keeps it, or without it stops right before, also in the middle of a batch", async () => {
    const session = await open();
    await session.append(...chat(6));
    expect(await session.rewind({ toMessage: "m3" })).toEqual({ version: 7, toVersion: 4, messagesRemoved: 2 });
    expect(await idsOf(session)).toEqual(["m0", "m1", "m2", "m3"]);
    await session.rewind({ toMessage: "m2", includeMessage: false });
    expect(await idsOf(session)).toEqual(["m0", "m1"]);
    await session.rewind({ toMessage: "m0", includeMessage: false });
    expect(await session.log()).toEqual([]);
  });

  test("of several messages with one id, goes to the newest that is in the log", async () => {
    const session = await open();
    await session.append(user("before"), { ...user("one"), id: "x" }, { ...user("two"), id: "x" }, user("after"));
    await session.rewind({ toMessage: "x", includeMessage: false });
    expect(await session.log()).toHaveLength(2);
    await session.rewind({ toMessage: "x", includeMessage: false });
    expect(await session.log()).toEqual([user("before")]);
  });

  test("is taken back by undo, also when more was said since: that is set aside, not lost", async () => {
    const session = await open();
    await session.append(...chat(4));
    const before = await shown(session);
    await session.rewind({ toMessage: "m1" });
    await session.append({ ...user("other"), id: "other" });
    const other = await moment(session);
    expect(await session.rewind({ undo: true })).toMatchObject({ messagesRemoved: -1 });
    expect(await shown(session)).toEqual(before);
    await session.append({ ...user("on"), id: "on" });
    expect(await idsOf(session)).toEqual(["m0", "m1", "m2", "m3", "on"]);
    await session.rewind({ toVersion: other.version });
    expect((await shown(session)).log).toBe(other.log);
  });

  test("twice is undone twice, the newest first, and no further", async () => {
    const session = await open();
    await session.append(...chat(6));
    await session.rewind({ toMessage: "m3" });
    await session.rewind({ toMessage: "m1" });
    await session.rewind({ undo: true });
    expect(await session.log()).toHaveLength(4);
    await session.rewind({ undo: true });
    expect(await session.log()).toHaveLength(6);
    const version = await session.version();
    await expect(session.rewind({ undo: true })).rejects.toMatchObject({ code: "not-found" });
    expect(await session.version()).toBe(version);
    await session.rewind({ toMessage: "m0" });
    await session.rewind({ undo: true });
    expect(await session.log()).toHaveLength(6);
  });

  test("can itself be rewound by the version before it", async () => {
    const session = await open();
    await session.append(...chat(5));
    const first = await session.rewind({ toMessage: "m1" });
    await session.append({ ...user("other"), id: "other" });
    const second = await session.rewind({ toVersion: first.version - 1 });
    expect(await session.log()).toEqual(chat(5));
    await session.rewind({ toVersion: second.version - 1 });
    expect(await idsOf(session)).toEqual(["m0", "m1", "other"]);
    await session.rewind({ undo: true });
    expect(await session.log()).toEqual(chat(5));
    await session.rewind({ undo: true });
    expect(await idsOf(session)).toEqual(["m0", "m1", "other"]);
    await session.rewind({ undo: true });
    expect(await session.log()).toEqual(chat(5));
  });

  test("then folding, restoring and marking work on the log of that moment", async () => {
    const session = await open();
    await session.append(...talkOf(24, 300));
    const { condenseId = "" } = await session.condense();
    await session.rewind({ toMessage: "m15" });
    await expect(session.restore(condenseId)).rejects.toMatchObject({ code: "unknown-fold" });
    const again = await session.condense();
    await session.mark("m4", { important: true });
    await session.restore(again.condenseId ?? "");
    const expected = talkOf(16, 300).map((each) => (each.id === "m4" ? { ...each, important: true } : each));
    expect(await session.log()).toEqual(expected);
  });

  test("is told as an event, and the session's version grows with it", async () => {
    const session = await open();
    await session.append(...chat(3));
    await session.rewind({ toVersion: 1 });
    await session.rewind({ undo: true });
    expect(await session.events()).toEqual([
      { type: "rewound", at: 0, toVersion: 1, isUndo: false },
      { type: "rewound", at: 0, toVersion: 3, isUndo: true },
    ]);
    expect(await session.version()).toBe(7);
  });

  test.each([
    [{ undo: true }, "not-found", "There is no rewind to undo"],
    [{ toMessage: "nobody" }, "not-found", '"nobody"'],
    [{ toVersion: 4 }, "invalid-argument", "from 0 to 3"],
    [{ toVersion: -1 }, "invalid-argument", "toVersion is -1"],
    [{ toVersion: 1.5 }, "invalid-argument", "toVersion is 1.5"],
    [{ toVersion: Number.NaN }, "invalid-argument", "toVersion is NaN"],
    [{ toMessage: 3 }, "invalid-argument", "toMessage is 3"],
    [{ undo: false }, "invalid-argument", "undo is false"],
    [{ toVersion: 1, files: "yes" }, "invalid-argument", "files is"],
    [{ toVersion: 1, files: true }, "invalid-configuration", "no workspace"],
    [{}, "invalid-argument", "toMessage is undefined"],
    [undefined, "invalid-argument", "options is undefined"],
  ])("%j is refused, and nothing changes", async (options, code, words) => {
    const session = await open();
    await session.append(...chat(3));
    await expect(session.rewind(untyped(options))).rejects.toMatchObject({
      code,
      message: expect.stringContaining(words),
    });
    expect(await session.log()).toEqual(chat(3));
    expect(await session.version()).toBe(3);
    expect(await session.events()).toEqual([]);
  });
});
