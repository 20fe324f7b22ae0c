import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { type ApiUnderTest, requestActivity, startApi } from "../../../test/support/gateway-api.ts";
import { interceptStore } from "../../../test/support/intercepted-store.ts";
import { toolLoop } from "../../../test/support/long-talk.ts";
import { assistant, chat, log, user } from "../../../test/support/messages.ts";
import { PalimpsestError } from "../../core/errors.ts";
import type { Message } from "../../core/message/message.ts";
import { memoryStore } from "../../stores/memory/memory-store.ts";
import { sqliteStore } from "../../stores/sqlite/sqlite-store.ts";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-api-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
const STORES = {
  memory: () => memoryStore(),
  SQLite: () => sqliteStore({ path: join(folder, `${files++}.db`) }),
};

let running: ApiUnderTest | undefined;
afterEach(async () => running?.close());

describe.each(Object.entries(STORES))("with a store in %s", (_, makeStore) => {
  async function start(): Promise<ApiUnderTest> {
    running = await startApi({ store: makeStore() });
    return running;
  }

  test("tells what a session began with, without counting it", async () => {
    const { engine, get } = await start();
    await (await engine.session("a")).append(user("Mend the lamp."));
    expect((await get("/sessions/a/title")).body).toEqual({ title: "Mend the lamp." });
    expect((await get("/sessions/unknown/title")).status).toBe(404);
  });

  test("names a session by what a person asked for first, not by what the agent added", async () => {
    const { engine, get } = await start();
    const title = async (id: string, ...messages: Message[]) => {
      await (await engine.session(id)).append(...messages);
      return (await get(`/sessions/${id}/title`)).body.title;
    };
    const mode =
      "<collaboration_mode>\nA `<collaboration_mode>…</collaboration_mode>` changes it.\n</collaboration_mode>";
    const permissions = user(`<permissions instructions>\nAsk first.\n</permissions instructions>\n${mode}`);
    const rules = user("# AGENTS.md instructions for /app\n\n<INSTRUCTIONS>\nUse tabs.\n</INSTRUCTIONS>");
    expect(await title("codex", permissions, rules, user("Mend the lamp."))).toBe("Mend the lamp.");
    const reminder = "<system-reminder>\nToday is Monday.\n</system-reminder>";
    expect(await title("claude", user(`${reminder}\nMend the door.`))).toBe("Mend the door.");
    expect(await title("pi", user("/mode"), assistant("Plan mode."), user("Mend the roof."))).toBe("Mend the roof.");
    // Where nobody has asked for anything, the beginning is better than nothing.
    expect(await title("silent", permissions, rules)).toMatch(/^<permissions instructions> Ask first\./);
    expect(await title("command", user("/mode"))).toBe("/mode");
    expect(await title("long", user(`Mend ${"all the lamps ".repeat(20)}`))).toHaveLength(120);
  });

  test("says that it works, and what it has done", async () => {
    const { get, feed } = await start();
    feed.publish(requestActivity());
    expect((await get("/health")).body).toMatchObject({ status: "ok", version: "1.2.3", store: "ok" });
    expect((await get("/stats")).body).toMatchObject({
      requests: 1,
      tokensIn: 1_000,
      savedTokens: 600,
      eventStreams: 0,
    });
  });

  test("lists the newest requests first, of one session where one is named", async () => {
    const { get, feed } = await start();
    for (const [index, sessionId] of ["a", "b", "a", undefined].entries()) {
      feed.publish(
        requestActivity({
          sessionId,
          at: index,
          status: sessionId === undefined ? undefined : 200,
          costUsd: undefined,
        }),
      );
    }
    const all = (await get("/requests?limit=3")).body.requests;
    expect(all.map(({ at }: { at: number }) => at)).toEqual([3, 2, 1]);
    const own = (await get("/requests?session=a")).body.requests;
    expect(own.map(({ at }: { at: number }) => at)).toEqual([2, 0]);
  });

  test("lists sessions in pages, with their sums", async () => {
    const { get, feed, engine } = await start();
    for (const id of ["a", "b", "c"]) await (await engine.session(id)).append(user("hello"));
    feed.publish(requestActivity({ sessionId: "b" }));
    const first = (await get("/sessions?limit=2")).body;
    const second = (await get(`/sessions?limit=2&offset=${first.nextOffset}`)).body;
    const listed = [...first.sessions, ...second.sessions];
    expect(listed.map(({ id }: { id: string }) => id).toSorted()).toEqual(["a", "b", "c"]);
    expect(second.nextOffset).toBeUndefined();
    expect(listed.find(({ id }: { id: string }) => id === "b").totals.tokensSent).toBe(400);
  });

  test("tells the sizes of a session before and after it was folded", async () => {
    const { get, engine } = await start();
    const session = await engine.session("a");
    await session.append(...toolLoop(60, 300));
    const before = (await get("/sessions/a")).body;
    expect(before).toMatchObject({ messages: { log: 121, view: 121, hidden: 0 }, folds: 0, condensations: 0 });
    expect(before.lastFoldAt).toBeUndefined();
    await session.condense();
    const after = (await get("/sessions/a")).body;
    expect(after).toMatchObject({ folds: 1, condensations: 1, tokens: { log: before.tokens.log } });
    expect(after.messages.log).toBe(121);
    expect(after.messages.view).toBe(121 - after.messages.hidden + 1);
    expect(after.tokens.view).toBeLessThan(before.tokens.view);
    expect(after.lastFoldAt).toBeGreaterThan(0);
  });

  test("shows log and view page by page, and what hides what", async () => {
    const { get, engine } = await start();
    const session = await engine.session("a");
    await session.append(...toolLoop(60, 300));
    const { condenseId } = await session.condense();
    const log = await pages(get, "/sessions/a/log");
    expect(log.map(({ index }) => index)).toEqual(log.map((_, index) => index));
    expect(log.filter(({ standsFor }) => standsFor?.foldId === condenseId)).toHaveLength(1);
    const view = await pages(get, "/sessions/a/view");
    expect(view.map(({ id }) => id)).toEqual((await session.view()).map(({ id }) => id));
    expect(view.map(({ id }) => id)).toEqual(log.filter(({ hiddenBy }) => hiddenBy === undefined).map(({ id }) => id));
    const hidden = log.find(({ hiddenBy }) => hiddenBy !== undefined);
    expect(hidden?.hiddenBy).toBe(condenseId);
    expect((await get(`/sessions/a/messages/${hidden?.id}`)).body).toEqual({ ...hidden, row: 1, isRewound: false });
  });

  test("shows block folds on their messages, and the whole of what a fold hides", async () => {
    const { get, engine } = await start();
    // By prices a fold aims at an amount of tokens, which clearing all old results cannot.
    engine.configure({ thresholds: { adaptive: false } });
    const session = await engine.session("a");
    await session.append(...toolLoop(100, 400));
    const { report } = await session.prepare();
    const { folds } = (await get("/sessions/a/folds")).body;
    expect(folds).toMatchObject([{ foldId: report.foldIds[0], kind: "clear", messages: 0 }]);
    expect(folds[0].newContextTokens).toBeLessThan(folds[0].prevContextTokens);
    const expanded = (await get(`/sessions/a/folds/${report.foldIds[0]}?limit=5`)).body;
    expect(expanded).toMatchObject({ ...folds[0], total: folds[0].blocks, nextAfter: 4 });
    expect(JSON.stringify(expanded.hidden[0].content)).toContain("tide tide");
    const folded = (await pages(get, "/sessions/a/log")).filter(({ folds }) => folds !== undefined);
    expect(folded).toHaveLength(folds[0].blocks);
    const { events, total } = (await get("/sessions/a/events")).body;
    expect([total, events[0].type]).toEqual([1, "blocks_folded"]);
  });

  test.each([
    "claude-code:0f8c-11",
    "team/web/login",
    "a~b~c",
    "grün 🎉 日本",
    "100%",
    "%2F%25",
    "a?b=c&d#e",
    "a+b",
    "back\\slash",
    "line\nbreak",
    "...",
    "log",
  ])("finds a session whose id is %j", async (id) => {
    const { get, engine } = await start();
    await (await engine.session(id)).append(...chat(2));
    const path = `/sessions/${encodeURIComponent(id)}`;
    expect((await get(path)).body.id).toBe(id);
    expect((await get(`${path}/log`)).body.total).toBe(2);
    expect((await get(`${path}/messages/m1`)).body.content).toBe("reply 1");
  });

  test("finds messages with any id, without one, and set aside by a rewind", async () => {
    const { get, engine } = await start();
    const session = await engine.session("a");
    await session.append({ ...user("first"), id: "x/1" }, assistant("second"), ...log(user("third")));
    expect((await get("/sessions/a/messages/x%2F1")).body).toMatchObject({ index: 0, content: "first" });
    expect((await get("/sessions/a/messages/%231")).body).toMatchObject({ index: 1, content: "second" });
    await session.rewind({ toVersion: 1 });
    const { body } = await get("/sessions/a/messages/m0");
    expect(body).toMatchObject({ content: "third", isRewound: true });
    expect(body.index).toBeUndefined();
    expect((await get("/sessions/a/messages/m7")).status).toBe(404);
  });

  test("looking at a session that is not there makes none", async () => {
    const { get, send, store } = await start();
    for (const path of ["", "/log", "/view", "/folds", "/events", "/messages/m0", "/folds/f", "/recall?q=x"]) {
      expect((await get(`/sessions/nobody${path}`)).status).toBe(404);
    }
    for (const path of ["/restore", "/rewind", "/pin", "/condense", "/recall"]) {
      const body = {
        "/restore": { foldId: "f" },
        "/rewind": { undo: true },
        "/pin": { messageId: "m" },
        "/recall": { q: "x" },
      };
      const sent = await send(
        "POST",
        `/sessions/nobody${path}`,
        Object.entries(body).find(([key]) => key === path)?.[1],
      );
      expect([path, sent.status]).toEqual([path, 404]);
    }
    expect((await send("DELETE", "/sessions/nobody")).status).toBe(404);
    expect(await store.list()).toEqual([]);
  });
});

