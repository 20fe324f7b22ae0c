import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createEngine } from "../../src/index.ts";
import { palimpsestMiddleware } from "../../src/integrations/langchain/index.ts";
import { roomAgent, runAgent } from "./langchain-agent.ts";
import {
  CONTEXT_WINDOW,
  FINAL_REPLY,
  figuresOf,
  MODEL_ID,
  ROOMS,
  roomLog,
  rooms,
  startThirtyTurns,
  type ThirtyTurns,
} from "./thirty-turns.ts";

let run: ThirtyTurns;

beforeEach(async () => {
  run = await startThirtyTurns();
});

afterEach(() => run.server.close());

describe("thirty tool turns in a window of 32,000 tokens", () => {
  test("are too many for an agent without Palimpsest", async () => {
    const { error } = await runAgent(roomAgent(run.server, []), "alone");
    expect(String(error)).toContain("prompt is too long");
    const { roomsRead, refusals } = await figuresOf(run);
    expect({ isEarly: roomsRead < 12, refusals }).toEqual({ isEarly: true, refusals: 1 });
  });

  test("are all done with it, and the agent's state keeps every result whole", async () => {
    const engine = createEngine({ model: MODEL_ID, contextWindow: CONTEXT_WINDOW, maxTokens: 1_000 });
    const errors: unknown[] = [];
    const middleware = palimpsestMiddleware({ engine, onError: (error) => errors.push(error) });
    const { messages, error } = await runAgent(roomAgent(run.server, [middleware]), "inspection");
    expect({ error, errors }).toEqual({ error: undefined, errors: [] });

    const session = await engine.session("inspection");
    const figures = await figuresOf(run, session);
    expect(figures).toMatchObject({ roomsRead: ROOMS, refusals: 0, factsFound: ROOMS });
    expect((await session.folds()).length).toBeGreaterThan(0);

    const results = messages.filter(({ type }) => type === "tool").map(({ content }) => content);
    expect(results).toEqual(rooms().map(roomLog));
    expect(messages.at(-1)?.text).toBe(FINAL_REPLY);
  });
});
