/** Whatever is said through a wrapped model of the AI SDK, the provider takes what is sent: over growing histories, folded in every way. */
import { createAnthropic } from "@ai-sdk/anthropic";
import { generateText, wrapLanguageModel } from "ai";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Message } from "../../src/core/message/message.ts";
import { palimpsestMiddleware } from "../../src/integrations/ai-sdk/index.ts";
import { toAiSdk } from "../../src/messages/index.ts";
import { type ModelServer, startModelServer } from "../../src/testing/index.ts";
import { AI_SDK_TOOLS } from "../support/ai-sdk-clients.ts";
import { windowOf } from "../support/message-wires.ts";
import { buildEpisode, episode, labels, opening } from "./long-conversations.ts";
import { LONG_TIMEOUT_MS, longRuns, withKnownCases } from "./long-runs.ts";
import { STRATEGIES } from "./standing-runs.ts";

const plan = fc.integer({ min: 4_000, max: 12_000 }).chain((contextWindow) =>
  fc.record({
    contextWindow: fc.constant(contextWindow),
    labels,
    opening: opening(contextWindow),
    steps: fc.array(episode(contextWindow), { minLength: 2, maxLength: 6, size: "max" }),
  }),
);

/** The known ones fold. */
const RUNS = withKnownCases(longRuns(20), { of: plan, count: 2 });

let server: ModelServer;

beforeAll(async () => {
  server = await startModelServer({ contextWindow: windowOf });
});

afterAll(() => server.close());

describe.each(Object.entries(STRATEGIES))("with %s", (_, createWith) => {
  test("every prompt is taken", { timeout: LONG_TIMEOUT_MS }, async () => {
    const tally = { folds: 0 };
    const property = fc.asyncProperty(plan, async ({ contextWindow, labels: labelled, opening: first, steps }) => {
      const engine = createWith({ model: "scripted", contextWindow, maxTokens: 500, now: () => 0 });
      const session = await engine.session("task");
      const errors: unknown[] = [];
      const middleware = palimpsestMiddleware({ session, onError: (error) => errors.push(error) });
      const anthropic = createAnthropic({ baseURL: server.baseUrls.anthropic, apiKey: "key" });
      const model = wrapLanguageModel({ model: anthropic(`claude-w${contextWindow}`), middleware });
      const said: Message[] = [];
      for (const each of [first, ...steps]) {
        said.push(...buildEpisode(each, { firstTurn: said.length, labels: labelled }));
        const { messages } = toAiSdk(said);
        await generateText({ model, messages, tools: AI_SDK_TOOLS, maxRetries: 0 });
      }
      expect(errors).toEqual([]);
      tally.folds += (await session.folds()).length;
    });
    await fc.assert(property, RUNS);
    expect(tally.folds).toBeGreaterThan(0);
  });
});