test("says so when the store cannot be asked", async () => {
  running = await startApi({
    store: interceptStore(memoryStore(), {
      before: (call) => {
        if (call !== "close") throw new PalimpsestError("store-failed", "The disk is full. Make room.");
      },
    }),
  });
  const { status, body } = await running.get("/health");
  expect([status, body.status, body.store]).toEqual([503, "degraded", "unreachable"]);
  const listed = await running.get("/sessions");
  expect([listed.status, listed.body.error]).toEqual([
    503,
    { code: "store-failed", message: "The disk is full. Make room." },
  ]);
});

test("a store that hangs is as good as none", async () => {
  running = await startApi({
    store: interceptStore(memoryStore(), {
      before: (call) => (call === "find" ? new Promise(() => {}) : undefined),
    }),
  });
  expect((await running.get("/health")).status).toBe(503);
});

interface Entry {
  readonly index: number;
  readonly id: string;
  readonly hiddenBy?: string;
  readonly standsFor?: { readonly foldId: string };
  readonly folds?: readonly unknown[];
}

async function pages(get: ApiUnderTest["get"], path: string): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for (let after = -1; ; ) {
    const { messages, nextAfter, total } = (await get(`${path}?limit=50&after=${after}`)).body;
    expect(messages.length).toBeLessThanOrEqual(50);
    entries.push(...messages);
    if (nextAfter === undefined) {
      expect(entries).toHaveLength(total);
      return entries;
    }
    after = nextAfter;
  }
}
