import { createAnthropic } from "@ai-sdk/anthropic";
import { generateText, type ModelMessage, stepCountIs, streamText, tool } from "ai";
import * as ai5 from "ai-5";
import * as ai6 from "ai-6";
import { createAnthropic as createAnthropic5 } from "ai-sdk-5-anthropic";
import { createAnthropic as createAnthropic6 } from "ai-sdk-6-anthropic";
import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import {
  CONTEXT_WINDOW,
  FINAL_REPLY,
  figuresOf,
  MODEL_ID,
  ROOMS,
  roomLog,
  SYSTEM,
  startThirtyTurns,
  TASK,
  type ThirtyTurns,
  TOOL_DESCRIPTION,
} from "../../../test/integrations/thirty-turns.ts";
import { createEngine } from "../../index.ts";
import { memoryStore } from "../../stores/memory/index.ts";
import { palimpsestPrepareStep } from "./index.ts";

let agent: ThirtyTurns | undefined;
afterEach(() => agent?.server.close());

const inputSchema = z.object({ room: z.number() });
const readRoom = {
  description: TOOL_DESCRIPTION,
  inputSchema,
  execute: async ({ room }: { room: number }) => roomLog(room),
};
const TOOLS = [{ name: "read_room", description: TOOL_DESCRIPTION }];
const CALL = { system: SYSTEM, prompt: TASK, maxRetries: 0 };

async function start() {
  agent = await startThirtyTurns();
  const engine = createEngine({ model: MODEL_ID, contextWindow: CONTEXT_WINDOW });
  const session = await engine.session("inspection", { systemPrompt: SYSTEM, tools: TOOLS });
  const folds: number[] = [];
  const prepareStep = palimpsestPrepareStep({ session, onReport: ({ foldIds }) => folds.push(foldIds.length) });
  const connection = { baseURL: agent.server.baseUrls.anthropic, apiKey: "key" };
  return { agent, session, prepareStep, folds, connection };
}

type Started = Awaited<ReturnType<typeof start>>;

const RUNS: Readonly<Record<string, (started: Started) => Promise<{ text: string; results: number }>>> = {
  "generateText of AI SDK 7": async ({ connection, prepareStep }) => {
    const model = createAnthropic(connection)(MODEL_ID);
    const tools = { read_room: tool(readRoom) };
    const { text, steps } = await generateText({ model, ...CALL, tools, stopWhen: stepCountIs(40), prepareStep });
    return { text, results: steps.flatMap(({ toolResults }) => toolResults).length };
  },
  "streamText of AI SDK 7": async ({ connection, prepareStep }) => {
    const model = createAnthropic(connection)(MODEL_ID);
    const tools = { read_room: tool(readRoom) };
    const result = streamText({ model, ...CALL, tools, stopWhen: stepCountIs(40), prepareStep });
    return { text: await result.text, results: (await result.steps).flatMap(({ toolResults }) => toolResults).length };
  },
  "generateText of AI SDK 6": async ({ connection, prepareStep }) => {
    const model = createAnthropic6(connection)(MODEL_ID);
    const tools = { read_room: ai6.tool(readRoom) };
    const { text, steps } = await ai6.generateText({
      ...{ model, ...CALL, tools, prepareStep },
      stopWhen: ai6.stepCountIs(40),
    });
    return { text, results: steps.flatMap(({ toolResults }) => toolResults).length };
  },
  "generateText of AI SDK 5": async ({ connection, prepareStep }) => {
    const model = createAnthropic5(connection)(MODEL_ID);
    const tools = { read_room: ai5.tool(readRoom) };
    const { text, steps } = await ai5.generateText({
      ...{ model, ...CALL, tools, prepareStep },
      stopWhen: ai5.stepCountIs(40),
    });
    return { text, results: steps.flatMap(({ toolResults }) => toolResults).length };
  },
};

test.each(Object.entries(RUNS))("%s reads all thirty rooms, each step made of all that was said", async (_, run) => {
  const started = await start();
  const { text, results } = await run(started);
  expect(text).toBe(FINAL_REPLY);
  expect(results).toBe(ROOMS);
  const { session, folds } = started;
  expect(await figuresOf(started.agent, session)).toMatchObject({ roomsRead: ROOMS, refusals: 0, factsFound: ROOMS });
  const said = (await session.log()).filter(({ isSummary, isTruncationMarker }) => !isSummary && !isTruncationMarker);
  expect(said).toHaveLength(1 + 2 * ROOMS);
  expect(JSON.stringify(said)).not.toContain("hidden;");
  expect((await session.events()).map(({ type }) => type)).not.toContain("rewound");
  expect(folds).toHaveLength(ROOMS + 1);
});

describe("a step", () => {
  const user = (content: string): ModelMessage => ({ role: "user", content });

  test("has what was said between steps, which version 7 gives with what was sent before", async () => {
    const { session, prepareStep } = await start();
    const first = await prepareStep({ messages: [user("Go.")], initialMessages: [user("Go.")], steps: [] });
    const steered = [...first.messages, { role: "assistant" as const, content: "Yes." }, user("Wait.")];
    const sent = await prepareStep({
      messages: steered,
      initialMessages: first.messages,
      responseMessages: steered.slice(1, 2),
      steps: [{ usage: undefined }],
    });
    expect(sent.messages).toEqual(steered);
    expect(await session.log()).toHaveLength(3);
  });

  test("of the next call begins anew", async () => {
    const { session, prepareStep } = await start();
    const { messages } = await prepareStep({ messages: [user("Go.")], steps: [] });
    const next = [...messages, { role: "assistant" as const, content: "Yes." }, user("On.")];
    expect((await prepareStep({ messages: next, steps: [] })).messages).toEqual(next);
    expect(await session.log()).toHaveLength(3);
  });

  test("is sent as it is where we fail", async () => {
    const errors: unknown[] = [];
    const store = { ...memoryStore(), append: () => Promise.reject(new Error("The disk is full.")) };
    const session = await createEngine({ model: MODEL_ID, store }).session("inspection");
    const prepareStep = palimpsestPrepareStep({ session, onError: (error) => errors.push(error) });
    expect(await prepareStep({ messages: [user("Go.")], steps: [] })).toEqual({ messages: [user("Go.")] });
    expect(errors).toHaveLength(1);
  });
});
