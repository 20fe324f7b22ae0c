/** The loop against a strict server, through the providers' own packages, on all four wires. */
import { afterEach, describe, expect, test, vi } from "vitest";
import { CODING_TOOLS } from "../../../test/support/agents.ts";
import { validateView } from "../../core/message/validate-view.ts";
import { createModelHandler } from "../../providers/ai-sdk/index.ts";
import {
  type ModelServer,
  type ModelServerOptions,
  type ModelWire,
  type ScriptedReply,
  startModelServer,
} from "../../testing/index.ts";
import { ModernContextEngine } from "./modern-context-engine.ts";
import type { ModernContextEngineOptions } from "./modern-options.ts";

const WIRES: readonly { readonly wire: ModelWire; readonly model: string }[] = [
  { wire: "anthropic", model: "anthropic/claude-haiku-4-5" },
  { wire: "openai", model: "openai/gpt-4o" },
  { wire: "gemini", model: "google/gemini-3-pro-preview" },
  { wire: "deepseek", model: "deepseek/deepseek-v4-pro" },
];

let server: ModelServer | undefined;
afterEach(() => server?.close());

async function startAgent(
  { wire, model }: (typeof WIRES)[number],
  options: Partial<ModernContextEngineOptions> & { readonly server?: ModelServerOptions } = {},
) {
  const { server: serverOptions, ...rest } = options;
  const started = await startModelServer(serverOptions);
  server = started;
  const waits: number[] = [];
  const engine = new ModernContextEngine({
    model: createModelHandler({ model, apiKey: "sk-test-0123456789", baseUrl: started.baseUrls[wire], maxRetries: 0 }),
    task: "Fix the rotation of keys.",
    tools: CODING_TOOLS,
    executor: { execute: async ({ name }) => `output of ${name}` },
    sleep: async (ms) => {
      waits.push(ms);
    },
    ...rest,
  });
  return { engine, server: started, waits };
}

const read = (id: string): ScriptedReply => ({
  type: "tool-calls",
  reasoning: `I look at ${id}.`,
  calls: [{ id, name: "read_file", input: { path: `${id}.ts` } }],
});
const both: ScriptedReply = {
  type: "tool-calls",
  text: "Both at once.",
  reasoning: "Two are faster.",
  calls: ["c", "d"].map((id) => ({ id, name: "read_file", input: { path: `${id}.ts` } })),
};
const done: ScriptedReply = { type: "text", text: "It is fixed.", reasoning: "That was all." };
const outcomes = ({ requests }: ModelServer) => requests.map(({ outcome, refusal }) => refusal ?? outcome);

