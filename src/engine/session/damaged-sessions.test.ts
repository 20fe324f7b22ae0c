import { expect, test } from "vitest";
import { chat, user } from "../../../test/support/messages.ts";
import { talkOf } from "../../../test/support/sessions.ts";
import { engineOn, sessionOn, shown } from "../../../test/support/stored-sessions.ts";
import { describeDurableStores, describeStores } from "../../../test/support/stores.ts";

const DAMAGED = { code: "store-damaged" };

await describeDurableStores("records that were edited by hand", (makePlace) => {
  test.each([
    ["a text in a message", "UPDATE records SET body = replace(body, 'ask 4', 'ask 5')"],
    ["a fold", "UPDATE records SET body = replace(body, 'condenseParent', 'condenseChild')"],
    ["an event", "UPDATE records SET body = replace(body, '\"cost\":0', '\"cost\":9')"],
    ["all of them", "DELETE FROM records"],
  ])("%s: the session is not opened, and others are", async (_, sql) => {
    const place = makePlace();
    const engine = engineOn(place.open());
    const session = await engine.session("task");
    await session.append(...talkOf(20, 390));
    await session.condense();
    await (await engine.session("whole")).append(user("fine"));
    const before = await shown(session);
    await place.edit(`${sql} WHERE ${sql.startsWith("DELETE") ? "true" : "body NOT LIKE '%fine%'"}`);
    await expect(sessionOn(place.open())).rejects.toMatchObject(DAMAGED);
    if (!sql.startsWith("DELETE")) {
      expect(await (await engineOn(place.open()).session("whole")).log()).toEqual([user("fine")]);
      // Who has read it before has what was written.
      expect(await shown(session)).toEqual(before);
    }
  });

  test("a session that is damaged can be deleted and begun anew", async () => {
    const place = makePlace();
    await (await sessionOn(place.open())).append(...chat(3));
    await place.edit("UPDATE records SET body = '{}'");
    const engine = engineOn(place.open());
    await expect(engine.session("task")).rejects.toMatchObject(DAMAGED);
    expect(await engine.deleteSession("task")).toBe(true);
    const fresh = await engine.session("task");
    await fresh.append(user("new"));
    expect(await fresh.log()).toEqual([user("new")]);
  });

  test("a checkpoint: it is not listed, and nothing is rewound to it", async () => {
    const place = makePlace();
    const session = await sessionOn(place.open());
    await session.append(...chat(3));
    const { id } = await session.checkpoint();
    await session.append(user("more"));
    await place.edit("UPDATE checkpoints SET body = replace(body, '\"version\":3', '\"version\":1')");
    await expect(session.checkpoints()).rejects.toMatchObject(DAMAGED);
    await expect(session.rewind({ toCheckpoint: id })).rejects.toMatchObject(DAMAGED);
    expect(await session.log()).toEqual([...chat(3), user("more")]);
  });
});

await describeStores("records that no engine of this version writes", (makePlace) => {
  const patch = (changes: object) =>
    JSON.stringify({ type: "patch", patch: { removed: [], changed: [], inserted: [], ...changes } });
  test.each([
    ["no JSON", "{"],
    ["no object", "7"],
    ["a kind that nobody knows", '{"type":"vote"}'],
    ["a message of no role", '{"type":"message","message":{"content":"x"}}'],
    ["no message", '{"type":"message"}'],
    ["a fold of what is not there", patch({ removed: [17] })],
    ["a change that makes no message", patch({ changed: [{ index: 0, set: { role: "x" }, unset: [] }] })],
    ["a change that takes the content", patch({ changed: [{ index: 0, set: {}, unset: ["content"] }] })],
    ["a stand-in beyond the end", patch({ inserted: [{ index: 9, message: user("x") }] })],
    ["a rewind to what never was", '{"type":"rewind","toVersion":99,"isUndo":false}'],
    ["a rewind to nowhere", '{"type":"rewind","toVersion":-1,"isUndo":false}'],
    ["no event", '{"type":"event"}'],
  ])("%s: the session is not opened, and who has it open shows nothing that never was", async (_, body) => {
    const place = makePlace();
    const store = place.open();
    const session = await sessionOn(store);
    await session.append(...chat(3));
    const { key } = await store.open("task");
    await store.append(key, [{ body, isRewrite: !body.includes('"message"') }]);
    const reopened = sessionOn(place.open());
    await expect(reopened).rejects.toMatchObject(DAMAGED);
    for (let tries = 0; tries < 2; tries++) {
      await expect(session.log()).rejects.toMatchObject(DAMAGED);
      await expect(session.view()).rejects.toMatchObject(DAMAGED);
      await expect(session.prepare()).rejects.toMatchObject(DAMAGED);
      await expect(session.rewind({ toVersion: 1 })).rejects.toMatchObject(DAMAGED);
    }
  });
});
