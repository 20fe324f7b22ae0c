import { describe, expect, test } from "vitest";
import { asking, gatewayTurns, steps } from "../../../test/support/gateway-turns.ts";
import { isStandIn } from "../../core/message/effective-view.ts";
import type { Store } from "../../core/ports/store.ts";
import { memoryStore } from "../../stores/memory/index.ts";
import type { AgentRequest } from "../turn.ts";

const sessionIds = async ({ engine }: ReturnType<typeof gatewayTurns>) =>
  (await engine.sessions({ limit: 1_000 })).map(({ id }) => id).toSorted();

const logLength = async ({ engine }: ReturnType<typeof gatewayTurns>, id: string) =>
  (await (await engine.session(id)).log()).filter((message) => !isStandIn(message)).length;

const CHAT_TOOLS = [{ type: "function", function: { name: "read", parameters: { type: "object" } } }];

/** The same as `steps`, as Chat Completions has it. */
function chatSteps(id: string, count: number): readonly unknown[] {
  const messages: unknown[] = [{ role: "user", content: "Fix the login test." }];
  for (let step = 0; step < count; step++) {
    const call = { id: `call-${id}-of-step-${step}`, type: "function", function: { name: "read", arguments: "{}" } };
    messages.push(
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: call.id, content: `what ${id} reads in step ${step}` },
    );
  }
  return messages;
}

/** A store whose search of this number waits for `release`. @default none waits */
function countedSearches(held?: number) {
  const store = memoryStore();
  let reach = () => {};
  let release = () => {};
  const reached = new Promise<void>((resolve) => (reach = resolve));
  const released = new Promise<void>((resolve) => (release = resolve));
  let count = 0;
  const search: Store["search"] = async (...values) => {
    count += 1;
    if (count === held) {
      reach();
      await released;
    }
    return store.search(...values);
  };
  return { store: { ...store, search }, count: () => count, reached, release: () => release() };
}

const MINE = { "x-palimpsest-session": "mine" };

describe("a conversation that grows", () => {
  test("goes as it came, and is kept message by message in one session", async () => {
    const gateway = gatewayTurns();
    for (let count = 0; count <= 5; count++) {
      const turn = await gateway.exchange(asking(steps("a", count), { headers: MINE }));
      expect(turn.body).toBeUndefined();
      expect(turn.headers()["x-palimpsest-session"]).toBe("mine");
    }
    expect(await sessionIds(gateway)).toEqual(["mine"]);
    expect(await logLength(gateway, "mine")).toBe(11);
    expect(gateway.incidents).toEqual([]);
  });

  test("is recognised without any name, by what was said", async () => {
    const gateway = gatewayTurns();
    for (let count = 0; count <= 3; count++) await gateway.exchange(asking(steps("a", count)));
    const [id = "", ...others] = await sessionIds(gateway);
    expect(others).toEqual([]);
    expect(await logLength(gateway, id)).toBe(7);
  });

  test("is the same one whether a message comes as text or as a block with a mark for the cache", async () => {
    const gateway = gatewayTurns();
    const [opening, ...rest] = steps("a", 2);
    await gateway.exchange(asking([opening, ...rest].flatMap((each) => each ?? [])));
    const marked = [{ type: "text", text: "Fix the login test.", cache_control: { type: "ephemeral" } }];
    await gateway.exchange(asking([{ role: "user", content: marked }, ...steps("a", 3).slice(1)]));
    expect(await sessionIds(gateway)).toHaveLength(1);
  });

  test("a step that is sent again changes nothing", async () => {
    const gateway = gatewayTurns();
    for (let tries = 0; tries < 3; tries++) await gateway.exchange(asking(steps("a", 3), { headers: MINE }));
    await Promise.all([1, 2, 3].map(() => gateway.exchange(asking(steps("a", 4), { headers: MINE }))));
    expect(await logLength(gateway, "mine")).toBe(9);
    expect(gateway.incidents).toEqual([]);
  });

  test("an older step that is sent again late leaves what came since alone", async () => {
    const gateway = gatewayTurns();
    for (const count of [1, 2, 3]) await gateway.exchange(asking(steps("a", count), { headers: MINE }));
    const late = await gateway.exchange(asking(steps("a", 1), { headers: MINE }));
    expect(late.body).toBeUndefined();
    expect(await logLength(gateway, "mine")).toBe(7);
  });
});

