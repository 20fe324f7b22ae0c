/** Views that are sent once: folded no further than they must be. */
import { describe, expect, test } from "vitest";
import { good, handler } from "../../../test/support/handlers.ts";
import { assistant, call, log, result, user } from "../../../test/support/messages.ts";
import { problemsOf, SMALL, talkOf } from "../../../test/support/sessions.ts";
import { createEngine, type EngineOptions, type Message, modelCondenser } from "../../index.ts";

/** Lines that all say something else: some 400 tokens. */
const lines = (step: number) =>
  Array.from({ length: 24 }, (_, line) => `const value${line} = compute(${step}, "part-${step}-${line}");`).join("\n");

const WORDS = log(
  ...Array.from({ length: 60 }, (_, step) => (step % 2 === 0 ? user(lines(step)) : assistant(lines(step)))),
);
const RESULTS = log(
  user("Read all of it."),
  ...Array.from({ length: 60 }, (_, step) => [
    assistant(call(`t${step}`, "read_file", { path: `src/file-${step}.ts` })),
    user(result(`t${step}`, lines(step))),
  ]).flat(),
);

const openSession = (messages: readonly Message[], options: Partial<EngineOptions> = {}) =>
  createEngine({ ...SMALL, now: () => 0, ...options }).session("task", { messages });

describe("a view with a share to aim at", () => {
  test.each([
    ["words", WORDS],
    ["results of tools", RESULTS],
  ])("takes most of what is allowed: %s", async (_, messages) => {
    const shares: number[] = [];
    for (const targetShare of [undefined, 0.6, 0.95]) {
      const session = await openSession(messages);
      const { report } = await session.prepare({ targetShare });
      expect(report.promptTokens).toBeLessThanOrEqual(report.allowedTokens);
      shares.push(report.promptTokens / report.allowedTokens);
      expect(await problemsOf(session, messages)).toEqual([]);
    }
    const [usual = 1, six = 1, most = 0] = shares;
    expect(usual).toBeLessThan(0.55);
    expect(six).toBeLessThan(0.65);
    expect(most).toBeGreaterThan(0.9);
  });

  test("is the view itself where that fits", async () => {
    const messages = talkOf(16, 390);
    const session = await openSession(messages, { configuration: { thresholds: { global: 10 } } });
    const { report } = await session.prepare({ targetShare: 0.95 });
    expect(report.foldIds).toEqual([]);
  });

  test("asks no model", async () => {
    const model = handler(good);
    const session = await openSession(WORDS, { condenser: modelCondenser(model) });
    const { report } = await session.prepare({ targetShare: 0.95 });
    expect([model.asked.length, report.foldIds.length]).toEqual([0, 1]);
  });

  test.each([0, 1, -1, Number.NaN, "0.5"])("of %j is refused", async (targetShare) => {
    const session = await openSession([]);
    // @ts-expect-error: it may come from JavaScript
    await expect(session.prepare({ targetShare })).rejects.toMatchObject({ code: "invalid-argument" });
  });
});
