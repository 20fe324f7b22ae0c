import { createAnthropic } from "@ai-sdk/anthropic";
import { generateText, stepCountIs, streamText, tool, wrapLanguageModel } from "ai";
import * as ai6 from "ai-6";
import { createAnthropic as createAnthropic6 } from "ai-sdk-6-anthropic";
import { afterEach, expect, test } from "vitest";
import { z } from "zod";
import {
  CONTEXT_WINDOW,
  FINAL_REPLY,
  figuresOf,
  MODEL_ID,
  ROOMS,
  reportedTokens,
  roomLog,
  SYSTEM,
  startThirtyTurns,
  TASK,
  type ThirtyTurns,
  TOOL_DESCRIPTION,
} from "../../../test/integrations/thirty-turns.ts";
import { createEngine } from "../../index.ts";
import { palimpsestMiddleware } from "./index.ts";

let agent: ThirtyTurns | undefined;
afterEach(() => agent?.server.close());

async function start() {
  agent = await startThirtyTurns();
  const errors: unknown[] = [];
  const session = await createEngine({ model: MODEL_ID, contextWindow: CONTEXT_WINDOW }).session("inspection");
  const middleware = palimpsestMiddleware({ session, onError: (error) => errors.push(error) });
  const connection = { baseURL: agent.server.baseUrls.anthropic, apiKey: "key" };
  return { agent, session, middleware, errors, connection };
}

const inputSchema = z.object({ room: z.number() });
const readRoom = {
  description: TOOL_DESCRIPTION,
  inputSchema,
  execute: async ({ room }: { room: number }) => roomLog(room),
};
const CALL = { system: SYSTEM, prompt: TASK, maxRetries: 0 };

function roomsIn(messages: readonly { readonly role: string; readonly content: unknown }[]): number {
  const results = messages.filter(({ role }) => role === "tool").map(({ content }) => JSON.stringify(content));
  return results.filter((result, index) => result.includes(JSON.stringify(roomLog(index + 1)).slice(1, -1))).length;
}

test("dies in a third of the way without us", async () => {
  const { agent, connection } = await start();
  const model = createAnthropic(connection)(MODEL_ID);
  const run = generateText({ model, ...CALL, tools: { read_room: tool(readRoom) }, stopWhen: stepCountIs(40) });
  await expect(run).rejects.toThrow("prompt is too long");
  const figures = await figuresOf(agent);
  expect(figures.roomsRead).toBeLessThan(12);
  expect(figures.refusals).toBe(1);
});

interface Run {
  readonly text: string;
  /** What the SDK itself has of the conversation. */
  readonly history: Parameters<typeof roomsIn>[0];
}

/** The agent, in each way that the SDK has to run it. */
const RUNS: Readonly<Record<string, (started: Awaited<ReturnType<typeof start>>) => Promise<Run>>> = {
  "generateText of AI SDK 7": async ({ connection, middleware }) => {
    const model = wrapLanguageModel({ model: createAnthropic(connection)(MODEL_ID), middleware });
    const result = await generateText({
      model,
      ...CALL,
      tools: { read_room: tool(readRoom) },
      stopWhen: stepCountIs(40),
    });
    return { text: result.text, history: result.responseMessages };
  },
  "streamText of AI SDK 7": async ({ connection, middleware }) => {
    const model = wrapLanguageModel({ model: createAnthropic(connection)(MODEL_ID), middleware });
    const result = streamText({ model, ...CALL, tools: { read_room: tool(readRoom) }, stopWhen: stepCountIs(40) });
    await result.consumeStream();
    return { text: await result.text, history: await result.responseMessages };
  },
  "generateText of AI SDK 6": async ({ connection, middleware }) => {
    const model = ai6.wrapLanguageModel({ model: createAnthropic6(connection)(MODEL_ID), middleware });
    const tools = { read_room: ai6.tool(readRoom) };
    const result = await ai6.generateText({ model, ...CALL, tools, stopWhen: ai6.stepCountIs(40) });
    return { text: result.text, history: result.response.messages };
  },
  "streamText of AI SDK 6": async ({ connection, middleware }) => {
    const model = ai6.wrapLanguageModel({ model: createAnthropic6(connection)(MODEL_ID), middleware });
    const tools = { read_room: ai6.tool(readRoom) };
    const result = ai6.streamText({ model, ...CALL, tools, stopWhen: ai6.stepCountIs(40) });
    await result.consumeStream();
    return { text: await result.text, history: (await result.response).messages };
  },
};

test.each(Object.entries(RUNS))("%s reads all thirty rooms, and keeps its own history whole", async (_, run) => {
  const started = await start();
  const { text, history } = await run(started);
  expect(text).toBe(FINAL_REPLY);
  expect(started.errors).toEqual([]);
  const { session } = started;
  const figures = await figuresOf(started.agent, session);
  expect(figures).toMatchObject({ roomsRead: ROOMS, refusals: 0, factsFound: ROOMS });
  expect(await reportedTokens(session)).toBe(figures.tokensSent);
  expect(roomsIn(history)).toBe(ROOMS);
  const said = (await session.log()).filter(({ isSummary, isTruncationMarker }) => !isSummary && !isTruncationMarker);
  // The task, and a call with its result for each room; the last reply comes with the next prompt.
  expect(said).toHaveLength(1 + 2 * ROOMS);
  expect((await session.folds()).length).toBeGreaterThan(0);
});
