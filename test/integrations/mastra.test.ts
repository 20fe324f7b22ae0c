/** Mastra's agents with us: what is sent fits, and what Mastra keeps is whole. */

import { MockMemory } from "@mastra/core/memory";
import { wrapLanguageModel } from "ai";
import { afterEach, expect, test } from "vitest";
import { createEngine, type EngineOptions } from "../../src/index.ts";
import { palimpsestMiddleware } from "../../src/integrations/ai-sdk/index.ts";
import { palimpsestProcessor } from "../../src/integrations/mastra/index.ts";
import { CALL, inspector, startMastraTurns, THREAD } from "./mastra-agent.ts";
import {
  CONTEXT_WINDOW,
  FINAL_REPLY,
  factOf,
  figuresOf,
  MODEL_ID,
  ROOMS,
  roomLog,
  rooms,
  TASK,
} from "./thirty-turns.ts";

let close: (() => Promise<void>) | undefined;
afterEach(() => close?.());

async function start(options: Partial<EngineOptions> = {}) {
  const { turns, model } = await startMastraTurns();
  close = () => turns.server.close();
  const errors: unknown[] = [];
  const engine = createEngine({ model: MODEL_ID, contextWindow: CONTEXT_WINDOW, ...options });
  const processor = palimpsestProcessor({ engine, onError: (error) => errors.push(error) });
  return { turns, model, errors, engine, processor };
}

/** Rooms whose logs are whole in what Mastra keeps. */
function roomsIn(kept: unknown): number {
  const text = JSON.stringify(kept);
  return rooms().filter((room) => text.includes(JSON.stringify(roomLog(room)).slice(1, -1))).length;
}

test("dies in a third of the way without us", async () => {
  const { turns, model } = await start();
  await expect(inspector({ model }).generate(TASK, CALL)).rejects.toThrow("prompt is too long");
  expect(await figuresOf(turns)).toMatchObject({ roomsRead: 9, refusals: 1 });
});

test.each(["generate", "stream"] as const)(
  "%s reads all rooms, and neither run nor memory has a fold",
  async (method) => {
    const { turns, model, errors, engine, processor } = await start();
    const memory = new MockMemory();
    const agent = inspector({ model, memory, inputProcessors: [processor] });
    const output = method === "generate" ? await agent.generate(TASK, CALL) : await agent.stream(TASK, CALL);
    expect(await output.text).toBe(FINAL_REPLY);
    expect(errors).toEqual([]);
    const session = await engine.session(THREAD.thread);
    expect(await figuresOf(turns, session)).toMatchObject({ roomsRead: ROOMS, refusals: 0, factsFound: ROOMS });
    expect(roomsIn(await output.steps)).toBe(ROOMS);
    const kept = await memory.recall({ threadId: THREAD.thread, resourceId: THREAD.resource });
    expect(roomsIn(kept.messages)).toBe(ROOMS);
    for (const { id } of await session.folds()) expect(JSON.stringify(kept.messages)).not.toContain(id);
    const said = (await session.log()).filter(({ isSummary, isTruncationMarker }) => !isSummary && !isTruncationMarker);
    expect(said).toHaveLength(1 + 2 * ROOMS);
    expect((await session.folds()).length).toBeGreaterThan(0);
  },
);
