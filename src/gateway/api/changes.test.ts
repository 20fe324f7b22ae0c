import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type ApiUnderTest, listenTo, startApi } from "../../../test/support/gateway-api.ts";
import { handler, hangs } from "../../../test/support/handlers.ts";
import { interceptStore } from "../../../test/support/intercepted-store.ts";
import { toolLoop } from "../../../test/support/long-talk.ts";
import { chat, ids } from "../../../test/support/messages.ts";
import { modelCondenser } from "../../index.ts";
import { memoryStore } from "../../stores/memory/memory-store.ts";

let running: ApiUnderTest;
let activities: ReturnType<typeof listenTo>;

beforeEach(async () => {
  running = await startApi();
  activities = listenTo(running.feed);
});
afterEach(() => running.close());

describe("restore", () => {
  test("brings back what a fold hid, and tells everyone", async () => {
    const session = await running.engine.session("a");
    await session.append(...toolLoop(60, 300));
    const condensed = await running.send("POST", "/sessions/a/condense");
    expect(condensed.body).toMatchObject({ isCondensed: true, costUsd: 0 });
    expect((await session.view()).length).toBeLessThan(121);
    const { foldId } = condensed.body;
    const restored = await running.send("POST", "/sessions/a/restore", { foldId });
    expect(restored.body).toEqual({ foldId, version: await session.version() });
    expect(await session.view()).toEqual(toolLoop(60, 300));
    expect(changes()).toEqual(["folded", "restored"]);
  });

  test("of a span shows its messages, and leaves the rest of the fold hidden", async () => {
    const session = await running.engine.session("a");
    await session.append(...toolLoop(60, 300));
    const { body: condensed } = await running.send("POST", "/sessions/a/condense");
    const hidden = (await session.expand(condensed.foldId)).messages.map(({ id = "" }) => id);
    const [from = "", to = ""] = hidden.slice(10, 12);
    const span = { from, to };
    const restored = await running.send("POST", "/sessions/a/restore", span);
    expect(restored.body).toEqual({ ...span, version: await session.version() });
    expect(ids(await session.view())).toEqual(expect.arrayContaining([from, to]));
    expect(await session.folds()).toMatchObject([{ foldId: condensed.foldId }]);
    const again = await running.send("POST", "/sessions/a/restore", span);
    expect(again.body).toEqual(restored.body);
    expect(changes()).toEqual(["folded", "restored"]);
    expect((await session.events()).at(-1)).toMatchObject({ type: "span_restored", ...span });
    const half = await running.send("POST", "/sessions/a/restore", { from });
    expect([half.status, half.body.error.code]).toEqual([400, "invalid-argument"]);
    const unknown = await running.send("POST", "/sessions/a/restore", { from, to: "nothing" });
    expect(unknown.status).toBe(404);
  });

  test("of messages without ids takes their places, and so does pin", async () => {
    const session = await running.engine.session("a");
    await session.append(...toolLoop(60, 300).map(({ id: _, ...message }) => message));
    await running.send("POST", "/sessions/a/condense");
    const before = (await session.view()).length;
    const restored = await running.send("POST", "/sessions/a/restore", { from: "#11", to: "#12" });
    expect(restored).toMatchObject({ status: 200, body: { from: "#11", to: "#12" } });
    expect((await session.view()).length).toBe(before + 2);
    const pinned = await running.send("POST", "/sessions/a/pin", { messageId: "#12" });
    expect(pinned).toMatchObject({ status: 200, body: { messageId: "#12", important: true } });
    expect((await session.log())[12]).toMatchObject({ important: true });
  });

  test("of an unknown fold is refused", async () => {
    await (await running.engine.session("a")).append(...chat(4));
    const { status, body } = await running.send("POST", "/sessions/a/restore", { foldId: "condense-nope" });
    expect([status, body.error.code]).toEqual([404, "unknown-fold"]);
    expect(activities).toEqual([]);
  });
});

