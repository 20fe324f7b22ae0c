/** Mastra's agents with us: what is sent fits, and what Mastra keeps is whole. */

import { MockMemory } from "@mastra/core/memory";
import { wrapLanguageModel } from "ai-6";
import { afterEach, describe, expect, test } from "vitest";
import { createEngine, type EngineOptions, type PrepareReport } from "../../src/index.ts";
import { palimpsestMiddleware } from "../../src/integrations/ai-sdk/index.ts";
import { palimpsestProcessor } from "../../src/integrations/mastra/index.ts";
import { sized } from "../chaos/chaos-size.ts";
import { CALL, inspector, startMastraTurns, THREAD } from "./mastra-agent.ts";
import { CONTEXT_WINDOW, FINAL_REPLY, figuresOf, MODEL_ID, ROOMS, roomLog, rooms, TASK } from "./thirty-turns.ts";

let close: (() => Promise<void>) | undefined;
afterEach(async () => {
  await close?.();
  close = undefined;
});

function withUs(options: Partial<EngineOptions> = {}) {
  const errors: unknown[] = [];
  const reports: PrepareReport[] = [];
  const engine = createEngine({ model: MODEL_ID, contextWindow: CONTEXT_WINDOW, ...options });
  const processor = palimpsestProcessor({
    engine,
    onReport: (report) => reports.push(report),
    onError: (error) => errors.push(error),
  });
  return { engine, processor, errors, reports };
}

async function start() {
  const started = await startMastraTurns();
  close = () => started.turns.server.close();
  return started;
}

/** Rooms whose logs are whole in what Mastra keeps. */
function roomsIn(kept: unknown): number {
  const text = JSON.stringify(kept);
  return rooms().filter((room) => text.includes(JSON.stringify(roomLog(room)).slice(1, -1))).length;
}

/** The last ones are those of today. */
const WAYS = [
  ["generate", "v2"],
  ["generate", "v3"],
  ["stream", "v3"],
  ["generate", "v4"],
  ["stream", "v4"],
] as const;

describe("the agent of thirty turns", () => {
  test("dies in a third of the way without us", async () => {
    const { turns, models } = await start();
    await expect(inspector({ model: models.v3 }).generate(TASK, CALL)).rejects.toThrow("prompt is too long");
    expect(await figuresOf(turns)).toMatchObject({ roomsRead: 9, refusals: 1 });
  });

  test.each(sized<readonly (typeof WAYS)[number][]>({ full: WAYS, short: WAYS.slice(-2) }))(
    "reads all rooms with %s and a model %s, and Mastra's memory has no fold",
    async (method, version) => {
      const { turns, models } = await start();
      const { engine, processor, errors, reports } = withUs();
      const memory = new MockMemory();
      const agent = inspector({ model: models[version], memory, inputProcessors: [processor] });
      const output = method === "generate" ? await agent.generate(TASK, CALL) : await agent.stream(TASK, CALL);
      expect(await output.text).toContain(FINAL_REPLY);
      expect(errors).toEqual([]);
      expect(reports).toHaveLength(ROOMS + 1);
      const session = await engine.session(THREAD.thread);
      expect(await figuresOf(turns, session)).toMatchObject({ roomsRead: ROOMS, refusals: 0, factsFound: ROOMS });
      expect((await session.folds()).length).toBeGreaterThan(0);
      const said = (await session.log()).filter(
        ({ isSummary, isTruncationMarker }) => !isSummary && !isTruncationMarker,
      );
      // The task, and a call with its result for each room; the last reply comes with the next prompt.
      expect(said).toHaveLength(1 + 2 * ROOMS);
      const kept = await memory.recall({ threadId: THREAD.thread, resourceId: THREAD.resource });
      expect(roomsIn(kept.messages)).toBe(ROOMS);
      expect(roomsIn(await output.steps)).toBe(ROOMS);
    },
  );

  test("reads all rooms with the middleware for the AI SDK around its model", async () => {
    const { turns, models } = await start();
    const session = await withUs().engine.session("inspection");
    const model = wrapLanguageModel({ model: models.v3, middleware: palimpsestMiddleware({ session }) });
    const memory = new MockMemory();
    await inspector({ model, memory }).generate(TASK, CALL);
    expect(await figuresOf(turns, session)).toMatchObject({ roomsRead: ROOMS, refusals: 0, factsFound: ROOMS });
    const kept = await memory.recall({ threadId: THREAD.thread, resourceId: THREAD.resource });
    expect(roomsIn(kept.messages)).toBe(ROOMS);
  });

  test("sends a shorter prompt where the server refuses one as too long", async () => {
    const { turns, models } = await start();
    // The engine believes in a window that the server does not have.
    const { processor } = withUs({ contextWindow: 60_000, maxTokens: 1_000 });
    const processors = { inputProcessors: [processor], errorProcessors: [processor], maxProcessorRetries: 3 };
    await inspector({ model: models.v3, ...processors }).generate(TASK, CALL);
    const { roomsRead, refusals } = await figuresOf(turns);
    expect({ roomsRead, isFew: refusals > 0 && refusals < 5 }).toEqual({ roomsRead: ROOMS, isFew: true });
  });
});
