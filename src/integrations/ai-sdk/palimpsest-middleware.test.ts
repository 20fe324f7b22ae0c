import { createAnthropic } from "@ai-sdk/anthropic";
import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import { generateText, wrapLanguageModel } from "ai";
import { afterEach, describe, expect, test } from "vitest";
import { CONTEXT_WINDOW, MODEL_ID, roomLog } from "../../../test/integrations/thirty-turns.ts";
import { assistant, step, steps, user } from "../../../test/support/ai-sdk-prompts.ts";
import { deepFreeze } from "../../../test/support/messages.ts";
import { createEngine, type EngineOptions } from "../../index.ts";
import { memoryStore } from "../../stores/memory/index.ts";
import { type ModelServer, startModelServer } from "../../testing/index.ts";
import { palimpsestMiddleware } from "./index.ts";

let server: ModelServer | undefined;
afterEach(() => server?.close());

const engineOf = (options: Partial<EngineOptions> = {}) =>
  createEngine({ model: MODEL_ID, contextWindow: CONTEXT_WINDOW, ...options });

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
    expect((await session.events()).map(({ type }) => type)).toEqual(["request"]);
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