describe("rewind", () => {
  test.each([
    [{ toVersion: 2 }, ["m0", "m1"]],
    [{ toMessage: "m2" }, ["m0", "m1", "m2"]],
    [{ toMessage: "m2", includeMessage: false }, ["m0", "m1"]],
  ])("to %j, and back again", async (target, left) => {
    const session = await running.engine.session("a");
    await session.append(...chat(6));
    const { body } = await running.send("POST", "/sessions/a/rewind", target);
    expect(body).toEqual({ version: 7, toVersion: left.length, messagesRemoved: 6 - left.length });
    expect(ids(await session.log())).toEqual(left);
    expect((await running.send("POST", "/sessions/a/rewind", { undo: true })).status).toBe(200);
    expect(ids(await session.log())).toHaveLength(6);
    expect(changes()).toEqual(["rewound", "rewound"]);
  });

  test("to a checkpoint", async () => {
    const session = await running.engine.session("a");
    await session.append(...chat(4));
    const { id } = await session.checkpoint();
    await session.append(...chat(6).slice(4));
    const { body } = await running.send("POST", "/sessions/a/rewind", { toCheckpoint: id });
    expect(body.messagesRemoved).toBe(2);
  });

  test("as a dry run changes nothing, and tells nobody", async () => {
    const session = await running.engine.session("a");
    await session.append(...chat(4));
    const { body } = await running.send("POST", "/sessions/a/rewind", { toVersion: 1, dryRun: true });
    expect(body).toEqual({ version: 5, toVersion: 1, messagesRemoved: 3 });
    expect([await session.version(), activities]).toEqual([4, []]);
  });

  test("says which field is wrong, also beside those that every target may have", async () => {
    await (await running.engine.session("a")).append(...chat(4));
    const { status, body } = await running.send("POST", "/sessions/a/rewind", { toVersion: "1", dryRun: true });
    expect([status, body.error.message]).toEqual([400, expect.stringContaining("toVersion is")]);
  });

  test("with files is a conflict where none are kept", async () => {
    await (await running.engine.session("a")).append(...chat(4));
    const { status, body } = await running.send("POST", "/sessions/a/rewind", { toVersion: 1, files: true });
    expect([status, body.error.code]).toEqual([409, "no-file-checkpoints"]);
    expect(activities).toEqual([]);
  });

  test.each([
    [{ toVersion: 99 }, 400],
    [{ toMessage: "m99" }, 404],
    [{ undo: true }, 404],
    [{ toCheckpoint: "none" }, 404],
  ])("to %j is refused where there is no such moment", async (target, status) => {
    await (await running.engine.session("a")).append(...chat(4));
    expect((await running.send("POST", "/sessions/a/rewind", target)).status).toBe(status);
    expect(activities).toEqual([]);
  });
});

test("pins a message, and takes it back", async () => {
  const session = await running.engine.session("a");
  await session.append(...chat(3));
  await running.send("POST", "/sessions/a/pin", { messageId: "m1" });
  expect((await running.get("/sessions/a/messages/m1")).body.important).toBe(true);
  await running.send("POST", "/sessions/a/pin", { messageId: "m1", important: false });
  expect((await session.log())[1]?.important).toBe(false);
  expect(changes()).toEqual(["updated", "updated"]);
});

test("condensing what cannot be condensed changes nothing and says why", async () => {
  await (await running.engine.session("a")).append(...chat(2));
  const { status, body } = await running.send("POST", "/sessions/a/condense");
  expect([status, body.isCondensed]).toEqual([200, false]);
  expect(body.error).toContain("nothing to condense");
  expect(activities).toEqual([]);
});

test("condensing ends with the client that asked for it", async () => {
  const model = handler(hangs);
  const api = await startApi({ condenser: modelCondenser(model) });
  const session = await api.engine.session("a");
  await session.append(...toolLoop(60, 300));
  const client = new AbortController();
  const headers = { "content-type": "application/json" };
  const asked = api.ask("/api/sessions/a/condense", { method: "POST", headers, signal: client.signal });
  await vi.waitFor(() => expect(model.asked).toHaveLength(1), { timeout: 300_000 });
  client.abort();
  await expect(asked).rejects.toThrow("aborted");
  await vi.waitFor(() => expect(model.asked[0]?.call?.signal.aborted).toBe(true), { timeout: 300_000 });
  expect(await session.folds()).toEqual([]);
  await api.close();
});

test("deletes a session for good", async () => {
  await (await running.engine.session("a")).append(...chat(2));
  expect((await running.send("DELETE", "/sessions/a")).body).toEqual({ id: "a", isDeleted: true });
  expect((await running.get("/sessions/a")).status).toBe(404);
  expect(changes()).toEqual(["deleted"]);
});

test("a message that someone else holds is a conflict", async () => {
  const session = await running.engine.session("a");
  await session.append(...chat(3));
  const lock = await session.lock("m1", { holder: "someone" });
  const { status, body } = await running.send("POST", "/sessions/a/pin", { messageId: "m1" });
  expect([status, body.error.code]).toEqual([409, "conflict"]);
  await lock.release();
});

test("a failure of ours is counted, and nothing of it is told but its kind", async () => {
  const store = interceptStore(memoryStore(), {
    before: (call) => {
      if (call === "find") throw new TypeError("the secret of a session");
    },
  });
  const broken = await startApi({ store });
  const told = listenTo(broken.feed);
  const { status, body } = await broken.get("/sessions/a");
  expect([status, body.error.code]).toEqual([500, "internal"]);
  expect(JSON.stringify([body, told])).not.toContain("secret");
  expect(told).toMatchObject([{ type: "incident", what: "api GET /palimpsest/api/sessions/:id", error: "TypeError" }]);
  await broken.close();
});

function changes(): readonly string[] {
  return activities.flatMap((activity) => (activity.type === "session" ? [activity.change] : []));
}
