import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ApiUnderTest, startApi } from "../../../test/support/gateway-api.ts";
import type { Message } from "../../core/message/message.ts";
import type { Session } from "../../engine/session/session.ts";

let api: ApiUnderTest;
let session: Session;

beforeEach(async () => {
  api = await startApi();
  session = await api.engine.session("a");
});
afterEach(() => api.close());

const say = (index: number): Message => ({
  id: `m${index}`,
  role: index % 2 === 0 ? "user" : "assistant",
  content: `Message ${index} speaks of apples. `.repeat(30),
});

const bodyOf = (messages: readonly Message[], fields: object = {}) =>
  JSON.stringify({
    model: "claude-sonnet-4-5",
    system: "Be brief.",
    messages: messages.map(({ role, content }) => ({ role, content })),
    ...fields,
  });

/** Sends what the session shows, as a gateway would. */
async function ask(body?: string, cacheReadTokens = 0): Promise<void> {
  const text = body ?? bodyOf(await session.view());
  const bytes = new TextEncoder().encode(text);
  const usage = { inputTokens: 500, cacheReadTokens, outputTokens: 20 };
  await session.recordRequest({ usage, body: { wire: "anthropic", bytes, isAsItCame: body === undefined } });
}

async function foldedSession(): Promise<string> {
  await session.append(...Array.from({ length: 12 }, (_, index) => say(index)));
  await ask();
  await session.condense();
  await ask();
  const [fold] = await session.folds();
  return fold?.foldId ?? "";
}

describe("requests", () => {
  test("are listed with their decision in one sentence, in pages", async () => {
    for (let index = 0; index < 6; index += 2) {
      await session.append(say(index), say(index + 1));
      await ask(undefined, 250);
    }
    const { body } = await api.get("/sessions/a/requests?limit=2");
    expect(body).toMatchObject({ total: 3, nextAfter: 1, requests: [{ index: 0 }, { index: 1 }] });
    expect(body.requests[0]).toMatchObject({
      cachedShare: 250 / 750,
      decision: { sentence: expect.stringMatching(/^Nothing was folded.*\.$/) },
      body: { isKept: true, wire: "anthropic", isAsItCame: true },
    });
    const last = await api.get("/sessions/a/requests?after=1");
    expect(last.body.requests.map(({ index }: { index: number }) => index)).toEqual([2]);
    expect((await api.get("/sessions/a/requests/2")).body).toEqual(last.body.requests[0]);
    expect((await api.get("/sessions/a/requests/3")).status).toBe(404);
    expect((await api.get("/sessions/a/requests/x")).status).toBe(404);
    expect((await api.get("/sessions/nobody/requests")).status).toBe(404);
  });

  test("are shown as they were sent, whole and in part", async () => {
    await session.append(say(0), say(1));
    const sent = `{ "odd" : "\\u00e9 é", "messages" :[{"role":"user","content":"x"}]}`;
    await ask(sent);
    expect((await api.get("/sessions/a/requests/0/body")).body).toBe(sent);
    expect((await api.get("/sessions/a/requests/0/body?from=2&bytes=5")).body).toBe(sent.slice(2, 7));
    expect((await api.get("/sessions/a/requests/0/body?from=-1")).status).toBe(400);
  });

  test("of a session that has none are none, and nothing fails", async () => {
    await session.append(say(0), say(1));
    expect((await api.get("/sessions/a/requests")).body).toEqual({ requests: [], total: 0 });
    const { body } = await api.get("/sessions/a/strata");
    expect(body.requests).toEqual({ total: 0, from: 0, columns: [] });
    expect(body.messages.rows[0]).toMatchObject({ id: "m0", nowState: "sent", runs: [], kind: "text" });
    const now = await api.get("/sessions/a/now");
    expect(now.body.bar.map(({ category }: { category: string }) => category)).toEqual(["user", "assistant"]);
    expect(now.body).not.toHaveProperty("last");
  });
});

