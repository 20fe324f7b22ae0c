/** What the processor for Mastra does with single requests. */
import { MockMemory } from "@mastra/core/memory";
import { wrapLanguageModel } from "ai-6";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createEngine, type EngineOptions } from "../../src/index.ts";
import { palimpsestMiddleware } from "../../src/integrations/ai-sdk/index.ts";
import { palimpsestProcessor } from "../../src/integrations/mastra/index.ts";
import { memoryStore } from "../../src/stores/memory/index.ts";
import { type ModelServer, startModelServer } from "../../src/testing/index.ts";
import { steps, user } from "../support/ai-sdk-prompts.ts";
import { inspector, modelsOf } from "./mastra-agent.ts";
import { CONTEXT_WINDOW, MODEL_ID, roomLog } from "./thirty-turns.ts";

let server: ModelServer;
beforeEach(async () => {
  server = await startModelServer({ reply: () => ({ type: "text", text: "Aye." }) });
});
afterEach(() => server.close());

const engineOf = (options: Partial<EngineOptions> = {}) =>
  createEngine({ model: MODEL_ID, contextWindow: CONTEXT_WINDOW, ...options });

function agentWith(processor: ReturnType<typeof palimpsestProcessor>, memory?: MockMemory) {
  const { v3 } = modelsOf({ server });
  return inspector({ model: v3, inputProcessors: [processor], ...(memory && { memory }) });
}

describe("a request", () => {
  test("that fits is left alone, and one that does not keeps the objects of all that no fold touches", async () => {
    const session = await engineOf().session("s");
    const { processLLMRequest } = palimpsestProcessor({ session });
    const short = [user("Read.")];
    expect(await processLLMRequest({ prompt: short, state: {} })).toBeUndefined();
    const prompt = [...short, ...steps(14)];
    const sent = (await processLLMRequest({ prompt, state: {} }))?.prompt ?? [];
    expect(JSON.stringify(sent).length).toBeLessThan(JSON.stringify(prompt).length * 0.7);
    expect(sent[0]).toBe(prompt[0]);
    expect(sent.at(-1)).toBe(prompt.at(-1));
  });

  test("is sent as Mastra had it where the store fails, and the fault is told", async () => {
    const errors: unknown[] = [];
    const failing = { ...memoryStore(), append: () => Promise.reject(new Error("The disk is full.")) };
    const processor = palimpsestProcessor({ engine: engineOf({ store: failing }), onError: (e) => errors.push(e) });
    expect((await agentWith(processor).generate("Why?")).text).toBe("Aye.");
    expect(errors).toHaveLength(1);
  });

  test("fails where nothing fits, and where the caller gave up", async () => {
    const session = await engineOf({ contextWindow: 1_000 }).session("s");
    const { processLLMRequest } = palimpsestProcessor({ session });
    const prompt = [{ role: "system", content: roomLog(1) }, user("Why?")];
    await expect(processLLMRequest({ prompt, state: {} })).rejects.toMatchObject({ code: "cannot-fit" });
    const abortSignal = AbortSignal.abort(new Error("Enough."));
    await expect(processLLMRequest({ prompt, state: {}, abortSignal })).rejects.toThrow("Enough.");
  });

  test("is counted with its tools, of which only the active ones are sent", async () => {
    const session = await engineOf().session("s");
    const sizes: number[] = [];
    const processor = palimpsestProcessor({ session, onReport: ({ promptTokens }) => sizes.push(promptTokens) });
    const tool = { description: roomLog(1), parameters: { jsonSchema: { type: "object" } } };
    for (const activeTools of [undefined, ["small"]]) {
      const state = {};
      processor.processInputStep({ state, tools: { large: tool, small: { description: "Small." } }, activeTools });
      await processor.processLLMRequest({ prompt: [user("Why?")], state });
    }
    const [all = 0, active = 0] = sizes;
    expect(all - active).toBeGreaterThan(2_000);
    expect(active).toBeLessThan(200);
  });

  test("is recorded without Mastra's own notes, which stay on what is sent", async () => {
    const session = await engineOf().session("s");
    const processor = palimpsestProcessor({ session });
    const notes = { mastra: { createdAt: 1, modelOutput: { type: "text", value: roomLog(1) } } };
    const others = { anthropic: { cacheControl: { type: "ephemeral" } } };
    const parts = [
      { type: "text", text: "Why?", providerOptions: notes },
      { type: "text", text: "How?", providerOptions: { ...notes, ...others } },
    ];
    const noted = { role: "user", content: parts, providerOptions: notes };
    expect(await processor.processLLMRequest({ prompt: [noted], state: {} })).toBeUndefined();
    const [recorded] = await session.log();
    expect(recorded).toEqual({
      id: "m0",
      role: "user",
      content: [
        { type: "text", text: "Why?" },
        { type: "text", text: "How?", providerOptions: others },
      ],
    });
    const sent = await processor.processLLMRequest({ prompt: [noted, ...steps(14)], state: {} });
    expect(sent?.prompt[0]).toBe(noted);
  });

  test("teaches the session what the provider counted, unless another processor answered it", async () => {
    const kept = await engineOf().session("s");
    const seen: unknown[] = [];
    const observe: typeof kept.observe = (usage) => {
      seen.push(usage);
      kept.observe(usage);
    };
    const processor = palimpsestProcessor({ session: { ...kept, observe } });
    await agentWith(processor).generate("Why?");
    const [request] = server.requests;
    expect(seen).toMatchObject([{ inputTokens: request?.promptTokens, cacheReadTokens: 0, outputTokens: 3 }]);
    const [state, usage] = [{}, { inputTokens: 7, outputTokens: 1 }];
    const chunks = [{ type: "finish", payload: { output: { usage } } }];
    await processor.processLLMRequest({ prompt: [user("Why?")], state });
    processor.processLLMResponse({ state, chunks, fromCache: true });
    expect(seen).toHaveLength(1);
    processor.processLLMResponse({ state, chunks, fromCache: false });
    expect(seen.at(-1)).toMatchObject({ inputTokens: 7 });
  });

  test("that is refused twice in one step is not sent a third time", async () => {
    const session = await engineOf({ contextWindow: 60_000, maxTokens: 1_000 }).session("s");
    const { processLLMRequest, processAPIError } = palimpsestProcessor({ session });
    const [state, prompt] = [{}, [user("Read."), ...steps(12)]];
    const error = Object.assign(new Error("prompt is too long: 36000 tokens > 32000 maximum"), { statusCode: 400 });
    await processLLMRequest({ prompt, state });
    expect(await processAPIError({ state, error: new Error("Busy."), stepNumber: 0 })).toBeUndefined();
    expect(await processAPIError({ state, error, stepNumber: 0 })).toEqual({ retry: true });
    const shorter = await processLLMRequest({ prompt, state });
    expect(JSON.stringify(shorter).length).toBeLessThan(JSON.stringify(prompt).length);
    expect(await processAPIError({ state, error, stepNumber: 0 })).toBeUndefined();
  });
});

