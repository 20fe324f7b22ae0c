/** The same agent without help, with OpenAI's own compaction, and with us: prints the rows of docs/guides/integrations.md. */
import { OpenAIResponsesCompactionSession } from "@openai/agents";
import OpenAI from "openai";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createEngine } from "../../src/index.ts";
import { palimpsestProvider, palimpsestSession } from "../../src/integrations/openai-agents/index.ts";
import type { ModelRequest, ScriptedReply } from "../../src/testing/index.ts";
import { OPENAI_MODEL, openAiProvider, resultsOf, runAgent } from "./openai-agents-agent.ts";
import {
  CONTEXT_WINDOW,
  figuresOf,
  printFigures,
  ROOMS,
  roomLog,
  rooms,
  startThirtyTurns,
  type ThirtyTurns,
} from "./thirty-turns.ts";

let turns: ThirtyTurns;
/** Whether the model says something after each room, as where a person asks for one room after the other. */
let answersEachRoom = false;

const ROOM_READ: ScriptedReply = { type: "text", text: "That room is read." };

beforeEach(async () => {
  answersEachRoom = false;
  const replyAside = (request: ModelRequest) => (answersEachRoom && endsInResult(request) ? ROOM_READ : undefined);
  turns = await startThirtyTurns({ replyAside });
});

afterEach(() => turns.server.close());

function endsInResult({ body }: ModelRequest): boolean {
  const items: readonly unknown[] = Array.isArray(body.input) ? body.input : [];
  return JSON.stringify(items.at(-1) ?? null).includes("function_call_output");
}

const provider = () => openAiProvider(turns.server, "openai-responses");

/** As its guide makes it, but for the mode: without stored responses, the session's items are what is compacted. */
function compactionSession(): OpenAIResponsesCompactionSession {
  const client = new OpenAI({ baseURL: turns.server.baseUrls["openai-responses"], apiKey: "key", maxRetries: 0 });
  return new OpenAIResponsesCompactionSession({ client, model: OPENAI_MODEL, compactionMode: "input" });
}

function palimpsest() {
  const engine = createEngine({ model: OPENAI_MODEL, contextWindow: CONTEXT_WINDOW, maxTokens: 1_000 });
  const conversation = { engine, sessionId: "rooms" };
  return {
    provider: palimpsestProvider(provider(), conversation),
    session: palimpsestSession(conversation),
    ownSession: () => engine.session("rooms"),
  };
}

type Way = Parameters<typeof runAgent>[0];

async function runOnce(way: Way): Promise<"finished" | "refused"> {
  const { error } = await runAgent(way);
  return error === undefined ? "finished" : "refused";
}

/** One call of the runner for each room, until one is refused. */
async function runByRooms(way: Way, afterRun?: () => Promise<unknown>): Promise<"finished" | "refused"> {
  answersEachRoom = true;
  for (const room of rooms()) {
    if ((await runOnce({ ...way, input: `Read room ${room}.` })) === "refused") return "refused";
    await afterRun?.();
  }
  return runOnce({ ...way, input: "Report." });
}

const compactionTokens = () =>
  turns.server.requests
    .filter(({ operation }) => operation === "compact")
    .reduce((sum, { promptTokens }) => sum + promptTokens, 0);

test("without help it ends after a third of the rooms", async () => {
  const ended = await runOnce({ provider: provider() });
  const figures = await figuresOf(turns);
  printFigures("nothing", ended, figures);
  expect({ ended, ...figures }).toMatchObject({ ended: "refused", refusals: 1 });
  expect(figures.roomsRead).toBeLessThan(ROOMS / 2);
});

test("OpenAI's session compacts between runs: one long run is refused all the same", async () => {
  const ended = await runOnce({ provider: provider(), session: compactionSession() });
  const figures = await figuresOf(turns);
  printFigures("`OpenAIResponsesCompactionSession`", ended, figures);
  expect({ ended, ...figures }).toMatchObject({ ended: "refused", refusals: 1 });
});

test("by itself OpenAI's session compacts once, and is refused in the end", async () => {
  const ended = await runByRooms({ provider: provider(), session: compactionSession() });
  const figures = await figuresOf(turns);
  printFigures(`\`OpenAIResponsesCompactionSession\`, a run for each room, + ${compactionTokens()}`, ended, figures);
  expect({ ended, ...figures }).toMatchObject({ ended: "refused", refusals: 1 });
  expect(turns.server.requests.filter(({ operation }) => operation === "compact").length).toBe(1);
});

test("asked to after each run, OpenAI's session finishes, and its history is what the compaction left", async () => {
  const session = compactionSession();
  const ended = await runByRooms({ provider: provider(), session }, () => session.runCompaction());
  const figures = await figuresOf(turns);
  printFigures(`\`runCompaction()\` after each run, + ${compactionTokens()}`, ended, figures);
  expect({ ended, ...figures }).toMatchObject({ ended: "finished", roomsRead: ROOMS, refusals: 0 });
  expect(figures.factsFound).toBeLessThan(ROOMS / 2);
  expect(resultsOf(await session.getItems()).length).toBeLessThan(ROOMS / 2);
});

test.each([
  ["`palimpsestProvider`", runOnce],
  ["`palimpsestProvider`, a run for each room", runByRooms],
] as const)("%s finishes, every fact can be found, and the SDK keeps every result", async (name, run) => {
  const ours = palimpsest();
  const ended = await run(ours);
  const figures = await figuresOf(turns, await ours.ownSession());
  printFigures(name, ended, figures);
  expect({ ended, ...figures }).toMatchObject({ ended: "finished", roomsRead: ROOMS, refusals: 0, factsFound: ROOMS });
  expect(resultsOf(await ours.session.getItems())).toEqual(rooms().map(roomLog));
});
