import { describe, expect, test } from "vitest";
import { good, handler } from "../../../test/support/handlers.ts";
import { openSession, talkOf } from "../../../test/support/sessions.ts";
import { modelCondenser } from "../../index.ts";

/** The prompt's size each time that a long talk was condensed. */
async function condensedAt(model: string, configuration: object): Promise<readonly number[]> {
  const { session } = await openSession({
    model,
    contextWindow: 200_000,
    maxTokens: 8_000,
    condenser: modelCondenser(handler(good)),
    configuration: { strategies: { primary: "llm" }, ...configuration },
  });
  const sizes: number[] = [];
  for (const message of talkOf(400, 600)) {
    await session.append(message);
    const { report } = await session.prepare();
    if (report.foldIds.length > 0) sizes.push(report.prevContextTokens);
  }
  return sizes;
}

describe("thresholds.adaptive", () => {
  test("folds where prices say so, long before a fixed percentage would", async () => {
    const [fixed] = await condensedAt("claude-sonnet-4-5", {});
    const [first, second] = await condensedAt("claude-sonnet-4-5", { thresholds: { adaptive: true } });
    expect(fixed).toBeGreaterThan(140_000);
    expect(first).toBeLessThan(60_000);
    expect(second).toBeGreaterThan(5_000);
  });

  test("waits for the percentage where the price is not known", async () => {
    const sizes = await condensedAt("a-model-nobody-knows", { thresholds: { adaptive: true } });
    expect(sizes[0]).toBeGreaterThan(140_000);
  });
});