describe("the window now", () => {
  test("is told by what it consists of, with turns left and the price of the next request", async () => {
    await session.append(say(0), say(1), say(2));
    await ask();
    const { body } = await api.get("/sessions/a/now");
    expect(body).toMatchObject({ modelId: "claude-sonnet-4-5", contextWindow: 32_000, last: { index: 0 } });
    const whole = body.bar.reduce((sum: number, { tokens }: { tokens: number }) => sum + tokens, 0);
    expect(whole).toBe(32_000);
    expect(body.turnsLeft).toBe(Math.floor((body.allowedTokens - body.promptTokens) / body.growthTokens));
    expect(body.nextRequest.cachedUsd).toBeGreaterThan(0);
    expect(body.nextRequest.coldUsd).toBeGreaterThan(body.nextRequest.cachedUsd);
  });

  test("tells what it costs to undo a fold, and that is what comes true", async () => {
    const foldId = await foldedSession();
    const { body } = await api.get(`/sessions/a/folds/${foldId}/price`);
    expect(body).toMatchObject({ foldId, fits: true, modelId: "claude-sonnet-4-5" });
    expect(body.tokens).toBeGreaterThan(0);
    expect(body.extraUsd.cached).toBeGreaterThan(0);
    const before = (await api.get("/sessions/a/now")).body;
    await api.send("POST", "/sessions/a/restore", { foldId });
    const after = (await api.get("/sessions/a/now")).body;
    expect(after.promptTokens).toBe(body.promptTokens);
    expect(after.promptTokens - before.promptTokens).toBe(body.tokens);
    expect(after.nextRequest.cachedUsd - before.nextRequest.cachedUsd).toBeCloseTo(body.extraUsd.cached, 12);
    expect((await api.get("/sessions/a/folds/none/price")).status).toBe(404);
  });
});

describe("strata", () => {
  test("show each message over the requests, in the part that is asked for", async () => {
    const foldId = await foldedSession();
    const { body } = await api.get("/sessions/a/strata");
    expect(body.messages).toMatchObject({ total: 13, from: 0 });
    const { rows } = body.messages;
    const hidden = rows.filter(({ nowState }: { nowState: string }) => nowState === "hidden");
    expect(hidden.length).toBeGreaterThan(0);
    for (const row of hidden) {
      expect(row.runs).toEqual([
        [0, 0, "sent"],
        [1, 1, "hidden", foldId],
      ]);
      expect(row).toMatchObject({ nowFoldId: foldId, label: expect.stringContaining("speaks of apples") });
    }
    expect(body.folds).toEqual([{ foldId, kind: "condense", request: 1, cause: "hand", isHeld: true }]);
    expect(rows.at(-1)).toMatchObject({ standIn: true, kind: "summary", foldId, runs: [[1, 1, "stand-in", foldId]] });
    const part = (await api.get("/sessions/a/strata?fromMessage=2&toMessage=5&fromRequest=1&toRequest=2")).body;
    expect(part.messages.rows.map(({ index }: { index: number }) => index)).toEqual([2, 3, 4]);
    expect(part.requests.columns.map(({ index }: { index: number }) => index)).toEqual([1]);
    for (const { runs } of part.messages.rows) for (const [first, last] of runs) expect([first, last]).toEqual([1, 1]);
    expect((await api.get("/sessions/a/strata?fromMessage=99&fromRequest=99")).body).toMatchObject({
      messages: { from: 13, rows: [] },
      requests: { from: 2, columns: [] },
    });
  });

  test("show the blocks of a message where they are asked for: a cleared result beside a text that is sent", async () => {
    const call = { type: "tool_use", id: "t", name: "read", input: { path: "a.ts" } } as const;
    const result = { type: "tool_result", tool_use_id: "t", content: "apples ".repeat(900) } as const;
    await session.append(say(0), { id: "call", role: "assistant", content: [call] });
    await session.append({ id: "result", role: "user", content: [result, { type: "text", text: "Go on." }] });
    await ask();
    await session.clearResults(["result"]);
    await ask();
    const [fold] = await session.folds();
    const foldId = fold?.foldId;
    const folded = (await api.get("/sessions/a/strata")).body.messages.rows;
    expect(folded.map(({ blockCount }: { blockCount?: number }) => blockCount)).toEqual([undefined, undefined, 2]);
    expect(folded[2]).not.toHaveProperty("blocks");
    const [, row] = (await api.get("/sessions/a/strata?expand=0,2&fromMessage=1")).body.messages.rows;
    expect(row).toMatchObject({
      index: 2,
      nowState: "stand-in",
      runs: [
        [0, 0, "sent"],
        [1, 1, "stand-in", foldId],
      ],
    });
    expect(row.blocks).toMatchObject([
      {
        kind: "tool-result",
        nowState: "stand-in",
        nowFoldId: foldId,
        runs: [
          [0, 0, "sent"],
          [1, 1, "stand-in", foldId],
        ],
      },
      { kind: "text", label: "Go on.", nowState: "sent", runs: [[0, 1, "sent"]] },
    ]);
    expect((await api.get("/sessions/a/strata?expand=2,x")).status).toBe(400);
  });

  test("keep what was rewound, and say so", async () => {
    await session.append(say(0), say(1));
    await ask();
    await session.append(say(2), say(3));
    await ask();
    await session.rewind({ toMessage: "m1" });
    await ask();
    const { body } = await api.get("/sessions/a/strata");
    const rewound = body.messages.rows.find(({ id }: { id: string }) => id === "m3");
    expect(rewound).toMatchObject({ isRewound: true, runs: [[1, 1, "sent"]] });
    expect(rewound).not.toHaveProperty("nowState");
  });
});

