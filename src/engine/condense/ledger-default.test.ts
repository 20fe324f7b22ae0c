/** The ledger that every engine has unless it is bare: alone, behind a model that fails, and out of the way of one that works. */
import { describe, expect, test } from "vitest";
import { FAILING, good, handler } from "../../../test/support/handlers.ts";
import { problemsOf, SMALL, strategy, talkOf, toolLoop } from "../../../test/support/sessions.ts";
import { createBareEngine, createEngine, type EngineOptions, ledgerCondenser, modelCondenser } from "../../index.ts";

const FULL = talkOf(20, 390);
const LOOP = toolLoop(30, 300);

async function open(options: Partial<EngineOptions>, messages = FULL) {
  const engine = createEngine({ ...SMALL, now: () => 0, ...options });
  return { engine, session: await engine.session("task", { messages }) };
}

describe("without a condenser", () => {
  test("an engine condenses by a ledger, asks nobody, and loses nothing", async () => {
    const { engine, session } = await open({}, LOOP);
    const { report } = await session.prepare();
    expect(report.promptTokens).toBeLessThanOrEqual(0.75 * SMALL.contextWindow);
    expect(report).toMatchObject({ cost: 0, warnings: [] });
    expect((await session.condense()).error).toBeUndefined();
    const condensed = engine.getHistory().filter(({ type }) => type === "success");
    expect(condensed.map((entry) => "strategy" in entry && entry.strategy)).toContain("ledger");
    expect(await problemsOf(session, LOOP)).toEqual([]);
  });

  test("small windows condense as well, by hand and by themselves", async () => {
    const talk = talkOf(30, 100);
    const { session } = await open(
      { contextWindow: 3_000, maxTokens: 300, configuration: { strategies: { primary: "llm" } } },
      talk,
    );
    const { report } = await session.prepare();
    expect(report.foldIds.map((id) => id.split("-")[0])).toEqual(["condense"]);
    await session.append(...talkOf(12, 40));
    expect((await session.condense()).error).toBeUndefined();
  });

  test("a bare engine has no ledger, and one that was unregistered is gone", async () => {
    const bare = await createBareEngine({ ...SMALL, now: () => 0 }).session("task", { messages: FULL });
    expect((await bare.condense()).error).toBe("No strategy is ready to condense this.");
    const { engine, session } = await open({});
    expect(engine.unregisterPlugin("ledger")).toBe(true);
    expect((await session.condense()).error).toBe("No strategy is ready to condense this.");
  });

  test("condensing that is off stays off", async () => {
    const { session } = await open({ configuration: { strategies: { primary: "truncation" } } }, talkOf(30, 390));
    const { report } = await session.prepare();
    expect(report.foldIds.map((id) => id.split("-")[0])).toEqual(["truncate"]);
    expect((await session.condense()).error).toMatch(/off/);
  });

  test("one that is passed takes the place of the default", async () => {
    const { session } = await open({ condenser: ledgerCondenser({ targetShare: 0.2 }) }, LOOP);
    await session.condense();
    expect((await session.prepare()).report.promptTokens).toBeLessThan(0.25 * SMALL.contextWindow);
  });
});

describe("behind a model", () => {
  test("stays out of the way while the model works", async () => {
    const model = handler(good);
    const { engine, session } = await open({ condenser: modelCondenser(model) });
    await session.condense();
    expect(model.asked).toHaveLength(1);
    expect(engine.getHistory().flatMap((entry) => ("strategy" in entry ? [entry.strategy] : []))).not.toContain(
      "ledger",
    );
  });

  test("takes over where it fails, at once and with a warning; the cost is told", async () => {
    const model = handler(FAILING.throws);
    const { engine, session } = await open({ condenser: modelCondenser(model) });
    const { report } = await session.prepare();
    expect(model.asked.length).toBeGreaterThan(0);
    expect(report.foldIds.map((id) => id.split("-")[0])).toEqual(["condense"]);
    expect(report.error).toBeUndefined();
    expect(report.warnings).toEqual([expect.stringMatching(/^Condensed without a model\. hybrid: /)]);
    expect(engine.getMetrics()).toMatchObject({ condensations: 1, failures: 1, fallbacks: 0 });
    expect(await problemsOf(session, FULL)).toEqual([]);
  });

  test("takes over while the model is left alone, so that it is not asked at every condensation", async () => {
    const failing = strategy("failing", {
      condense: ({ messages }) => ({ messages, summary: "", cost: 0.25, error: "overloaded", modelCalls: 1 }),
    });
    const { session } = await open({ condenser: failing, configuration: { strategies: { keepMessages: 1 } } });
    const first = await session.prepare();
    // Few messages, but so large that the next condensation is due.
    await session.append(...talkOf(2, 2_800));
    const second = await session.prepare();
    expect(failing.runs).toHaveLength(1);
    expect([first, second].map(({ report }) => report.cost)).toEqual([0.25, 0]);
    expect(second.report.foldIds.map((id) => id.split("-")[0])).toContain("condense");
  });

  test("takes over from a summary that is refused by its back-test; the lines beside one count for it", async () => {
    const paths = Array.from({ length: 12 }, (_, index) => `src/billing/part-${index}/invoice-${index}.ts`);
    const log = [
      ...talkOf(1, 10),
      { role: "assistant" as const, content: `I found these: ${paths.join(" ")}`, id: "found" },
      ...talkOf(19, 400).slice(0, 18),
      ...paths.flatMap((path, index) => [
        { role: "user" as const, content: "Go on.", id: `u${index}` },
        { role: "assistant" as const, content: `Now I look at ${path}.`, id: `a${index}` },
      ]),
      { role: "user" as const, content: "And now the last one.", id: "last" },
    ];
    const model = handler(good);
    const strict = { validation: { rules: { minBackTest: 1, minFactSurvival: 0 } } };
    const alone = modelCondenser(model, { strategy: "summary" });
    const { engine, session } = await open({ condenser: alone, configuration: strict }, log);
    const { error, modelError } = await session.condense();
    expect(error).toBeUndefined();
    expect(modelError).toMatch(/back-test: It names \d+ % of what the newest turns used/);
    expect(engine.getMetrics()).toMatchObject({ condensations: 1, failures: 1 });
    const lenient = { validation: { rules: { minBackTest: 0.5, minFactSurvival: 0 } } };
    const beside = await open({ condenser: modelCondenser(model), configuration: lenient }, log);
    expect(await beside.session.condense()).not.toHaveProperty("modelError");
    const refused = await open({ condenser: alone, configuration: lenient }, log);
    expect(await refused.session.condense()).toHaveProperty("modelError");
  });

  test("is not tried at every turn where there is nothing to gain", async () => {
    // The first and the last message fill the window: nothing that may be hidden saves enough.
    const log = [...talkOf(1, 3_700), ...talkOf(4, 10).slice(1), ...talkOf(1, 3_800).map((m) => ({ ...m, id: "z" }))];
    const { engine, session } = await open({}, log);
    for (let turn = 0; turn < 6; turn++) await session.prepare();
    const failures = (await session.events()).filter(({ type }) => type === "condense_failed");
    expect(failures.length).toBeLessThanOrEqual(1);
    expect(engine.getMetrics().failures).toBeLessThanOrEqual(1);
  });
});
