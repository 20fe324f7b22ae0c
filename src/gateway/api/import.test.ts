import { afterEach, beforeEach, expect, test } from "vitest";
import { type ApiUnderTest, listenTo, startApi } from "../../../test/support/gateway-api.ts";
import { chat } from "../../../test/support/messages.ts";

let running: ApiUnderTest;
beforeEach(async () => {
  running = await startApi();
});
afterEach(() => running.close());

test("an exported session is the same again, with what was rewound, and everyone is told", async () => {
  const session = await running.engine.session("a");
  await session.append(...chat(6));
  await session.rewind({ toVersion: 4 });
  const { body: exported } = await running.get("/sessions/a/export");
  const activities = listenTo(running.feed);
  const imported = await running.send("POST", "/session-import", { ...exported, id: "b" });
  expect(imported.body).toEqual({ id: "b", version: await session.version() });
  const copy = await running.engine.session("b");
  expect(await copy.log()).toEqual(await session.log());
  await copy.rewind({ undo: true });
  expect(await copy.log()).toEqual(chat(6));
  expect(activities).toMatchObject([{ type: "session", sessionId: "b", change: "created" }]);
});

test("a session that is there stays, and what is no export is refused", async () => {
  await (await running.engine.session("a")).append(...chat(2));
  const { body: exported } = await running.get("/sessions/a/export");
  for (const body of [exported, {}, { format: "other" }, { ...exported, id: "b", records: [{ type: "nothing" }] }]) {
    const { status, body: reply } = await running.send("POST", "/session-import", body);
    expect([status, reply.error.code]).toEqual([400, "invalid-argument"]);
  }
  expect((await running.get("/sessions/b")).status).toBe(404);
});

test("takes sessions that are larger than other bodies may be", async () => {
  const session = await running.engine.session("a");
  await session.append({ id: "m0", role: "user", content: "x".repeat(2_000_000) });
  const { body: exported } = await running.get("/sessions/a/export");
  expect((await running.send("POST", "/session-import", { ...exported, id: "b" })).status).toBe(200);
});
