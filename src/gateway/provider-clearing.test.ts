import type Anthropic from "@anthropic-ai/sdk";
import { describe, expect, test } from "vitest";
import {
  ask,
  type BetaMessage,
  FACT,
  lastBody,
  lastSent,
  startCompactingWorld,
} from "../../test/support/gateway-compaction.ts";
import { startGatewayBefore } from "../../test/support/gateway-world.ts";
import { toolNames } from "../../test/support/recall-talk.ts";
import { recallTool } from "../engine/recall/recall-tool.ts";
import type { GatewayOptions } from "./index.ts";

const MODEL = "claude-haiku-4-5";
const THOUGHT = "The lighthouse keeper is called Ilse Marquardt.";
const QUERY = "port of the staging server";

const TOOLS = ["read", "look"].map((name) => ({ name, input_schema: { type: "object" as const } }));

interface Clearing {
  readonly exclude?: readonly string[];
  readonly clearsInputs?: boolean;
}

/** An agent that has Anthropic clear old thoughts and results, and reads a file in each turn. */
async function startAgent(
  how: string,
  { exclude, clearsInputs }: Clearing = {},
  gateway: Partial<GatewayOptions> = {},
) {
  const pair = await startCompactingWorld(undefined, gateway);
  const messages: BetaMessage[] = [];
  const edits: Anthropic.Beta.BetaContextManagementConfig["edits"] = [
    { type: "clear_thinking_20251015" as const, keep: { type: "thinking_turns" as const, value: 1 } },
    {
      type: "clear_tool_uses_20250919" as const,
      trigger: { type: "tool_uses" as const, value: 2 },
      keep: { type: "tool_uses" as const, value: 1 },
      ...(exclude && { exclude_tools: [...exclude] }),
      ...(clearsInputs && { clear_tool_inputs: true }),
    },
  ];
  const fields = {
    model: MODEL,
    max_tokens: 2_000,
    tools: TOOLS,
    betas: ["context-management-2025-06-27" as const],
    thinking: { type: "enabled" as const, budget_tokens: 1_024 },
    context_management: { edits },
  };
  async function send() {
    const body = { ...fields, messages };
    const reply =
      how === "whole"
        ? await pair.anthropic.beta.messages.create(body)
        : await pair.anthropic.beta.messages.stream(body).finalMessage();
    messages.push({ role: "assistant", content: reply.content });
    return reply;
  }
  async function read(step: number, said: string, { name = "read", reasoning = `Step ${step}.` } = {}) {
    const id = `toolu_${String(step).padStart(12, "0")}`;
    pair.server.script({ type: "tool-calls", reasoning, calls: [{ id, name, input: { path: `file-${step}.ts` } }] });
    messages.push(ask(`Read ${step}.ts.`));
    await send();
    messages.push({ role: "user", content: [{ type: "tool_result", tool_use_id: id, content: said }] });
    return send();
  }
  async function readThree() {
    await read(0, `${FACT} ${"word ".repeat(300)}`, { reasoning: THOUGHT });
    await read(1, "Nothing here.");
    return read(2, "Nor here.");
  }
  return { ...pair, fields, messages, send, read, readThree };
}

