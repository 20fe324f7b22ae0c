import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import type { LanguageModelV4, LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import { generateText, stepCountIs, streamText, tool, wrapLanguageModel } from "ai";
import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import {
  CONTEXT_WINDOW,
  FINAL_REPLY,
  figuresOf,
  MODEL_ID,
  ROOMS,
  roomLog,
  startThirtyTurns,
  TASK,
  type ThirtyTurns,
} from "../../../test/integrations/thirty-turns.ts";
import { deepFreeze } from "../../../test/support/messages.ts";
import { createEngine, type EngineOptions } from "../../index.ts";
import { memoryStore } from "../../stores/memory/index.ts";
import { type ModelServer, startModelServer } from "../../testing/index.ts";
import { palimpsestMiddleware } from "./index.ts";

let server: ModelServer | undefined;
afterEach(() => server?.close());

const engineOf = (options: Partial<EngineOptions> = {}) =>
  createEngine({ model: MODEL_ID, contextWindow: CONTEXT_WINDOW, ...options });

const user = (text: string): LanguageModelV4Message => ({ role: "user", content: [{ type: "text", text }] });
const assistant = (text: string): LanguageModelV4Message => ({ role: "assistant", content: [{ type: "text", text }] });

/** A call of a tool, and what it returned. */
function step(room: number, output = roomLog(room)): LanguageModelV4Message[] {
  const call = { toolCallId: `call_${room}`, toolName: "read_room" };
  return [
    { role: "assistant", content: [{ type: "tool-call", ...call, input: { room } }] },
    { role: "tool", content: [{ type: "tool-result", ...call, output: { type: "text", value: output } }] },
  ];
}

const steps = (count: number) => Array.from({ length: count }, (_, index) => step(index + 1)).flat();
const bytesOf = (prompt: LanguageModelV4Prompt) => JSON.stringify(prompt).length;

describe("a prompt", () => {
  test("that fits goes through as it came", async () => {
    const session = await engineOf().session("s");
    const { transformParams } = palimpsestMiddleware({ session });
    const params = deepFreeze({ prompt: [{ role: "system" as const, content: "Be brief." }, user("Why?")], seed: 7 });
    expect(await transformParams({ params })).toBe(params);
    expect(await session.log()).toEqual([{ id: "m0", role: "user", content: [{ type: "text", text: "Why?" }] }]);
  });

  test("that is too long keeps the objects of all that no fold touches", async () => {
    const session = await engineOf().session("s");
    const reports: number[] = [];
    const middleware = palimpsestMiddleware({ session, onReport: ({ promptTokens }) => reports.push(promptTokens) });
    const prompt: LanguageModelV4Prompt = deepFreeze([
      { role: "system", content: "Be brief." },
      user("Read."),
      ...steps(14),
    ]);
    const params = { prompt, temperature: 0 };
    const sent = await middleware.transformParams({ params });
    expect(sent).toMatchObject({ temperature: 0 });
    expect(bytesOf(sent.prompt)).toBeLessThan(bytesOf(prompt) * 0.7);
    expect(reports).toHaveLength(1);
    expect(reports[0]).toBeLessThan(CONTEXT_WINDOW);
    const same = sent.prompt.filter((message) => prompt.includes(message));
    expect(same[0]).toBe(prompt[0]);
    expect(sent.prompt.at(-1)).toBe(prompt.at(-1));
    expect(same).toEqual(expect.arrayContaining([...prompt.slice(0, 2), ...prompt.slice(-2)]));
    expect(same.length).toBeLessThan(sent.prompt.length);
  });

  test("is the same bytes again until something else is folded, also after a restart", async () => {
    const store = memoryStore();
    const prompt = [user("Read."), ...steps(14)];
    const fold = async (params: { prompt: LanguageModelV4Prompt }) => {
      const session = await engineOf({ store }).session("s");
      return palimpsestMiddleware({ session }).transformParams({ params });
    };
    const first = await fold({ prompt });
    const second = await fold({ prompt: [...prompt, ...step(15, "short")] });
    expect(second.prompt.slice(0, -2)).toEqual(first.prompt);
  });

  test("is recorded once, wherever the marks for the cache have moved", async () => {
    const session = await engineOf().session("s");
    const { transformParams } = palimpsestMiddleware({ session });
    const marked = (message: LanguageModelV4Message): LanguageModelV4Message => {
      const providerOptions = { anthropic: { cacheControl: { type: "ephemeral" } } };
      if (message.role !== "user") return { ...message, providerOptions };
      return { ...message, content: message.content.map((part) => ({ ...part, providerOptions })), providerOptions };
    };
    await transformParams({ params: { prompt: [marked(user("Go."))] } });
    await transformParams({ params: { prompt: [user("Go."), assistant("Yes."), marked(user("On."))] } });
    expect(await session.log()).toHaveLength(3);
    expect(await session.events()).toEqual([]);
  });

  test("that is shorter or edited rewinds the log, which loses nothing", async () => {
    const session = await engineOf().session("s");
    const { transformParams } = palimpsestMiddleware({ session });
    const prompt = [user("Go."), assistant("Left?"), user("Left.")];
    await transformParams({ params: { prompt } });
    await transformParams({ params: { prompt: [...prompt.slice(0, 2), user("Right.")] } });
    expect((await session.log()).map(({ content }) => content)).toMatchObject([
      [{ text: "Go." }],
      [{ text: "Left?" }],
      [{ text: "Right." }],
    ]);
    await session.rewind({ undo: true });
    expect((await session.log()).at(-1)?.content).toMatchObject([{ text: "Left." }]);
  });

  test("of another conversation, such as a title, is sent as it is and not recorded", async () => {
    const session = await engineOf().session("s");
    const { transformParams } = palimpsestMiddleware({ session });
    await transformParams({ params: { prompt: [user("Go."), assistant("Left?"), user("Left.")] } });
    const title = { prompt: [user("A title for this, please.")] };
    expect(await transformParams({ params: title })).toBe(title);
    expect(await session.log()).toHaveLength(3);
  });

  test("with files, a provider's own tools and a late system message keeps them", async () => {
    const session = await engineOf().session("s");
    const { transformParams } = palimpsestMiddleware({ session });
    const search = { toolCallId: "srv_1", toolName: "web_search" };
    const prompt: LanguageModelV4Prompt = [
      {
        role: "user",
        content: [
          { type: "file", mediaType: "image/png", data: { type: "data", data: new Uint8Array([137, 80]) } },
          { type: "file", mediaType: "image/png", data: { type: "url", url: new URL("https://a.invalid/b.png") } },
          { type: "file", mediaType: "application/pdf", data: { type: "reference", reference: { openai: "file-1" } } },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "Hm.", providerOptions: { anthropic: { signature: "c2ln" } } },
          { type: "tool-call", ...search, input: { query: "x" }, providerExecuted: true },
          { type: "tool-result", ...search, output: { type: "json", value: [] } },
          { type: "text", text: "Found." },
        ],
      },
      { role: "system", content: "Mind the gap." },
      user("Read."),
      ...steps(14),
    ];
    const { prompt: sent } = await transformParams({ params: { prompt } });
    expect(sent.length).toBeGreaterThan(0);
    expect(bytesOf(sent)).toBeLessThan(bytesOf(prompt));
    expect((await session.log())[0]?.content).toEqual([
      { type: "image", source: { type: "base64", media_type: "image/png", data: "iVA=" } },
      { type: "image", source: { type: "url", url: "https://a.invalid/b.png" }, mediaType: "image/png" },
      expect.objectContaining({ type: "file", data: { type: "reference", reference: { openai: "file-1" } } }),
    ]);
  });

  test("with files in a result keeps the file where its text is clipped", async () => {
    const session = await engineOf().session("s");
    const { transformParams } = palimpsestMiddleware({ session });
    const file = { type: "file" as const, mediaType: "image/png", data: { type: "data" as const, data: "iVA=" } };
    const [call] = step(1);
    const text = Array.from({ length: 14 }, (_, index) => roomLog(index)).join("\n");
    const output = { type: "content" as const, value: [{ type: "text" as const, text }, file] };
    const result = { type: "tool-result" as const, toolCallId: "call_1", toolName: "read_room", output };
    const prompt: LanguageModelV4Prompt = [user("Read."), ...(call ? [call] : []), { role: "tool", content: [result] }];
    const { prompt: sent } = await transformParams({ params: { prompt } });
    expect(bytesOf(sent)).toBeLessThan(bytesOf(prompt));
    expect(sent.at(-1)?.content).toMatchObject([{ toolCallId: "call_1", output: { type: "content" } }]);
    expect(JSON.stringify(sent.at(-1))).toContain("hidden");
    const [shown] = sent.at(-1)?.content ?? [];
    expect(typeof shown === "object" && shown.type === "tool-result" && shown.output).toMatchObject({
      value: [{}, file],
    });
  });
});