describe("a conversation that does not fit", () => {
  test("is folded, and each later request begins with the same bytes until it is folded again", async () => {
    const gateway = gatewayTurns({ window: 16_000 });
    const bodies: string[] = [];
    for (let count = 0; count <= 40; count++) {
      const request = asking(steps("a", count, { resultLength: 2_000 }), { headers: MINE });
      const turn = await gateway.exchange(request);
      bodies.push(turn.body ?? String(request.body));
      expect(Number(turn.headers()["x-palimpsest-tokens-sent"])).toBeLessThan(16_000 * 0.9);
    }
    const foldings = gateway.activities.filter((each) => each.type === "request" && each.foldIds.length > 0).length;
    const breaks = bodies.filter((body, index) => {
      const before = bodies[index - 1] ?? "";
      return index > 0 && !body.startsWith(before.slice(0, before.lastIndexOf("]}")));
    });
    const told = gateway.activities.filter((each) => each.type === "session" && each.change === "folded").length;
    expect(foldings).toBeGreaterThan(1);
    expect(told).toBe(foldings);
    expect(breaks.length).toBeLessThanOrEqual(foldings);
    expect(await logLength(gateway, "mine")).toBe(81);
    expect(gateway.incidents).toEqual([]);
  });

  test("goes on with the same folds in another gateway that has the store", async () => {
    const first = gatewayTurns({ window: 16_000 });
    const second = gatewayTurns({ window: 16_000, store: first.store });
    let before = "";
    for (let count = 0; count <= 30; count++) {
      const request = asking(steps("a", count, { resultLength: 2_000 }));
      await (count % 2 === 0 ? first : second).exchange(request);
      const again = await (count % 2 === 0 ? second : first).exchange(request);
      const once = await (count % 2 === 0 ? first : second).exchange(request);
      expect(again.body).toBe(once.body);
      before = again.body ?? "";
    }
    expect(before.includes("Ledger of the earlier conversation")).toBe(true);
    expect(await sessionIds(first)).toHaveLength(1);
  });

  test("a refusal upstream teaches the window, and what is sent then is shorter", async () => {
    const gateway = gatewayTurns();
    const request = asking(steps("a", 30, { resultLength: 2_000 }), { headers: MINE });
    const turn = await gateway.turns.begin(request);
    expect(turn?.body).toBeUndefined();
    const shorter = await turn?.shorten({ by: "tokens", limitTokens: 10_000, promptTokens: 22_000 });
    expect(shorter?.length).toBeLessThan(request.body.length / 2);
    turn?.end({ status: 200, isComplete: true });
    const next = await gateway.exchange(asking(steps("a", 31, { resultLength: 2_000 }), { headers: MINE }));
    expect(Number(next.headers()["x-palimpsest-tokens-sent"])).toBeLessThan(10_000);
  });

  test("a budget that the request sets is kept", async () => {
    const gateway = gatewayTurns();
    const headers = { ...MINE, "x-palimpsest-budget": "6000" };
    const turn = await gateway.exchange(asking(steps("a", 20, { resultLength: 2_000 }), { headers }));
    expect(Number(turn.headers()["x-palimpsest-tokens-sent"])).toBeLessThanOrEqual(6_000);
    expect(Number(turn.headers()["x-palimpsest-tokens-in"])).toBeGreaterThan(12_000);
  });
});