describe("two requests", () => {
  test("of which the second goes on share all of the first, and nobody is to blame", async () => {
    await session.append(say(0));
    await ask();
    await session.append(say(1), say(2));
    await ask();
    const { body } = await api.get("/sessions/a/requests/0/diff/1");
    expect(body).toMatchObject({ a: 0, b: 1, isSame: false, cause: "none", first: { where: "end", item: 0 } });
    expect((await api.get("/sessions/a/requests/0/diff/0")).body).toMatchObject({ isSame: true, cause: "none" });
  });

  test("tell the fold that made them differ, and where", async () => {
    const foldId = await foldedSession();
    expect((await api.get("/sessions/a/requests")).body.requests).toMatchObject([
      { shownFoldIds: [] },
      { shownFoldIds: [foldId] },
    ]);
    const { body } = await api.get("/sessions/a/requests/0/diff/1");
    expect(body).toMatchObject({ cause: "us", foldId, first: { where: "message", field: "messages" } });
    expect(body.sentence).toContain(foldId);
    const [one, other] = [await api.get("/sessions/a/requests/0/body"), await api.get("/sessions/a/requests/1/body")];
    expect(one.body.slice(0, body.sharedBytes)).toBe(other.body.slice(0, body.sharedBytes));
    expect(one.body[body.sharedBytes]).not.toBe(other.body[body.sharedBytes]);
    expect(body.first.a).toContain(one.body.slice(body.sharedBytes, body.sharedBytes + 30));
  });

  test("tell the field that the agent changed", async () => {
    await session.append(say(0));
    await ask(bodyOf([say(0)]));
    await ask(bodyOf([say(0)], { system: "Be long." }));
    const { body } = await api.get("/sessions/a/requests/0/diff/1");
    expect(body).toMatchObject({ cause: "agent", first: { where: "fields", field: "system" } });
  });

  test.each([
    ["tools", { tools: [{ name: "write" }] }, "agent", "The agent changed its tools, which "],
    ["system", { system: "Be long." }, "agent", "The agent changed its system prompt, which "],
    ["tools", { tools: [{ name: "read" }, { name: "recall" }] }, "us", "The gateway put its recall tool "],
  ])(
    "tell of changed %s that stand behind the messages: the provider reads them before these (%j)",
    async (_, changed, cause, said) => {
      const sent = (count: number, fields: object) => {
        const { system, messages } = JSON.parse(bodyOf(Array.from({ length: count }, (_, index) => say(index))));
        return JSON.stringify({ messages, system, tools: [{ name: "read" }], ...fields });
      };
      await session.append(...Array.from({ length: 17 }, (_, index) => say(index)));
      await ask(sent(15, {}), 2_500);
      await ask(sent(17, changed));
      const { body } = await api.get("/sessions/a/requests/0/diff/1");
      expect(body).toMatchObject({ cause, first: { where: "end" }, sentence: expect.stringMatching(`^${said}`) });
      // A mark for the cache changes nothing that the provider reads.
      await ask(sent(17, { tools: [{ name: "read", cache_control: { type: "ephemeral" } }] }));
      expect((await api.get("/sessions/a/requests/0/diff/2")).body.cause).toBe("none");
    },
  );

  test("of which the provider lost what both share say so", async () => {
    await session.append(...Array.from({ length: 15 }, (_, index) => say(index)));
    await ask(undefined, 2_500);
    await ask(undefined, 2_500);
    await ask();
    expect((await api.get("/sessions/a/requests/0/diff/1")).body.cause).toBe("none");
    const { body } = await api.get("/sessions/a/requests/1/diff/2");
    expect(body).toMatchObject({ isSame: true, cause: "provider", provider: { cacheReadTokens: 0 } });
    expect(body.sentence).toContain("should still have had them");
  });

  test("cannot be compared where one is not kept", async () => {
    await session.append(say(0));
    await ask();
    await session.recordRequest({ usage: { inputTokens: 1 } });
    const { status, body } = await api.get("/sessions/a/requests/0/diff/1");
    expect(status).toBe(404);
    expect(body.error.message).toContain("is not kept");
  });
});