describe("the session", () => {
  const idsOf = async (engine: ReturnType<typeof createEngine>) =>
    (await engine.sessions()).map(({ id }) => id).toSorted();

  test("is that of the thread, and follows it from run to run", async () => {
    const engine = engineOf();
    const agent = agentWith(palimpsestProcessor({ engine, sessionId: "unused" }), new MockMemory());
    for (const question of ["One?", "Two?"])
      await agent.generate(question, { memory: { thread: "t1", resource: "r" } });
    await agent.generate("Other?", { memory: { thread: "t2", resource: "r" } });
    expect(await idsOf(engine)).toEqual(["t1", "t2"]);
    const session = await engine.session("t1");
    expect((await session.log()).map(({ content }) => content)).toMatchObject([
      [{ text: "One?" }],
      [{ text: "Aye." }],
      [{ text: "Two?" }],
    ]);
    expect((await session.events()).filter(({ type }) => type !== "request")).toEqual([]);
  });

  test("is that of the thread without Mastra's memory too, or the one that is named, or one of its own", async () => {
    const engine = engineOf();
    await agentWith(palimpsestProcessor({ engine })).generate("One?", { memory: { thread: "t1", resource: "r" } });
    await agentWith(palimpsestProcessor({ engine, sessionId: "named" })).generate("Two?");
    await agentWith(palimpsestProcessor({ engine })).generate("Three?");
    await agentWith(palimpsestProcessor({ engine })).generate("Three?");
    expect(await idsOf(engine)).toEqual([
      expect.stringMatching(/^mastra-/),
      expect.stringMatching(/^mastra-/),
      "named",
      "t1",
    ]);
  });

  test.each([
    [2, ["Two?", "Aye.", "Three?"], 1],
    [100, ["One?", "Aye.", "Two?", "Aye.", "Three?"], 0],
  ])("has what Mastra's memory gives: with lastMessages %i, %j", async (lastMessages, said, rewinds) => {
    const engine = engineOf();
    const agent = agentWith(palimpsestProcessor({ engine }), new MockMemory({ options: { lastMessages } }));
    for (const question of ["One?", "Two?", "Three?"])
      await agent.generate(question, { memory: { thread: "t1", resource: "r" } });
    const session = await engine.session("t1");
    expect((await session.log()).map(({ content }) => content)).toMatchObject(said.map((text) => [{ text }]));
    expect((await session.events()).filter(({ type }) => type !== "request")).toHaveLength(rewinds);
  });

  test("is for the middleware around the model the one that a call names", async () => {
    const engine = engineOf();
    const model = wrapLanguageModel({ model: modelsOf({ server }).v3, middleware: palimpsestMiddleware({ engine }) });
    await inspector({ model }).generate("One?", { providerOptions: { palimpsest: { sessionId: "named" } } });
    expect(await idsOf(engine)).toEqual(["named"]);
  });
});
