import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createEngine } from "../../src/index.ts";
import { palimpsestProvider, palimpsestSession } from "../../src/integrations/openai-agents/index.ts";
import { sized } from "../chaos/chaos-size.ts";
import { OPENAI_MODEL, openAiProvider, resultsOf, runAgent } from "./openai-agents-agent.ts";
import {
  CONTEXT_WINDOW,
  FINAL_REPLY,
  figuresOf,
  ROOMS,
  reportedTokens,
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

function roomEngine() {
  return createEngine({ model: OPENAI_MODEL, contextWindow: CONTEXT_WINDOW, maxTokens: 1_000 });
}

/** The first one is what the SDK does by itself. */
const WAYS = [
  { wire: "openai-responses", streams: true },
  { wire: "openai-responses", streams: false },
  { wire: "openai", streams: false },
] as const;

describe("thirty tool turns in a window of 32,000 tokens", () => {
  test("are too many for an agent without Palimpsest", async () => {
    const { error } = await runAgent({ provider: openAiProvider(run.server, "openai-responses") });
    expect(String(error)).toContain("exceeds the context window");
    const { roomsRead, refusals } = await figuresOf(run);
    expect({ isEarly: roomsRead < 12, refusals }).toEqual({ isEarly: true, refusals: 1 });
  });

  test.each(sized<readonly (typeof WAYS)[number][]>({ full: WAYS, short: WAYS.slice(0, 1) }))(
    "are all done with it, and the SDK keeps every result whole: $wire, streams $streams",
    async (how) => {
      const engine = roomEngine();
      const errors: unknown[] = [];
      const conversation = { engine, sessionId: "inspection", onError: (error: unknown) => errors.push(error) };
      const session = palimpsestSession(conversation);
      const provider = palimpsestProvider(openAiProvider(run.server, how.wire), conversation);
      const { finalOutput, results, error } = await runAgent({ provider, session, streams: how.streams });
      expect({ error, errors, finalOutput }).toEqual({ error: undefined, errors: [], finalOutput: FINAL_REPLY });

      const own = await engine.session("inspection");
      const figures = await figuresOf(run, own);
      expect(figures).toMatchObject({ roomsRead: ROOMS, refusals: 0, factsFound: ROOMS });
      expect(await reportedTokens(own)).toBe(figures.tokensSent);
      expect((await own.folds()).length).toBeGreaterThan(0);
      expect((await own.events()).filter(({ type }) => type === "rewound")).toEqual([]);

      const whole = rooms().map(roomLog);
      expect(results).toEqual(whole);
      expect(resultsOf(await session.getItems())).toEqual(whole);
    },
  );
});
