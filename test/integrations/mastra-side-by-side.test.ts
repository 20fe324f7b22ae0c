/** The same agent without help, with Mastra's own processors, and with us: prints the rows of docs/guides/integrations.md. */
import { MockMemory } from "@mastra/core/memory";
import { type InputProcessor, TokenLimiter, ToolCallFilter } from "@mastra/core/processors";
import { afterEach, expect, test } from "vitest";
import type { Session } from "../../src/engine/session/session.ts";
import { createEngine } from "../../src/index.ts";
import { palimpsestProcessor } from "../../src/integrations/mastra/index.ts";
import { endOf, inspector, startMastraTurns } from "./mastra-agent.ts";
import { CONTEXT_WINDOW, figuresOf, MODEL_ID, printFigures, ROOMS } from "./thirty-turns.ts";

let close: (() => Promise<void>) | undefined;
afterEach(() => close?.());

interface Help {
  readonly name: string;
  readonly processor?: InputProcessor;
  readonly session?: Session;
}

/** Runs the agent with one processor, and prints how it went. */
async function run({ name, processor, session }: Help) {
  const { turns, models } = await startMastraTurns();
  close = () => turns.server.close();
  const inputProcessors = processor === undefined ? [] : [processor];
  const ended = await endOf(inspector({ model: models.v3, memory: new MockMemory(), inputProcessors }));
  const figures = await figuresOf(turns, session);
  printFigures(name, ended, figures);
  return { ended, ...figures };
}

test("without help it ends after a third of the rooms", async () => {
  const figures = await run({ name: "nothing" });
  expect(figures).toMatchObject({ ended: "refused", refusals: 1 });
  expect(figures.roomsRead).toBeLessThan(ROOMS / 2);
});

test("TokenLimiter close to the window counts too little, and the request is refused", async () => {
  const figures = await run({ name: "`TokenLimiter`, 30,000 tokens", processor: new TokenLimiter(30_000) });
  expect(figures).toMatchObject({ ended: "refused", refusals: 1 });
});

test.each([
  ["`TokenLimiter`, 20,000 tokens", () => new TokenLimiter(20_000)],
  ["`ToolCallFilter`, all but the last 5 steps", () => new ToolCallFilter({ filterAfterToolSteps: 5 })],
])("%s finishes, and the model sees no more of what it dropped", async (name, create) => {
  const figures = await run({ name, processor: create() });
  expect(figures).toMatchObject({ ended: "finished", roomsRead: ROOMS, refusals: 0 });
  expect(figures.factsFound).toBeLessThan(ROOMS / 2);
});

test("with us it finishes, and every fact can be found", async () => {
  const session = await createEngine({ model: MODEL_ID, contextWindow: CONTEXT_WINDOW }).session("inspection");
  const figures = await run({ name: "`palimpsestProcessor`", processor: palimpsestProcessor({ session }), session });
  expect(figures).toMatchObject({ ended: "finished", roomsRead: ROOMS, refusals: 0, factsFound: ROOMS });
});
