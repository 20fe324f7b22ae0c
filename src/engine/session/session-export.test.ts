import { describe, expect, test } from "vitest";
import { chat, user } from "../../../test/support/messages.ts";
import { talkOf, untyped } from "../../../test/support/sessions.ts";
import { engineOn, seen, sessionOn, shown } from "../../../test/support/stored-sessions.ts";
import { describeSessions } from "../../../test/support/stores.ts";
import type { Session, SessionExport } from "../../index.ts";

/** With a fold, and a rewind that can be undone. */
async function live(session: Session): Promise<void> {
  await session.append(...talkOf(20, 390));
  await session.condense();
  await session.append({ ...user("\ud800\u0000"), id: "odd" });
  await session.rewind({ toMessage: "m12" });
  await session.append({ ...user("other"), id: "other" });
}

const exportOf = (...records: readonly unknown[]): SessionExport => ({
  format: "palimpsest-session",
  formatVersion: 1,
  id: "task",
  records,
});
const message = (id: string) => ({ type: "message", message: { ...user("x"), id } });
const patch = (changes: object) => ({ type: "patch", patch: { removed: [], changed: [], inserted: [], ...changes } });
const rewind = (toVersion: unknown) => ({ type: "rewind", toVersion, isUndo: false });

await describeSessions("an exported session", (makePlace) => {
  test("is the same when it is imported elsewhere, through JSON, and its rewind can still be undone", async () => {
    const session = await sessionOn(makePlace().open());
    await live(session);
    const exported: SessionExport = JSON.parse(JSON.stringify(await session.export()));
    const engine = engineOn(makePlace().open());
    const imported = await engine.importSession(exported);
    expect(imported.id).toBe("task");
    expect(await seen(imported)).toEqual(await seen(session));
    expect(await imported.export()).toEqual(exported);
    await imported.rewind({ undo: true });
    await session.rewind({ undo: true });
    expect(await shown(imported)).toEqual(await shown(session));
    const copy = await engine.importSession(exported, { id: "copy" });
    expect(copy.id).toBe("copy");
    expect(await engine.session("copy")).toBe(copy);
  });

  test("can be changed by who has it, without changing the session", async () => {
    const session = await sessionOn(makePlace().open());
    await live(session);
    const [before, exported] = [await seen(session), await session.export()];
    for (const record of exported.records) Object.assign(untyped(record), { type: "other", patch: undefined });
    await session.rewind({ undo: true });
    await session.rewind({ toVersion: before.version });
    expect(await shown(session)).toEqual({ log: before.log, view: before.view });
  });

  test("does not take the place of a session that there is", async () => {
    const engine = engineOn(makePlace().open());
    const session = await engine.session("task");
    await session.append(user("mine"));
    await expect(engine.importSession(exportOf(message("a")))).rejects.toThrow("has a log already");
    session.close();
    if ((await engine.sessions()).length > 0) {
      await expect(engine.importSession(exportOf(message("a")))).rejects.toThrow("has a log already");
      expect(await (await engine.session("task")).log()).toEqual([user("mine")]);
    }
  });

  test.each<readonly [string, unknown, string]>([
    ["nothing", undefined, "exported is undefined"],
    ["another format", { ...exportOf(), format: "zip" }, 'exported.format is "zip"'],
    ["a newer version", { ...exportOf(), formatVersion: 2 }, "a newer version of the package"],
    ["no id", { ...exportOf(), id: "" }, "exported.id"],
    ["no list", { ...exportOf(), records: {} }, "exported.records"],
    ["what is no record", exportOf(message("a"), 5), "records[1]"],
    ["a record of a kind that nobody knows", exportOf(message("a"), { type: "vote" }), "records[1]"],
    ["a message that is none", exportOf({ type: "message", message: { role: "system", content: "x" } }), "records[0]"],
    ["what JSON cannot hold", exportOf(message("a"), { type: "event", event: { type: "x", at: 1n } }), "records[1]"],
    ["a fold of messages that are not there", exportOf(message("a"), patch({ removed: [3] })), "records[1]"],
    ["a message that is taken away", exportOf(message("a"), patch({ removed: [0] })), "records[1]"],
    ["a message that is slipped in", exportOf(patch({ inserted: [{ index: 0, message: user("x") }] })), "records[0]"],
    [
      "a change that makes no message",
      exportOf(message("a"), patch({ changed: [{ index: 0, set: { role: "x" }, unset: [] }] })),
      "records[1]",
    ],
    ["a change of no place", exportOf(message("a"), patch({ changed: [{ set: {}, unset: [] }] })), "records[1]"],
    [
      "a fold that was rewound, of messages that are not there",
      exportOf(message("a"), patch({ removed: [3] }), rewind(1)),
      "records[1]",
    ],
    ["a rewind to what came later", exportOf(message("a"), rewind(2), message("b")), "records[1]"],
    ["a rewind to before the beginning", exportOf(message("a"), rewind(-1)), "records[1]"],
    ["a rewind to half a record", exportOf(message("a"), rewind(0.5)), "records[1]"],
  ])("with %s is refused, and no session is made", async (_, exported, words) => {
    const engine = engineOn(makePlace().open());
    await expect(engine.importSession(untyped(exported))).rejects.toMatchObject({
      code: "invalid-argument",
      message: expect.stringContaining(words),
    });
    expect(await engine.sessions()).toEqual([]);
    const session = await engine.session("task");
    await session.append(...chat(2));
    expect(await session.log()).toEqual(chat(2));
  });
});

describe("without a store", () => {
  test("a message that JSON cannot hold cannot be exported, and that is said", async () => {
    const session = await sessionOn(undefined);
    await session.append(user({ type: "odd", big: 1n }));
    await expect(session.export()).rejects.toMatchObject({ code: "invalid-message" });
  });
});