const inputSchema = z.object({ room: z.number() });
const readRoom = tool({ inputSchema, execute: async ({ room }) => roomLog(room) });
/** The scripted server stores no replies. */
const STATELESS = { providerOptions: { openai: { store: false } } };
const LOOP = { prompt: TASK, maxRetries: 0, tools: { read_room: readRoom }, stopWhen: stepCountIs(40) };

async function startAgent(): Promise<ThirtyTurns> {
  const agent = await startThirtyTurns();
  server = agent.server;
  return agent;
}

describe("whatever the provider", () => {
  const MODELS: Readonly<Record<string, (server: ModelServer) => LanguageModelV4>> = {
    "OpenAI's Chat Completions": ({ baseUrls }) =>
      createOpenAI({ baseURL: baseUrls.openai, apiKey: "key" }).chat("gpt-4.1"),
    "OpenAI's Responses": ({ baseUrls }) =>
      createOpenAI({ baseURL: baseUrls.openai, apiKey: "key" }).responses("gpt-4.1"),
    Gemini: ({ baseUrls }) => createGoogleGenerativeAI({ baseURL: baseUrls.gemini, apiKey: "key" })("gemini-2.5-flash"),
  };

  test.each(Object.entries(MODELS))("%s takes every prompt", async (_, modelOf) => {
    const agent = await startAgent();
    const session = await engineOf().session("s");
    const model = wrapLanguageModel({ model: modelOf(agent.server), middleware: palimpsestMiddleware({ session }) });
    expect((await generateText({ model, ...LOOP, ...STATELESS })).text).toBe(FINAL_REPLY);
    expect(await figuresOf(agent, session)).toMatchObject({ roomsRead: ROOMS, refusals: 0, factsFound: ROOMS });
  });
});