describe("whole sessions", () => {
  test("are found by what was said in them, with their place", async () => {
    const foldId = await foldedSession();
    await (await api.engine.session("b")).append({ id: "x", role: "user", content: "Oranges are round." });
    const { body } = await api.get("/search?q=apples");
    expect(body.hits[0]).toMatchObject({ sessionId: "a", text: expect.stringContaining("apples") });
    const states = new Set(body.hits.map(({ state }: { state: string }) => state));
    expect(states.has("hidden")).toBe(true);
    expect(body.hits.find(({ state }: { state: string }) => state === "hidden")).toMatchObject({ foldId });
    const oranges = (await api.get("/search?q=oranges&limit=1")).body.hits;
    expect(oranges).toMatchObject([{ sessionId: "b", messageId: "x", row: 0, state: "shown" }]);
    expect((await api.get("/search")).status).toBe(400);
  });

  test("are a tree of branches and sub-agents, with titles", async () => {
    for (const id of ["agent:1", "agent:1~b", "agent:1/sub", "other~c"]) {
      await (await api.engine.session(id)).append({ role: "user", content: `The task\n of ${id}` });
    }
    const { body } = await api.get("/session-tree");
    const byId = Object.fromEntries(body.sessions.map((each: { id: string }) => [each.id, each]));
    expect(byId["agent:1~b"]).toMatchObject({
      parentId: "agent:1",
      relation: "branch",
      title: "The task of agent:1~b",
    });
    expect(byId["agent:1/sub"]).toMatchObject({ parentId: "agent:1", relation: "sub-agent" });
    expect(byId["other~c"]).not.toHaveProperty("parentId");
    expect((await api.get("/sessions")).body.sessions[0].title).toBe("The task of other~c");
  });

  test("tell their rewinds in the tree, also those that were taken back", async () => {
    await session.append(say(0), say(1));
    await session.append(say(2), say(3), say(4));
    await session.rewind({ toMessage: "m1" });
    await session.rewind({ undo: true });
    await session.rewind({ toMessage: "m3" });
    await (await api.engine.session("b")).append({ role: "user", content: "About a palimpsest:rewind." });
    const { body } = await api.get("/session-tree");
    const [b, a] = body.sessions;
    expect(b).toMatchObject({ id: "b" });
    expect(b).not.toHaveProperty("rewinds");
    expect(a.rewinds).toMatchObject([
      { isUndo: false, messages: 1 },
      { isUndo: true, messages: 0 },
      { isUndo: false, messages: 3, at: expect.any(Number) },
    ]);
    expect(a.rewinds[1].toVersion).toBe(a.rewinds[2].version - 1);
  });

  test("are verified and exported", async () => {
    await session.append(say(0), say(1));
    expect((await api.get("/sessions/a/verify")).body).toMatchObject({ type: "intact", messages: 2 });
    const { body, headers } = await api.get("/sessions/a/export");
    expect(headers.get("content-disposition")).toContain("a.json");
    const imported = await api.engine.importSession(body, { id: "copy" });
    expect(await imported.log()).toEqual(await session.log());
  });
});

