import { describe, expect, test } from "vitest";
import { asking, gatewayTurns, steps, type WireMessage } from "../support/gateway-turns.ts";
import { isStandIn } from "../../src/core/message/effective-view.ts";
import type { AgentRequest } from "../../src/gateway/turn.ts";
import { disturbStore } from "../support/intercepted-store.ts";
import { memoryStore } from "../../src/stores/memory/index.ts";
import { countTextTokens } from "../../src/core/tokens/o200k/count-text-tokens.ts";

const ids = async ({ engine }: ReturnType<typeof gatewayTurns>) => (await engine.sessions({ limit: 1000 })).map((s) => s.id).toSorted();
const logOf = async ({ engine }: ReturnType<typeof gatewayTurns>, id: string) =>
  (await (await engine.session(id)).log()).filter((m) => !isStandIn(m));
const textOf = async (g: ReturnType<typeof gatewayTurns>, id: string) => JSON.stringify(await logOf(g, id));
const MINE = { "x-palimpsest-session": "mine" };
const sid = (t: { headers(): Readonly<Record<string, string>> } | undefined) => t?.headers()["x-palimpsest-session"] ?? "";
const userText = (content: string): WireMessage => ({ role: "user", content });
const said = (content: string): WireMessage => ({ role: "assistant", content });

function gemini(id: string, count: number, opening = "Fix it."): AgentRequest {
  const contents: unknown[] = [{ role: "user", parts: [{ text: opening }] }];
  for (let i = 0; i < count; i++) {
    contents.push({ role: "model", parts: [{ functionCall: { name: "read", args: { path: `${id}-${i}.ts` } } }] });
    contents.push({ role: "user", parts: [{ functionResponse: { name: "read", response: { output: `text of ${id}-${i}` } } }] });
  }
  const tools = [{ functionDeclarations: [{ name: "read", description: "r", parameters: { type: "OBJECT", properties: {} } }] }];
  return { api: "gemini", path: "/v1beta/models/gemini-2.5-pro:generateContent", headers: {}, upstream: "http://u", body: JSON.stringify({ contents, tools }) };
}