describe("two conversations are never mixed", () => {
  test("though they begin with the same words and nobody names them", async () => {
    const gateway = gatewayTurns({ window: 16_000 });
    for (let count = 0; count <= 30; count++) {
      for (const id of ["a", "b", "c"]) {
        const turn = await gateway.exchange(asking(steps(id, count, { resultLength: 2_000 })));
        for (const other of ["a", "b", "c"].filter((each) => each !== id)) {
          expect(turn.body ?? "").not.toContain(`call-${other}-`);
          expect(turn.body ?? "").not.toContain(`src/${other}-`);
        }
      }
    }
    const ids = await sessionIds(gateway);
    const lengths = await Promise.all(ids.map((id) => logLength(gateway, id)));
    expect(lengths.filter((length) => length === 61)).toHaveLength(3);
    expect(gateway.incidents).toEqual([]);
  });

  test("though they are of one agent's session: a sub-agent has a session of its own", async () => {
    const gateway = gatewayTurns();
    const headers = { "x-claude-code-session-id": "s1" };
    for (let count = 0; count <= 3; count++) {
      await gateway.exchange(asking(steps("main", count), { headers }));
      await gateway.exchange(asking(steps("sub", count, { opening: "Look for the cause in the cache." }), { headers }));
    }
    const ids = await sessionIds(gateway);
    expect(ids).toHaveLength(2);
    expect(ids[0]).toBe("claude-code:s1");
    expect(await Promise.all(ids.map((id) => logLength(gateway, id)))).toEqual([7, 7]);
  });

  test("nor are those of two agents that say the same under different names", async () => {
    const gateway = gatewayTurns();
    for (const name of ["one", "two"]) {
      for (let count = 0; count <= 2; count++) {
        await gateway.exchange(asking(steps("a", count), { headers: { "x-session-id": name } }));
      }
    }
    expect(await sessionIds(gateway)).toEqual(["session:one", "session:two"]);
  });
});

test("a long conversation that comes for the first time is taken in parts, and is whole and in order", async () => {
  const gateway = gatewayTurns({ window: 2_000_000 });
  const messages = steps("a", 100, { resultLength: 5_000 });
  await gateway.exchange(asking(messages, { headers: MINE }));
  const log = (await (await gateway.engine.session("mine")).log()).filter((message) => !isStandIn(message));
  expect(log.map(({ id }) => id)).toEqual(messages.map((_, index) => `m${index}`));
  expect(log.map(({ content }) => content)).toEqual(messages.map(({ content }) => content));
  const changed = gateway.activities.flatMap((each) => (each.type === "session" ? [each.change] : []));
  // At last it is folded, for it costs less so.
  expect(changed.at(-1)).toBe("folded");
  const changes = changed.slice(0, -1);
  expect(changes.length).toBeGreaterThan(3);
  expect(new Set(changes.slice(1))).toEqual(new Set(["appended"]));
  expect(changes[0]).toBe("created");
});

describe("a key for caches", () => {
  test("that is another one the next day does not hide the session", async () => {
    const gateway = gatewayTurns();
    const request = (count: number, key: string, id = "a"): AgentRequest => ({
      ...asking([]),
      api: "openai-chat",
      path: "/v1/chat/completions",
      body: Buffer.from(
        JSON.stringify({ model: "gpt-5", prompt_cache_key: key, tools: CHAT_TOOLS, messages: chatSteps(id, count) }),
      ),
    });
    for (const [count, key] of [
      [1, "monday"],
      [2, "monday"],
      [3, "tuesday"],
    ] as const) {
      await gateway.exchange(request(count, key));
    }
    await gateway.exchange(request(2, "tuesday", "b"));
    const ids = await sessionIds(gateway);
    expect(ids).toHaveLength(2);
    expect(await logLength(gateway, "key:monday")).toBe(7);
  });
});

