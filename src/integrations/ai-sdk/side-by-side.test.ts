/** The same agent without help, with the SDK's own pruning, and with us: prints the rows of docs/guides/integrations.md. */
import { createAnthropic } from "@ai-sdk/anthropic";
import {
  generateText,
  type LanguageModel,
  type PrepareStepFunction,
  pruneMessages,
  stepCountIs,
  tool,
  wrapLanguageModel,
} from "ai";
import { afterEach, expect, test } from "vitest";
import { z } from "zod";
import {
  CONTEXT_WINDOW,
  figuresOf,
  MODEL_ID,
  printFigures,
  ROOMS,
  roomLog,
  SYSTEM,
  startThirtyTurns,
  TASK,
  type ThirtyTurns,
} from "../../../test/integrations/thirty-turns.ts";
import { createEngine } from "../../index.ts";
import { palimpsestMiddleware } from "./index.ts";

let agent: ThirtyTurns | undefined;
afterEach(() => agent?.server.close());

const tools = {
  read_room: tool({ inputSchema: z.object({ room: z.number() }), execute: ({ room }) => roomLog(room) }),
};
type PrepareStep = PrepareStepFunction<typeof tools>;

async function start() {
  agent = await startThirtyTurns();
  const model = createAnthropic({ baseURL: agent.server.baseUrls.anthropic, apiKey: "key" })(MODEL_ID);
  return { agent, model };
}

/** Runs to its end, or to the refusal that ends it. */
async function run(model: LanguageModel, prepareStep?: PrepareStep): Promise<string> {
  const call = { model, system: SYSTEM, prompt: TASK, tools, maxRetries: 0, stopWhen: stepCountIs(40) };
  return generateText({ ...call, ...(prepareStep && { prepareStep }) }).then(
    () => "finished",
    () => "refused",
  );
}

test("without help it ends after a third of the rooms", async () => {
  const { agent, model } = await start();
  const ended = await run(model);
  const figures = await figuresOf(agent);
  printFigures("nothing", ended, figures);
  expect({ ended, ...figures }).toMatchObject({ ended: "refused", refusals: 1 });
  expect(figures.roomsRead).toBeLessThan(ROOMS / 2);
});

test("pruneMessages finishes, and what it dropped is gone", async () => {
  const { agent, model } = await start();
  const prepareStep: PrepareStep = ({ messages }) => ({
    messages: pruneMessages({ messages, toolCalls: "before-last-10-messages" }),
  });
  const ended = await run(model, prepareStep);
  const figures = await figuresOf(agent);
  printFigures("pruneMessages", ended, figures);
  expect({ ended, ...figures }).toMatchObject({ ended: "finished", roomsRead: ROOMS });
  expect(figures.factsFound).toBeLessThan(ROOMS / 2);
});

test("with us it finishes, and every fact can be found", async () => {
  const { agent, model } = await start();
  const session = await createEngine({ model: MODEL_ID, contextWindow: CONTEXT_WINDOW }).session("inspection");
  const ended = await run(wrapLanguageModel({ model, middleware: palimpsestMiddleware({ session }) }));
  const figures = await figuresOf(agent, session);
  printFigures("palimpsestMiddleware", ended, figures);
  expect({ ended, ...figures }).toMatchObject({ ended: "finished", roomsRead: ROOMS, refusals: 0, factsFound: ROOMS });
});
