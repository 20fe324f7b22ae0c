/** Requests of one conversation that come at the same time, at one gateway or at two. */
import { describe, expect, test } from "vitest";
import { memoryStore } from "../../src/stores/memory/index.ts";
import { asking, gatewayTurns, steps, type WireMessage } from "../support/gateway-turns.ts";
import { disturbStore, interceptStore } from "../support/intercepted-store.ts";
import { asks, logTexts, MINE, quiet, replies, sendMine, sessionIds, sessionOf } from "./gateway-examples.ts";

const LONG = { resultLength: 2_000 };

describe("at the same time", () => {
  test("the first requests of two agents that begin alike are named after their own sessions", async () => {
    const gateway = gatewayTurns();
    const turns = await Promise.all(["a", "b"].map((id) => gateway.exchange(asking(steps(id, 2)))));
    await quiet();
    const [one = "", other = ""] = turns.map(sessionOf);
    expect((await logTexts(gateway, one)).join()).not.toContain("call-b");
    expect((await logTexts(gateway, other)).join()).not.toContain("call-a");
    expect(gateway.incidents).toEqual([]);
  });

  test("a step and the one before it end in one log, and nothing has failed", async () => {
    const gateway = gatewayTurns();
    await Promise.all([3, 2].map((count) => sendMine(gateway, steps("a", count))));
    await quiet();
    expect(await sessionIds(gateway)).toEqual(["mine"]);
    expect(await logTexts(gateway, "mine")).toHaveLength(7);
    expect(gateway.incidents).toEqual([]);
  });

  test("the same at two gateways, where folds are needed: both requests fit", async () => {
    const first = gatewayTurns({ window: 16_000 });
    const second = gatewayTurns({ window: 16_000, store: first.store });
    for (let count = 0; count <= 20; count++) await sendMine(first, steps("a", count, LONG));
    const both = [sendMine(second, steps("a", 22, LONG)), sendMine(first, steps("a", 21, LONG))];
    for (const turn of await Promise.all(both)) {
      expect(Number(turn.headers()["x-palimpsest-tokens-sent"])).toBeLessThan(16_000 * 0.9);
    }
    await quiet();
    expect([...first.incidents, ...second.incidents]).toEqual([]);
    expect(await logTexts(first, "mine")).toHaveLength(45);
  });

  test("two continuations of one conversation never get each other's words", async () => {
    const gateway = gatewayTurns({ window: 16_000 });
    for (let count = 0; count <= 20; count++) await sendMine(gateway, steps("a", count, LONG));
    const prefix = steps("a", 18, LONG);
    for (let count = 1; count < 12; count++) {
      const send = (id: string) => sendMine(gateway, [...prefix, ...steps(id, count, LONG).slice(1)]);
      const [x, y] = await Promise.all([send("x"), send("y")]);
      expect(x?.body ?? "").not.toContain("src/y-");
      expect(y?.body ?? "").not.toContain("src/x-");
      expect((await logTexts(gateway, sessionOf(x))).join()).not.toContain("src/y-");
      expect((await logTexts(gateway, sessionOf(y))).at(-1)).toContain(`secret of y in step ${count - 1}`);
    }
    expect(gateway.incidents).toEqual([]);
  });

  test("words that the agent changed do not land in what another gateway made of the session meanwhile", async () => {
    const store = memoryStore();
    const disturbed = disturbStore(store);
    const [first, second] = [gatewayTurns({ store: disturbed }), gatewayTurns({ store })];
    const all = steps("a", 5);
    await sendMine(first, all);
    const changed = {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "call-a-3", content: "[cleared]" }],
    } as const;
    const fork = [...steps("a", 2), ...steps("fork", 4).slice(1)];
    for (const call of ["acquireLock", "append"] as const) disturbed.disturbNext(call, () => sendMine(second, fork));
    const more = [...all.map((message, place) => (place === 8 ? changed : message)), ...steps("z", 1).slice(1)];
    const turn = await sendMine(first, more);
    await quiet();
    const log = await logTexts(first, sessionOf(turn));
    expect(log).toHaveLength(13);
    expect(log.join()).not.toContain("fork");
    expect(log.at(-1)).toContain("secret of z");
  });
});