describe("side calls", () => {
  test("titles are written to no log", async () => {
    const gateway = gatewayTurns();
    const headers = { "x-session-id": "s" };
    const title = asking([{ role: "user", content: "A title for: Fix the login test." }], { headers, tools: [] });
    const before = await gateway.exchange(title);
    await gateway.exchange(asking(steps("a", 2), { headers }));
    const after = await gateway.exchange(title);
    expect([before, after].map((turn) => turn.headers()["x-palimpsest-session"])).toEqual([undefined, undefined]);
    expect(await sessionIds(gateway)).toEqual(["session:s"]);
    expect(await logLength(gateway, "session:s")).toBe(5);
  });

  test("the agent's own summary sees the folded history, and the log does not see its question", async () => {
    const gateway = gatewayTurns({ window: 16_000 });
    for (let count = 0; count <= 30; count++) {
      await gateway.exchange(asking(steps("a", count, { resultLength: 2_000 }), { headers: MINE }));
    }
    const question = { role: "user", content: "Summarise all of it." } as const;
    const messages = [
      ...steps("a", 30, { resultLength: 2_000 }),
      { role: "assistant", content: "Done." } as const,
      question,
    ];
    const request = asking(messages, { headers: MINE, tools: [] });
    const turn = await gateway.exchange(request);
    expect(turn.body?.length).toBeLessThan(request.body.length);
    expect(turn.body).toContain("Summarise all of it.");
    expect(await logLength(gateway, "mine")).toBe(62);
  });

  test("a question on the side that does not fit is folded to the same bytes each time, also twice at once", async () => {
    const gateway = gatewayTurns({ window: 16_000 });
    const question = { role: "user", content: "Summarise all of it." } as const;
    const request = asking([...steps("a", 40, { resultLength: 2_000 }), question], { tools: [] });
    const [one, other] = await Promise.all([gateway.exchange(request), gateway.exchange(request)]);
    const again = await gateway.exchange(request);
    expect(one.body?.length).toBeLessThan(request.body.length);
    expect([other.body, again.body]).toEqual([one.body, one.body]);
    expect(gateway.incidents).toEqual([]);
  });

  test("a request that is sent twice at once is no side call of its twin, however late the store answers", async () => {
    const question = { role: "user", content: "Summarise all of it." } as const;
    const request = asking([...steps("a", 40, { resultLength: 2_000 }), question], { tools: [] });
    const lone = countedSearches();
    await gatewayTurns({ window: 16_000, store: lone.store }).exchange(request);
    expect(lone.count()).toBeGreaterThan(0);
    // The last search of one asks whether it quotes a conversation: by then the other has been recorded as one.
    const twins = countedSearches(lone.count());
    const gateway = gatewayTurns({ window: 16_000, store: twins.store });
    const late = gateway.exchange(request);
    await twins.reached;
    const early = await gateway.exchange(request);
    twins.release();
    expect((await late).headers()["x-palimpsest-session"]).toBe(early.headers()["x-palimpsest-session"]);
    expect((await late).body).toBe(early.body);
    expect(gateway.incidents).toEqual([]);
  });

  test("a result that comes in one message with a summary's question is kept, and the question is not", async () => {
    const gateway = gatewayTurns();
    await gateway.exchange(asking(steps("a", 3), { headers: MINE }));
    const history = steps("a", 4);
    const last = history.at(-1);
    const results = Array.isArray(last?.content) ? last.content : [];
    const wish = { type: "text", text: "Please provide a concise summary of our conversation so far." };
    await gateway.exchange(
      asking([...history.slice(0, -1), { role: "user", content: [...results, wish] }], { headers: MINE }),
    );
    const log = await (await gateway.engine.session("mine")).log();
    expect(log).toHaveLength(history.length);
    expect(log.at(-1)?.content).toEqual(results);
    await gateway.exchange(asking(steps("a", 5), { headers: MINE }));
    expect(await (await gateway.engine.session("mine")).log()).toHaveLength(steps("a", 5).length);
    expect(await sessionIds(gateway)).toEqual(["mine"]);
  });

  test("what only a summary's question shows is kept, and the question is not", async () => {
    const gateway = gatewayTurns();
    await gateway.exchange(asking(steps("a", 3), { headers: MINE }));
    const question = { role: "user", content: "CRITICAL: Respond with TEXT ONLY. Sum it up." } as const;
    const last = { role: "assistant", content: "One moment." } as const;
    const turn = await gateway.exchange(asking([...steps("a", 4), last, question], { headers: MINE }));
    expect(turn.headers()["x-palimpsest-session"]).toBeUndefined();
    expect(await logLength(gateway, "mine")).toBe(10);
    const log = JSON.stringify(await (await gateway.engine.session("mine")).log());
    const kept = ["The secret of a in step 3", "One moment", "Sum it up"].map((words) => log.includes(words));
    expect(kept).toEqual([true, true, false]);
  });

  test("counting tokens counts what would be sent, and writes nothing", async () => {
    const gateway = gatewayTurns({ window: 16_000 });
    for (let count = 0; count <= 30; count++) {
      await gateway.exchange(asking(steps("a", count, { resultLength: 2_000 }), { headers: MINE }));
    }
    const path = "/v1/messages/count_tokens";
    const request = asking(steps("a", 31, { resultLength: 2_000 }), { headers: MINE, path });
    const turn = await gateway.exchange(request);
    expect(turn.body?.length).toBeLessThan(request.body.length);
    expect(await logLength(gateway, "mine")).toBe(61);
  });
});