describe("findings", () => {
  const read = (id: string): readonly Message[] => [
    { role: "assistant", content: [{ type: "tool_use", id, name: "Read", input: { file_path: "a.ts" } }] },
    { id: `r${id}`, role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "word ".repeat(400) }] },
  ];

  test("say what they cost, and have a call that acts, or a reason why not", async () => {
    await session.append({ id: "task", role: "user", content: "Begin." }, ...read("1"), ...read("2"));
    await session.append(...Array.from({ length: 12 }, (_, index) => say(index + 1)));
    const tools = [
      { name: "Read", input_schema: {} },
      { name: "Draw", input_schema: {} },
    ];
    session.usePrompt({ tools });
    for (let count = 0; count < 10; count++) await ask(bodyOf(await session.view(), { tools }));
    const { body } = await api.get("/sessions/a/findings");
    expect(body.findings.map(({ kind }: { kind: string }) => kind)).toEqual(["repeated-read", "unused-tools"]);
    const [repeated, unused] = body.findings;
    expect(repeated).toMatchObject({ messageIds: ["r1"], names: ["a.ts"], per: "request" });
    expect(repeated.usd).toBeGreaterThan(0);
    expect(unused).toMatchObject({ names: ["Draw"], noAction: expect.stringContaining("agent") });
    const { method, path, body: sent } = repeated.action;
    const acted = await api.send(method, path.replace("/palimpsest/api", ""), sent);
    expect(acted.body).toMatchObject({ foldId: expect.stringMatching(/^clear-/), blocks: 1 });
    expect(acted.body.hiddenTokens).toBeGreaterThan(350);
    expect((await session.events()).at(-1)).toMatchObject({ type: "blocks_folded", foldIds: [acted.body.foldId] });
    expect(
      (await api.get("/sessions/a/findings")).body.findings.map(({ kind }: { kind: string }) => kind),
    ).not.toContain("repeated-read");
  });

  test("cannot be acted on where nothing is left to hide, and the reply says so", async () => {
    await session.append({ id: "task", role: "user", content: "Begin." }, ...read("1"));
    const clear = (messageIds: readonly string[]) => api.send("POST", "/sessions/a/clear", { messageIds });
    const before = await session.version();
    expect((await clear(["task"])).body).toMatchObject({
      blocks: 0,
      hiddenTokens: 0,
      error: expect.stringContaining("Nothing was hidden"),
    });
    expect(await session.version()).toBe(before);
    expect((await clear(["r9"])).status).toBe(404);
    expect((await clear([])).status).toBe(400);
    expect((await clear(["r1"])).body).toMatchObject({ blocks: 1 });
    expect((await clear(["r1"])).body).toMatchObject({ blocks: 0 });
  });

  test("of a session without requests are none", async () => {
    await session.append(say(0));
    expect((await api.get("/sessions/a/findings")).body).toEqual({ findings: [] });
  });
});