describe("a turn that ends while it is shortened", () => {
  test("holds its session no longer: whoever goes back takes it back", async () => {
    const gateway = gatewayTurns();
    const turn = await gateway.turns.begin(asking(steps("a", 30, LONG), { headers: MINE }));
    const shortening = turn?.shorten({ by: "tokens", limitTokens: 10_000 });
    turn?.end({ status: undefined, isComplete: false });
    await shortening;
    await quiet();
    await sendMine(gateway, [...steps("a", 20, LONG), replies("Hm."), asks("Stop.")]);
    expect(await sessionIds(gateway)).toEqual(["mine"]);
  });
});

describe("a request that is too long while the store fails", () => {
  test("is shortened all the same", async () => {
    let isFailing = false;
    const before = () => {
      if (isFailing) throw new Error("disk");
    };
    const gateway = gatewayTurns({ store: interceptStore(memoryStore(), { before }) });
    const request = asking(steps("a", 30, LONG), { headers: MINE });
    const turn = await gateway.turns.begin(request);
    await quiet();
    isFailing = true;
    const shorter = await turn?.shorten({ by: "tokens", limitTokens: 10_000 });
    expect(shorter?.length).toBeLessThan(request.body.length / 2);
    turn?.end({ status: 200, isComplete: true });
    await quiet();
  });
});

describe("a session that comes and goes", () => {
  test("is begun anew where it was deleted elsewhere", async () => {
    const gateway = gatewayTurns();
    const elsewhere = gatewayTurns({ store: gateway.store });
    await sendMine(gateway, steps("a", 2));
    await elsewhere.engine.deleteSession("mine");
    for (const count of [3, 4, 5]) await sendMine(gateway, steps("a", count));
    await quiet();
    expect(await logTexts(elsewhere, "mine")).toHaveLength(11);
    expect(gateway.incidents.length).toBeLessThanOrEqual(1);
  });

  test("keeps its log when many agents share a gateway that holds one session open", async () => {
    const gateway = gatewayTurns({ window: 16_000, maxOpenSessions: 1 });
    const names = ["a", "b", "c", "d"];
    for (let count = 0; count <= 22; count += 2) {
      const send = (id: string) =>
        gateway.exchange(asking(steps(id, count, { ...LONG, opening: id }), { headers: { "x-session-id": id } }));
      const turns = await Promise.all(names.map(send));
      expect(turns.map(sessionOf)).toEqual(names.map((id) => `session:${id}`));
      for (const id of names) expect(await logTexts(gateway, `session:${id}`)).toHaveLength(2 * count + 1);
    }
    expect(gateway.incidents).toEqual([]);
  });

  test("grows by what is new where two continuations alternate, also when it was closed in between", async () => {
    const gateway = gatewayTurns({ maxOpenSessions: 1 });
    const talks: WireMessage[][] = [[...steps("p", 3)], [...steps("p", 3)]];
    for (let count = 0; count < 10; count++) {
      for (const [place, talk] of talks.entries()) {
        talk.push(...steps(`continuation-${place}-${count}`, 1).slice(1));
        await sendMine(gateway, talk);
        await gateway.exchange(asking(steps("other", 1), { headers: { "x-session-id": "o" } }));
      }
    }
    const versions = (await gateway.engine.sessions()).map(({ version }) => version);
    expect(versions.reduce((sum, version) => sum + version, 0)).toBeLessThan(150);
  });
});

test("what the agent cleared is taken over with few calls to the store", async () => {
  let callCount = 0;
  const store = interceptStore(memoryStore(), { before: () => (callCount += 1) });
  const gateway = gatewayTurns({ store });
  await sendMine(gateway, steps("a", 60));
  const result = (index: number) => [
    { type: "tool_result", tool_use_id: `call-a-${index / 2 - 1}`, content: "[cleared]" },
  ];
  const cleared = steps("a", 61).map((message, index): WireMessage => {
    return index > 0 && index % 2 === 0 && index < 110 ? { role: "user", content: result(index) } : message;
  });
  callCount = 0;
  await sendMine(gateway, cleared);
  expect(await logTexts(gateway, "mine")).toHaveLength(123);
  expect(callCount).toBeLessThan(40);
});