describe.each(["whole", "streamed"])("what Anthropic clears, %s", (how) => {
  test("is found by recall, read whole, and listed; the request goes as it came, and the log is not changed", async () => {
    const agent = await startAgent(how);
    const { context_management: managed } = await agent.readThree();
    expect(managed?.applied_edits).toMatchObject([
      { type: "clear_thinking_20251015", cleared_thinking_turns: 4 },
      { type: "clear_tool_uses_20250919", cleared_tool_uses: 2 },
    ]);
    expect(lastBody(agent)).toBe(lastSent(agent));
    const session = await agent.session();
    const [hit] = await session.recall(QUERY);
    expect(hit).toMatchObject({ foldId: "provider-clear-results", text: expect.stringContaining("4711") });
    expect((await session.recall("lighthouse keeper"))[0]?.foldId).toBe("provider-clear-thoughts");
    expect(await session.folds()).toEqual([
      { foldId: "provider-clear-thoughts", kind: "clear", messages: 0, blocks: 4 },
      { foldId: "provider-clear-results", kind: "clear", messages: 0, blocks: 2 },
    ]);
    const { messages } = await session.expand("provider-clear-results");
    expect(JSON.stringify(messages)).toContain("4711");
    const tool = recallTool(session);
    expect(await tool.execute({ query: QUERY })).toContain("4711");
    expect(await tool.execute({ id: "provider-clear-results" })).toContain("4711");
    expect(await tool.execute({ query: "zebra" })).toContain("provider-clear-results (2 blocks)");
    const log = await session.log();
    expect(log.every(({ folds }) => folds === undefined)).toBe(true);
    expect(await session.view()).toEqual(log);
    expect(agent.incidents).toEqual([]);
  });

  test.each([
    ["clears it", [{ type: "clear_tool_uses_20250919" as const }]],
    ["is asked to", []],
  ])("is searched only as long as the provider %s", async (_, edits) => {
    const agent = await startAgent(how);
    await agent.readThree();
    const session = await agent.live();
    await expect.poll(() => session.folds()).toHaveLength(2);
    agent.fields.context_management = { edits };
    await agent.read(3, "Nor there.");
    expect(await (await agent.session()).folds()).toEqual([]);
  });

  test("is still found after a request that the provider refused", async () => {
    const agent = await startAgent(how);
    await agent.readThree();
    agent.server.script({ type: "error", status: 400, message: "Not this one." });
    agent.messages.push(ask("And now?"));
    await expect(agent.send()).rejects.toThrow("Not this one.");
    expect(await (await agent.session()).folds()).toHaveLength(2);
  });

  test("leaves what is excluded, and may hide what calls were made with", async () => {
    const agent = await startAgent(how, { exclude: ["look"], clearsInputs: true });
    await agent.read(0, `${FACT}`, { name: "look" });
    await agent.read(1, "The tower is red.");
    await agent.read(2, "Nor here.");
    const session = await agent.session();
    const texts = JSON.stringify((await session.expand("provider-clear-results")).messages);
    expect(texts).toContain("The tower is red.");
    expect(texts).toContain("file-1.ts");
    expect(texts).not.toContain("4711");
    expect(texts).not.toContain("file-0.ts");
  });

  test.each(["results", "thoughts"])("restored, %s are read by the model again, also after a restart", async (kind) => {
    const agent = await startAgent(how);
    await agent.readThree();
    const session = await agent.live();
    await expect.poll(() => session.folds()).toHaveLength(2);
    await session.restore(`provider-clear-${kind}`);
    const left = kind === "results" ? "clear_thinking_20251015" : "clear_tool_uses_20250919";
    for (const step of [3, 4]) {
      const { context_management: managed } = await agent.read(step, "Nor there.");
      expect(managed?.applied_edits.map(({ type }) => type)).toEqual([left]);
    }
    const stored = await agent.session();
    expect((await stored.folds()).map(({ foldId }) => foldId)).toEqual([
      kind === "results" ? "provider-clear-thoughts" : "provider-clear-results",
    ]);
    await expect(stored.restore(`provider-clear-${kind}`)).rejects.toThrow("No fold has the id");
    const again = await startGatewayBefore(agent.server, { store: agent.store });
    agent.anthropic.baseURL = again.gateway.url;
    const { context_management: managed } = await agent.read(5, "Nor there.");
    expect(managed?.applied_edits.map(({ type }) => type)).toEqual([left]);
    expect(agent.server.requests.map(({ outcome }) => outcome)).not.toContain("refused");
    expect([...agent.incidents, ...again.incidents]).toEqual([]);
  });

  test("is listed, read and restored by the API", async () => {
    const agent = await startAgent(how);
    await agent.readThree();
    const session = await agent.live();
    await expect.poll(() => session.folds()).toHaveLength(2);
    const path = `${agent.gateway.url}/palimpsest/api/sessions/${encodeURIComponent(session.id)}`;
    const get = async (rest: string) => (await fetch(`${path}${rest}`)).text();
    expect(JSON.parse(await get(""))).toMatchObject({ folds: 2 });
    expect(JSON.parse(await get("/folds"))).toMatchObject({ total: 2 });
    expect(await get("/folds/provider-clear-results")).toContain("4711");
    expect(await get(`/recall?q=${encodeURIComponent(QUERY)}`)).toContain("4711");
    const restored = await fetch(`${path}/restore`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ foldId: "provider-clear-results" }),
    });
    expect(restored.status).toBe(200);
    expect(JSON.parse(await get("/folds"))).toMatchObject({ total: 1 });
  });

  test("restored altogether, the request asks for no clearing", async () => {
    const agent = await startAgent(how);
    await agent.readThree();
    const session = await agent.live();
    await expect.poll(() => session.folds()).toHaveLength(2);
    for (const { foldId } of await session.folds()) await session.restore(foldId);
    const { context_management: managed } = await agent.read(3, "Nor there.");
    expect(managed?.applied_edits ?? []).toEqual([]);
    expect(agent.server.requests.at(-1)).toMatchObject({
      outcome: "answered",
      rawBody: expect.stringContaining("4711"),
    });
    expect(await (await agent.session()).folds()).toEqual([]);
    expect(agent.incidents).toEqual([]);
  });

  test("counted, a request that was restored is the one that is sent", async () => {
    const agent = await startAgent(how);
    await agent.readThree();
    const session = await agent.live();
    await expect.poll(() => session.folds()).toHaveLength(2);
    await session.restore("provider-clear-results");
    agent.messages.push(ask("Which port?"));
    const { max_tokens: _, ...counted } = agent.fields;
    await agent.anthropic.beta.messages.countTokens({ ...counted, messages: agent.messages });
    const edits = () => JSON.parse(lastBody(agent) ?? "").context_management.edits;
    expect(edits()).toMatchObject([{ type: "clear_thinking_20251015" }]);
    await agent.send();
    expect(edits()).toMatchObject([{ type: "clear_thinking_20251015" }]);
    expect(agent.incidents).toEqual([]);
  });

  test.each(["restored", "no longer asked for"])("%s, the recall tool stays, also after a restart", async (change) => {
    const agent = await startAgent(how, {}, { recallTool: true });
    await agent.readThree();
    const session = await agent.live();
    await expect.poll(() => session.folds()).toHaveLength(2);
    if (change === "restored") for (const { foldId } of await session.folds()) await session.restore(foldId);
    else agent.fields.context_management = { edits: [] };
    const names = () => toolNames(agent.server.requests.at(-1) ?? expect.fail());
    await agent.read(3, "Nor there.");
    expect(names()).toEqual(["read", "look", "recall"]);
    await agent.gateway.close();
    const again = await startGatewayBefore(agent.server, { store: agent.store, recallTool: true });
    agent.anthropic.baseURL = again.gateway.url;
    await agent.read(4, "Nor there.");
    expect(names()).toEqual(["read", "look", "recall"]);
    expect([...agent.incidents, ...again.incidents]).toEqual([]);
  });

  test("is read back by the gateway's recall tool", async () => {
    const agent = await startAgent(how, {}, { recallTool: true });
    await agent.readThree();
    const names = () => toolNames(agent.server.requests.at(-1) ?? expect.fail());
    const session = await agent.live();
    await expect.poll(() => session.folds()).toHaveLength(2);
    agent.messages.push(ask("Which port?"));
    agent.server.script({
      type: "tool-calls",
      reasoning: "It was read.",
      calls: [{ id: "toolu_recall_000001", name: "recall", input: { query: QUERY } }],
    });
    await agent.send();
    expect(names()).toEqual(["read", "look", "recall"]);
    const [result] = /"tool_use_id":"toolu_recall_000001"[^}]*/.exec(lastBody(agent) ?? "") ?? [];
    expect(result).toContain("4711");
    expect(agent.server.requests.map(({ outcome }) => outcome)).not.toContain("refused");
    expect(agent.incidents).toEqual([]);
  });
});
