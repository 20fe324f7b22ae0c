import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { asking, gatewayTurns, steps, type WireMessage } from "../support/gateway-turns.ts";
import { isStandIn } from "../../src/core/message/effective-view.ts";
import { disturbStore } from "../support/intercepted-store.ts";
import { memoryStore } from "../../src/stores/memory/index.ts";

const ids = async ({ engine }: ReturnType<typeof gatewayTurns>) => (await engine.sessions({ limit: 1000 })).map((s) => s.id).toSorted();
const logOf = async ({ engine }: ReturnType<typeof gatewayTurns>, id: string) =>
  (await (await engine.session(id)).log()).filter((m) => !isStandIn(m));
const textOf = async (g: ReturnType<typeof gatewayTurns>, id: string) => JSON.stringify(await logOf(g, id));
const MINE = { "x-palimpsest-session": "mine" };
const sid = (t: { headers(): Readonly<Record<string, string>> } | undefined) => t?.headers()["x-palimpsest-session"] ?? "";
const userText = (content: string): WireMessage => ({ role: "user", content });
const said = (content: string): WireMessage => ({ role: "assistant", content });

describe("scratch2", () => {
  test("settled waits for relocated records", async () => {
    const g = gatewayTurns();
    const turns = await Promise.all(["a", "b"].map((id) => g.exchange(asking(steps(id, 2)))));
    console.log("right after", turns.map(sid), await ids(g));
    await sleep(100);
    console.log("later", turns.map(sid), await ids(g));
    expect(await textOf(g, sid(turns[1]))).not.toContain("a-0");
  });
  test("n+1 and n at once, later incidents", async () => {
    for (const start of [undefined, 1]) {
      const g = gatewayTurns();
      if (start) await g.exchange(asking(steps("a", start), { headers: MINE }));
      await Promise.all([3, 2].map((n) => g.exchange(asking(steps("a", n), { headers: MINE }))));
      await sleep(100);
      expect(g.incidents, String(start)).toEqual([]);
    }
  });
  test("n+1 and n at once, two gateways, folded", async () => {
    for (const n0 of [18, 19, 20, 21, 22, 23, 24]) {
      const g = gatewayTurns({ window: 16_000 });
      const g2 = gatewayTurns({ window: 16_000, store: g.store });
      for (let n = 0; n <= n0; n++) await g.exchange(asking(steps("a", n, { resultLength: 2000 }), { headers: MINE }));
      const turns = await Promise.all([g2.exchange(asking(steps("a", n0 + 2, { resultLength: 2000 }), { headers: MINE })), g.exchange(asking(steps("a", n0 + 1, { resultLength: 2000 }), { headers: MINE }))]);
      await sleep(50);
      console.log(n0, turns.map((t) => [t.body?.length, t.headers()]), g.incidents, g2.incidents, await ids(g));
    }
  });
  test("end while shortening leaks the mark", async () => {
    const g = gatewayTurns();
    const request = asking(steps("a", 30, { resultLength: 2_000 }), { headers: MINE });
    const turn = await g.turns.begin(request);
    const pending = turn?.shorten({ isTooLong: true, by: "tokens", limitTokens: 10_000 });
    turn?.end({ status: undefined, isComplete: false });
    await pending;
    await sleep(20);
    await g.exchange(asking([...steps("a", 20, { resultLength: 2000 }), said("Hm."), userText("Stop.")], { headers: MINE }));
    expect(await ids(g)).toEqual(["mine"]);
  });
  test("maxOpen 1, many at once", async () => {
    const g = gatewayTurns({ window: 16_000, maxOpenSessions: 1 });
    for (let n = 0; n <= 25; n++) {
      const turns = await Promise.all(["a", "b", "c", "d"].map((id) => g.exchange(asking(steps(id, n, { resultLength: 2000, opening: `open ${id}` }), { headers: { "x-session-id": id } }))));
      for (const [i, id] of ["a", "b", "c", "d"].entries()) {
        expect(sid(turns[i])).toBe(`session:${id}`);
        expect(await logOf(g, `session:${id}`), `${id} ${n}`).toHaveLength(2 * n + 1);
      }
    }
    await sleep(50);
    expect(g.incidents).toEqual([]);
  });
  test("forks alternating with maxOpen 1: store growth", async () => {
    for (const max of [64, 1]) {
      const g = gatewayTurns({ maxOpenSessions: max });
      const prefix = steps("p", 3);
      let x: readonly WireMessage[] = prefix; let y: readonly WireMessage[] = prefix;
      for (let n = 0; n < 15; n++) {
        x = [...x, ...steps(`x${n}`, 1).slice(1)];
        y = [...y, ...steps(`y${n}`, 1).slice(1)];
        await g.exchange(asking(x, { headers: MINE }));
        await g.exchange(asking(steps("other", n), { headers: { "x-session-id": "o" } }));
        await g.exchange(asking(y, { headers: MINE }));
        await g.exchange(asking(steps("other", n), { headers: { "x-session-id": "o" } }));
      }
      console.log("max", max, await ids(g), (await g.engine.sessions()).map((s) => [s.id, s.version]));
    }
  });
  test("parallel clear: how many store calls", async () => {
    const calls: Record<string, number> = {};
    const base = memoryStore();
    const { interceptStore } = await import("../support/intercepted-store.ts");
    const store = interceptStore(base, { before: (c) => { calls[c] = (calls[c] ?? 0) + 1; } });
    const g = gatewayTurns({ store });
    await g.exchange(asking(steps("a", 100), { headers: MINE }));
    for (const k of Object.keys(calls)) delete calls[k];
    const cleared = steps("a", 101).map((m, i) => (Array.isArray(m.content) && m.role === "user" && i < 190 ? { role: m.role, content: m.content.map((b: any) => ({ ...b, content: "[cleared]" })) } : m));
    await g.exchange(asking(cleared, { headers: MINE }));
    console.log(calls, await ids(g), g.incidents);
    for (const k of Object.keys(calls)) delete calls[k];
    await g.exchange(asking(steps("a", 102), { headers: MINE }));
    console.log(calls);
  });
});
