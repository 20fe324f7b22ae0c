import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider";
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
import { steps, user } from "../../../test/support/ai-sdk-prompts.ts";
import { createEngine, type EngineOptions } from "../../index.ts";
import { type ModelServer, startModelServer } from "../../testing/index.ts";
import { palimpsestMiddleware } from "./index.ts";

let server: ModelServer | undefined;
afterEach(() => server?.close());

const engineOf = (options: Partial<EngineOptions> = {}) =>
  createEngine({ model: MODEL_ID, contextWindow: CONTEXT_WINDOW, ...options });

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

const MODELS: Readonly<Record<string, (server: ModelServer) => LanguageModelV4>> = {
  "OpenAI's Chat Completions": ({ baseUrls }) =>
    createOpenAI({ baseURL: baseUrls.openai, apiKey: "key" }).chat("gpt-4.1"),
  "OpenAI's Responses": ({ baseUrls }) =>
    createOpenAI({ baseURL: baseUrls.openai, apiKey: "key" }).responses("gpt-4.1"),
  Gemini: ({ baseUrls }) => createGoogleGenerativeAI({ baseURL: baseUrls.gemini, apiKey: "key" })("gemini-2.5-flash"),
};

function modelOf(name: string, from: ModelServer): LanguageModelV4 {
  return MODELS[name]?.(from) ?? expect.unreachable(name);
}

describe("whatever the provider", () => {
  test.each(Object.keys(MODELS))("%s takes every prompt", async (name) => {
    const agent = await startAgent();
    const session = await engineOf().session("s");
    const model = wrapLanguageModel({
      model: modelOf(name, agent.server),
      middleware: palimpsestMiddleware({ session }),
    });
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

  test.each(Object.keys(MODELS))(
    "that comes when the stream of %s has opened is learnt from, and nothing of it is seen",
    async (name) => {
      server = await startModelServer();
      const session = await engineOf().session("s");
      const model = wrapLanguageModel({ model: modelOf(name, server), middleware: palimpsestMiddleware({ session }) });
      const message =
        "This model's maximum context length is 12000 tokens. However, your messages resulted in 18000 tokens.";
      server.script(
        { type: "late-error", status: 400, message, code: "context_length_exceeded" },
        { type: "text", text: FINAL_REPLY },
      );
      const { stream } = await model.doStream({ prompt: [user("Read."), ...steps(6)], ...STATELESS });
      const parts: LanguageModelV4StreamPart[] = [];
      for await (const part of stream) parts.push(part);
      expect(parts.map(({ type }) => type)).not.toContain("error");
      expect(parts.flatMap((part) => (part.type === "text-delta" ? [part.delta] : [])).join("")).toBe(FINAL_REPLY);
      expect(server.requests).toHaveLength(2);
      const [first, second] = server.requests;
      expect(second?.promptTokens).toBeLessThan(first?.promptTokens ?? 0);
    },
  );

  test("that comes again when the stream has opened is passed on with all of its parts", async () => {
    server = await startModelServer();
    const session = await engineOf().session("s");
    const model = wrapLanguageModel({
      model: modelOf("Gemini", server),
      middleware: palimpsestMiddleware({ session }),
    });
    const message = "The input token count (18000) exceeds the maximum number of tokens allowed (12000).";
    const refusal = { type: "late-error", status: 400, message } as const;
    server.script(refusal, refusal);
    const { stream } = await model.doStream({ prompt: [user("Read."), ...steps(6)] });
    const types: string[] = [];
    for await (const part of stream) types.push(part.type);
    expect(types).toEqual(["stream-start", "error", "finish"]);
    expect(server.requests).toHaveLength(2);
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