describe.each(WIRES)("with $model", (wire) => {
  test("a task of several steps, with thoughts and parallel calls, is accepted at every step", async () => {
    const { engine, server } = await startAgent(wire);
    server.script(read("a"), read("b"), both, done, done);
    expect(await engine.executeTask("Go on.")).toMatchObject({
      type: "completed",
      text: "It is fixed.",
      steps: 4,
      toolCalls: 4,
    });
    await engine.executeTask("And now?");
    expect(outcomes(server)).toEqual(Array(5).fill("answered"));
    const { resources } = (await engine.state()).l2_runtime;
    expect(resources).toMatchObject({ modelCalls: 1, inputTokens: expect.any(Number) });
    expect(resources.costUsd).toBeGreaterThan(0);
  });

  test("the prompt stays in the window while much more is read than fits", async () => {
    const { engine, server } = await startAgent(wire, {
      contextWindow: 16_000,
      server: { contextWindow: 16_000 },
      executor: { execute: async ({ id }) => `line of ${id} with some words. `.repeat(400) },
    });
    server.script(...Array.from({ length: 15 }, (_, index) => read(`r${index}`)), done);
    expect(await engine.executeTask("Go on.")).toMatchObject({ type: "completed", steps: 16 });
    expect(outcomes(server)).toEqual(Array(16).fill("answered"));
    expect(Math.max(...server.requests.map(({ promptTokens }) => promptTokens))).toBeLessThan(0.75 * 16_000);
    const session = await engine.session();
    expect((await session.folds()).length).toBeGreaterThan(0);
    expect(validateView(await session.view())).toEqual([]);
  });

  test("a window that is smaller than was thought is learned from the refusal", async () => {
    const { engine, server } = await startAgent(wire, {
      contextWindow: 64_000,
      server: { contextWindow: 9_000 },
      executor: { execute: async ({ id }) => `line of ${id} with some words. `.repeat(40) },
    });
    server.script(...Array.from({ length: 36 }, (_, index) => read(`r${index}`)), done);
    const result = await engine.executeTaskSafely("Go on.");
    expect(result).toMatchObject({ type: "completed", steps: 37, recoveries: [{ problem: "too-long" }] });
    expect(result.recoveries[0]?.remedy).toContain("took the window for 9000 tokens");
    const refused = server.requests.findIndex(({ outcome }) => outcome === "refused");
    // What is said to less than a third of what it takes, then never again too much. The first request says hardly anything.
    const [opening, folded] = [server.requests[0], server.requests[refused + 1]];
    expect((folded?.promptTokens ?? 9_000) - (opening?.promptTokens ?? 0)).toBeLessThan(0.31 * 9_000);
    expect(server.requests.filter(({ outcome }) => outcome === "refused")).toHaveLength(1);
  });

  test.each<[string, ScriptedReply, number]>([
    ["429 with a wait", { type: "error", status: 429, message: "rate limit", retryAfterSeconds: 7 }, 7_000],
    ["500", { type: "error", status: 500, message: "internal" }, 1_000],
    ["503", { type: "error", status: 503, message: "overloaded" }, 1_000],
    ["a stream that is cut", { type: "cut", text: "I shall" }, 1_000],
    ["a stream that trails off in a call", { ...both, type: "trail-off", text: "I shall" }, 1_000],
    ["garbage", { type: "garbage" }, 1_000],
    ["an empty reply", { type: "text", text: "" }, 1_000],
  ])("after %s it goes on, and nothing of it is in the log", async (_, fault, waitMs) => {
    const { engine, server, waits } = await startAgent(wire);
    server.script(read("a"), fault, read("b"), done);
    expect(await engine.executeTaskSafely("Go on.")).toMatchObject({ type: "completed", steps: 3, toolCalls: 2 });
    expect(waits).toEqual([waitMs]);
    expect(outcomes(server).filter((outcome) => outcome !== "answered" && outcome !== "fault")).toEqual([]);
    expect(await (await engine.session()).log()).toHaveLength(6);
  });

  test("arguments that are no JSON do not stop it", async () => {
    const { engine, server } = await startAgent(wire);
    const broken: ScriptedReply = {
      type: "tool-calls",
      calls: [{ id: "x", name: "read_file", input: {}, rawInput: '{"path": "a.t' }],
    };
    server.script(read("a"), broken, read("b"), done);
    expect(await engine.executeTaskSafely("Go on.")).toMatchObject({ type: "completed", text: "It is fixed." });
    expect(outcomes(server).filter((outcome) => outcome !== "answered" && outcome !== "fault")).toEqual([]);
  });

  test("a wrong key is told, and nothing is tried again", async () => {
    const { engine, server } = await startAgent(wire, { server: { apiKey: "another" } });
    const result = await engine.executeTaskSafely("Go on.");
    expect(result).toMatchObject({ type: "failed", cause: "other", recoveries: [] });
    expect(JSON.stringify(result)).not.toContain("sk-test-0123456789");
    expect(server.requests).toHaveLength(1);
  });

  test("an abort in the middle of a reply leaves a session that goes on", async () => {
    const { engine, server } = await startAgent(wire);
    const controller = new AbortController();
    server.script(
      read("a"),
      { type: "hang-mid-stream", text: "I shall now", calls: [{ id: "b", name: "read_file", input: {} }] },
      done,
    );
    const aborted = expect(engine.executeTask("Go on.", { signal: controller.signal })).rejects.toThrow("Enough.");
    await vi.waitFor(() => expect(server.requests).toHaveLength(2), { timeout: 300_000 });
    setTimeout(() => controller.abort(new Error("Enough.")), 100);
    await aborted;
    expect(await engine.executeTask("And now?")).toMatchObject({ type: "completed", text: "It is fixed." });
    expect(server.requests.at(-1)?.outcome).toBe("answered");
  });
});