describe("a history that is not what it was", () => {
  test("a person who goes back and says something else takes the session back", async () => {
    const gateway = gatewayTurns();
    await gateway.exchange(asking(steps("a", 5), { headers: MINE }));
    const other = [
      ...steps("a", 2),
      { role: "assistant", content: "Hm." } as const,
      { role: "user", content: "Stop. Try the cache!" } as const,
    ];
    await gateway.exchange(asking(other, { headers: MINE }));
    expect(await sessionIds(gateway)).toEqual(["mine"]);
    expect(await logLength(gateway, "mine")).toBe(7);
    const session = await gateway.engine.session("mine");
    await session.rewind({ undo: true });
    expect(await logLength(gateway, "mine")).toBe(11);
  });

  test("whoever goes on with what was taken back gets it back, as a branch", async () => {
    const gateway = gatewayTurns();
    await gateway.exchange(asking(steps("a", 3), { headers: MINE }));
    const fork = [...steps("a", 2), ...steps("fork", 2).slice(1)];
    await gateway.exchange(asking(fork, { headers: MINE }));
    await gateway.exchange(asking(steps("a", 4), { headers: MINE }));
    await gateway.exchange(asking([...fork, ...steps("more", 1).slice(1)], { headers: MINE }));
    const ids = await sessionIds(gateway);
    expect(ids).toHaveLength(2);
    expect((await Promise.all(ids.map((id) => logLength(gateway, id)))).toSorted()).toEqual([11, 9]);
    expect(gateway.incidents).toEqual([]);
  });

  test("after the agent's own compaction there is a session beside the old one, which stays whole", async () => {
    const gateway = gatewayTurns();
    const headers = { "x-claude-code-session-id": "s1" };
    await gateway.exchange(asking(steps("a", 5), { headers }));
    const compacted = [
      { role: "user", content: "Summary of what came before: all is well." } as const,
      ...steps("b", 2).slice(1),
    ];
    await gateway.exchange(asking(compacted, { headers }));
    const ids = await sessionIds(gateway);
    expect(ids).toHaveLength(2);
    expect(await logLength(gateway, "claude-code:s1")).toBe(11);
  });

  test("a reminder in the last message that is gone in the next request keeps the folds", async () => {
    const gateway = gatewayTurns({ window: 16_000 });
    const messages = (count: number, isReminded: boolean) => {
      const all = [...steps("a", count, { resultLength: 2_000 })];
      const last = all.pop();
      const content = Array.isArray(last?.content) ? last.content : [{ type: "text", text: last?.content }];
      const reminder = { type: "text", text: "<reminder>The todo list is empty.</reminder>" };
      return [...all, { role: "user", content: isReminded ? [...content, reminder] : content } as const];
    };
    let foldings = 0;
    for (let count = 0; count <= 30; count++) {
      const turn = await gateway.exchange(asking(messages(count, true), { headers: MINE }));
      if (turn.body !== undefined) foldings += 1;
    }
    const made = gateway.activities.filter((each) => each.type === "request" && each.foldIds.length > 0).length;
    expect(foldings).toBeGreaterThan(10);
    expect(made).toBeLessThan(6);
    expect(await logLength(gateway, "mine")).toBe(61);
    expect(gateway.incidents).toEqual([]);
  });
});

describe("where something of ours fails", () => {
  test("the request goes as it came, and the failure is told", async () => {
    const working = gatewayTurns();
    const broken = {
      ...working.store,
      find: () => Promise.reject(new Error("disk")),
      open: () => Promise.reject(new Error("disk")),
    };
    const gateway = gatewayTurns({ store: broken });
    const turn = await gateway.exchange(asking(steps("a", 2), { headers: MINE }));
    expect(turn.body).toBeUndefined();
    expect(gateway.incidents.length).toBeGreaterThan(0);
  });
});