describe("scratch", () => {
  test("gemini without ids", async () => {
    const g = gatewayTurns();
    for (let n = 1; n <= 3; n++) for (const id of ["a", "b"]) {
      const t = await g.exchange(gemini(id, n));
      expect(await textOf(g, sid(t)), `${id} ${n}`).not.toContain(id === "a" ? "b-" : "a-");
    }
    console.log(await ids(g));
  });
  test("old step gets summary of later", async () => {
    const g = gatewayTurns({ window: 16_000 });
    for (let n = 0; n <= 30; n++) await g.exchange(asking(steps("a", n, { resultLength: 2000 })));
    for (let n = 0; n <= 30; n++) {
      const r = asking(steps("a", n, { resultLength: 2000 }));
      const t = await g.exchange(r);
      const tokens = countTextTokens(t.body ?? r.body);
      console.log(n, t.body === undefined ? "as came" : "folded", t.headers(), tokens, /Ledger/.test(t.body ?? ""));
    }
    console.log(await ids(g));
  });
  test("two begins same opening", async () => {
    const g = gatewayTurns();
    const turns = await Promise.all(["a", "b"].map((id) => g.exchange(asking(steps(id, 2)))));
    console.log(turns.map(sid), await ids(g));
    expect(await textOf(g, sid(turns[0]))).not.toContain("b-0");
    expect(await textOf(g, sid(turns[1]))).not.toContain("a-0");
  });
  test("n and n+1 at once", async () => {
    const g = gatewayTurns();
    await Promise.all([3, 2].map((n) => g.exchange(asking(steps("a", n), { headers: MINE }))));
    console.log(await ids(g), g.incidents);
    expect(g.incidents).toEqual([]);
  });
  test("n and n+1 at once after start", async () => {
    const g = gatewayTurns();
    await g.exchange(asking(steps("a", 1), { headers: MINE }));
    await Promise.all([3, 2].map((n) => g.exchange(asking(steps("a", n), { headers: MINE }))));
    console.log(await ids(g), g.incidents);
    expect(g.incidents).toEqual([]);
  });
  test("side call after restart", async () => {
    const g = gatewayTurns();
    for (let n = 0; n <= 3; n++) await g.exchange(asking(steps("a", n), { headers: MINE }));
    const g2 = gatewayTurns({ store: g.store });
    await g2.exchange(asking([...steps("a", 3), said("ok"), userText("Summarise all")], { headers: MINE, tools: [] }));
    expect(await logOf(g2, "mine")).toHaveLength(7);
  });
  test("side call needing room makes sessions", async () => {
    const g = gatewayTurns({ window: 16_000 });
    for (let n = 0; n <= 30; n++) {
      await g.exchange(asking(steps("a", n, { resultLength: 2000 }), { headers: MINE }));
      if (n > 25) await g.exchange(asking([...steps("a", n, { resultLength: 2000 }), said("ok"), userText("Is this a loop? " + n)], { headers: MINE, tools: [] }));
    }
    expect(await ids(g)).toEqual(["mine"]);
  });
  test("forks at once with folding", async () => {
    const g = gatewayTurns({ window: 16_000 });
    for (let n = 0; n <= 20; n++) await g.exchange(asking(steps("a", n, { resultLength: 2000 }), { headers: MINE }));
    const prefix = steps("a", 18, { resultLength: 2000 });
    for (let n = 1; n < 15; n++) {
      const turns = await Promise.all(["x", "y"].map((id) => g.exchange(asking([...prefix, ...steps(id, n, { resultLength: 2000 }).slice(1)], { headers: MINE }))));
      for (const [i, id] of ["x", "y"].entries()) {
        const other = id === "x" ? "y" : "x";
        expect(turns[i]?.body ?? "", `${n} ${id}`).not.toContain(`src/${other}-`);
        expect(await textOf(g, sid(turns[i])), `log ${n} ${id}`).not.toContain(`src/${other}-`);
        expect(await textOf(g, sid(turns[i])), `log ${n} ${id}`).toContain(`src/${id}-${n-1}`);
      }
    }
    console.log(await ids(g), g.incidents);
  });
  test("tool-less chat that shares words", async () => {
    const g = gatewayTurns();
    await g.exchange(asking([userText("Hello A"), said("a1"), userText("go on")], {}));
    for (let n = 0; n < 3; n++) {
      const t = await g.exchange(asking([userText("Hello B"), said("b1"), userText("go on"), said("b2"), userText("more " + n)], { tools: [] }));
      expect(sid(t)).not.toBe("");
    }
  });
  test("template openings, same assistant words", async () => {
    const g = gatewayTurns();
    const talk = (x: string) => [userText(`Please review the file ${x}.ts and tell what is wrong with it.`), said("Sure, I'll look."), userText("go on")];
    const a = await g.exchange(asking(talk("alpha")));
    const b = await g.exchange(asking(talk("beta")));
    console.log(sid(a), sid(b), await ids(g));
    expect(await textOf(g, sid(a))).toContain("alpha");
    expect(sid(a)).not.toBe(sid(b));
  });
  test("edit over someone else's change", async () => {
    const base = memoryStore();
    const disturbed = disturbStore(base);
    const g1 = gatewayTurns({ store: disturbed });
    const g2 = gatewayTurns({ store: base });
    const a = steps("a", 5);
    await g1.exchange(asking(a, { headers: MINE }));
    const cleared = a.map((m, i) => i === 8 ? { role: "user" as const, content: [{ type: "tool_result", tool_use_id: "call-a-3", content: "[cleared]" }] } : m);
    disturbed.disturbNext("acquireLock", () => g2.exchange(asking([...steps("a", 2), ...steps("fork", 4).slice(1)], { headers: MINE })));
    const t = await g1.exchange(asking([...cleared, ...steps("z", 1).slice(1)], { headers: MINE }));
    console.log(sid(t), await ids(g1), g1.incidents, (await logOf(g1, sid(t))).map((m) => JSON.stringify(m.content).slice(0, 80)));
  });
  test("reminder on folded opening", async () => {
    const g = gatewayTurns({ window: 16_000 });
    const huge = Array.from({ length: 5000 }, (_, i) => `line ${i} of the log says ${i * 7919}`).join("\n");
    const open = (r: boolean): WireMessage => ({ role: "user", content: [{ type: "text", text: huge }, ...(r ? [{ type: "text", text: "<reminder/>" }] : [])] });
    await g.exchange(asking([open(true)], { headers: MINE }));
    const t = await g.exchange(asking([open(false), ...steps("a", 1).slice(1)], { headers: MINE }));
    console.log(await ids(g), t.headers(), g.incidents);
    expect(await ids(g)).toEqual(["mine"]);
  });
  test("dense text fits", async () => {
    const g = gatewayTurns({ window: 16_000 });
    const hex = (n: number, seed: number) => Array.from({ length: n }, (_, i) => String.fromCodePoint(0x4e00 + ((i * 7919 + seed * 104729) % 20000))).join("");
    const messages: WireMessage[] = [userText("go")];
    for (let n = 0; n < 30; n++) {
      messages.push({ role: "assistant", content: [{ type: "tool_use", id: `c${n}`, name: "read", input: {} }] }, { role: "user", content: [{ type: "tool_result", tool_use_id: `c${n}`, content: hex(1000, n) }] });
      const r = asking(messages, { headers: MINE });
      const t = await g.exchange(r);
      const real = countTextTokens(t.body ?? r.body);
      if (real > 16000) console.log("dense", n, t.body === undefined, t.headers(), real);
    }
  });
});