describe("a refusal as too long", () => {
  // The engine believes in a window that the server does not have.
  const start = async () => {
    const agent = await startAgent();
    const session = await engineOf({ model: "a-model-of-ours", contextWindow: CONTEXT_WINDOW * 2 }).session("s");
    const anthropic = createAnthropic({ baseURL: agent.server.baseUrls.anthropic, apiKey: "key" });
    const model = wrapLanguageModel({ model: anthropic(MODEL_ID), middleware: palimpsestMiddleware({ session }) });
    return { agent, session, model };
  };

  test("is learnt from: the call is made once more with a shorter prompt", async () => {
    const { agent, session, model } = await start();
    expect((await generateText({ model, ...LOOP })).text).toBe(FINAL_REPLY);
    expect(await figuresOf(agent, session)).toMatchObject({ roomsRead: ROOMS, refusals: 1, factsFound: ROOMS });
  });

  test("is learnt from in a stream, too", async () => {
    const { agent, session, model } = await start();
    expect(await streamText({ model, ...LOOP }).text).toBe(FINAL_REPLY);
    expect(await figuresOf(agent, session)).toMatchObject({ roomsRead: ROOMS, refusals: 1, factsFound: ROOMS });
  });

  test("that comes again is passed on", async () => {
    const agent = await startAgent();
    const session = await engineOf().session("s");
    const anthropic = createAnthropic({ baseURL: agent.server.baseUrls.anthropic, apiKey: "key" });
    const model = wrapLanguageModel({ model: anthropic(MODEL_ID), middleware: palimpsestMiddleware({ session }) });
    const refusal = {
      type: "error",
      status: 400,
      message: "prompt is too long: 40000 tokens > 32000 maximum",
    } as const;
    agent.server.script(refusal, refusal, refusal);
    await expect(generateText({ model, ...LOOP })).rejects.toThrow("prompt is too long");
    expect(agent.server.requests.length).toBeLessThanOrEqual(2);
  });
});

describe("a fault of ours", () => {
  test("fails no call that would have worked", async () => {
    server = await startModelServer();
    const errors: unknown[] = [];
    const failing = { ...memoryStore(), append: () => Promise.reject(new Error("The disk is full.")) };
    const session = await engineOf({ store: failing }).session("s");
    const middleware = palimpsestMiddleware({ session, onError: (error) => errors.push(error) });
    const anthropic = createAnthropic({ baseURL: server.baseUrls.anthropic, apiKey: "key" });
    const model = wrapLanguageModel({ model: anthropic(MODEL_ID), middleware });
    expect((await generateText({ model, prompt: "Why?", maxRetries: 0 })).text).toContain("default reply");
    expect(errors).toHaveLength(1);
  });

  test("is not that nothing fits, and not that the caller gave up", async () => {
    const session = await engineOf({ contextWindow: 1_000 }).session("s");
    const { transformParams } = palimpsestMiddleware({ session });
    const system = { role: "system" as const, content: roomLog(1) };
    await expect(transformParams({ params: { prompt: [system, user("Why?")] } })).rejects.toMatchObject({
      code: "cannot-fit",
    });
    const abortSignal = AbortSignal.abort(new Error("Enough."));
    await expect(transformParams({ params: { prompt: [user("Why?")], abortSignal } })).rejects.toThrow("Enough.");
  });
});

describe("the session", () => {
  test("is the one that a call names", async () => {
    const engine = engineOf();
    const { transformParams } = palimpsestMiddleware({ engine, sessionId: "default" });
    const call = (text: string, sessionId?: string) =>
      transformParams({
        params: { prompt: [user(text)], ...(sessionId && { providerOptions: { palimpsest: { sessionId } } }) },
      });
    await call("One.", "a");
    await call("Two.", "b");
    await call("Three.");
    const first = async (id: string) => (await (await engine.session(id)).log()).map(({ content }) => content);
    expect(await Promise.all(["a", "b", "default"].map(first))).toMatchObject([
      [[{ text: "One." }]],
      [[{ text: "Two." }]],
      [[{ text: "Three." }]],
    ]);
  });

  test("must be named", async () => {
    const { transformParams } = palimpsestMiddleware({ engine: engineOf() });
    const call = transformParams({ params: { prompt: [user("Why?")] } });
    await expect(call).rejects.toMatchObject({
      code: "invalid-argument",
      message: expect.stringContaining("sessionId"),
    });
  });
});
