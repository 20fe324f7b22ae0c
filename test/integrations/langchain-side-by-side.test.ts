/** The same agent with LangChain's own summaries, and with us: prints the rows of docs/guides/integrations.md. */
import { type AgentMiddleware, summarizationMiddleware } from "langchain";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createEngine } from "../../src/index.ts";
import { palimpsestMiddleware } from "../../src/integrations/langchain/index.ts";
import { type ModelServer, startModelServer } from "../../src/testing/index.ts";
import { chatModel, roomAgent, runAgent } from "./langchain-agent.ts";
import { CONTEXT_WINDOW, figuresOf, MODEL_ID, ROOMS, type RunFigures, startThirtyTurns } from "./thirty-turns.ts";

let summarizer: ModelServer;

beforeAll(async () => {
  // It says what was done, and no fact: what a real model keeps of thirty facts is not measured here.
  const text = "The logs of the rooms so far were read with read_room, one by one; the next room is to be read.";
  summarizer = await startModelServer({ reply: () => ({ type: "text", text }) });
});

afterAll(() => summarizer.close());

/** Typed for zod 3, its options are `never` with zod 4. */
function summaries(triggerTokens: number): AgentMiddleware {
  const options = { model: chatModel(summarizer), trigger: { tokens: triggerTokens }, keep: { messages: 6 } };
  return Reflect.apply(summarizationMiddleware, undefined, [options]);
}

interface Row extends RunFigures {
  /** Results that the agent's own history still has. */
  readonly resultsInState: number;
  readonly isDone: boolean;
}

async function rowOf(
  name: string,
  middleware: readonly AgentMiddleware[],
  session?: Parameters<typeof figuresOf>[1],
): Promise<Row> {
  const run = await startThirtyTurns();
  try {
    const { messages, error } = await runAgent(roomAgent(run.server, middleware), name);
    const resultsInState = messages.filter(({ type }) => type === "tool").length;
    const row = { ...(await figuresOf(run, session)), resultsInState, isDone: error === undefined };
    print(name, row);
    return row;
  } finally {
    await run.server.close();
  }
}

function print(name: string, row: Row): void {
  const { isDone, roomsRead, refusals, factsInLastPrompt, factsFound, tokensSent, resultsInState } = row;
  const tokens = tokensSent.toLocaleString("en-US");
  const ended = isDone ? "finished" : "refused";
  // An agent that failed gives no state.
  const results = isDone ? resultsInState : "–";
  const cells = [name, ended, roomsRead, refusals, factsInLastPrompt, factsFound, tokens, results];
  console.log(`| ${cells.join(" | ")} |`);
}

/** What LangChain sent to have summaries written. */
const summaryTokens = () => summarizer.requests.reduce((sum, { promptTokens }) => sum + promptTokens, 0);

test("without help it ends after a third of the rooms", async () => {
  const row = await rowOf("nothing", []);
  expect(row).toMatchObject({ isDone: false, refusals: 1 });
  expect(row.roomsRead).toBeLessThan(ROOMS / 2);
});

test("LangChain's summaries need a trigger far below the window, and leave no fact to find", async () => {
  const late = await rowOf("summarizationMiddleware at 20,000", [summaries(20_000)]);
  expect(late).toMatchObject({ isDone: false, refusals: 1 });
  const early = await rowOf("summarizationMiddleware at 10,000", [summaries(10_000)]);
  console.log(
    `and ${summaryTokens().toLocaleString("en-US")} tokens in ${summarizer.requests.length} requests for summaries`,
  );
  expect(early).toMatchObject({ isDone: true, roomsRead: ROOMS, refusals: 0 });
  expect(early.factsFound).toBeLessThan(ROOMS / 2);
  expect(early.resultsInState).toBeLessThan(ROOMS / 2);
});

test("Palimpsest finishes with every fact found, and with the state whole", async () => {
  const engine = createEngine({ model: MODEL_ID, contextWindow: CONTEXT_WINDOW, maxTokens: 1_000 });
  const session = await engine.session("inspection");
  const row = await rowOf("palimpsestMiddleware", [palimpsestMiddleware({ session })], session);
  expect(row).toMatchObject({ isDone: true, roomsRead: ROOMS, refusals: 0, factsFound: ROOMS, resultsInState: ROOMS });
});
