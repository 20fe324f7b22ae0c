import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildTurns, conversationPlan } from "../../../test/properties/conversations.ts";
import { user } from "../../../test/support/messages.ts";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import { type ModelServer, startModelServer } from "../../testing/index.ts";
import { createModelHandler } from "./index.ts";

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer({ contextWindow: 10_000_000 });
});
afterAll(() => server.close());

// Any messages of a conversation, without the others: pairs are torn apart, roles repeat, and the assistant may begin.
const torn = fc
  .tuple(conversationPlan, fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }))
  .map(([plan, kept]) => [
    ...buildTurns(plan).filter((_, index) => kept[index % kept.length] === true),
    user("Summarise."),
  ]);

test.each([
  ["anthropic/claude-haiku-4-5", "anthropic"],
  ["openai/gpt-5-mini", "openai"],
  ["google/gemini-2.5-flash", "gemini"],
  ["deepseek/deepseek-v4-pro", "deepseek"],
  ["openai-compatible/deepseek-v4-pro", "deepseek"],
] as const)("%s accepts whatever is left of a conversation", async (model, wire) => {
  const handler = createModelHandler({ model, apiKey: "sk-test-0123456789", baseUrl: server.baseUrls[wire] });
  const accepts = fc.asyncProperty(torn, async (messages) => {
    let text = "";
    for await (const chunk of handler.createMessage("Be brief.", messages))
      if (chunk.type === "text") text += chunk.text;
    expect(text).not.toBe("");
  });
  await fc.assert(accepts, { ...PROPERTY_RUNS, numRuns: Math.ceil(PROPERTY_RUNS.numRuns / 20) });
});
