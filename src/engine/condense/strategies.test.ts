/** How an engine's strategies are chosen, tried one after the other, and told what to do. */
import { describe, expect, test } from "vitest";
import { FAILING, GOOD_SUMMARY, good, handler, replies } from "../../../test/support/handlers.ts";
import { hideMiddle, openSession, problemsOf, prose, strategy, talkOf } from "../../../test/support/sessions.ts";
import { HYBRID_PROMPT, SNAPSHOT_PROMPT, SUMMARY_PROMPT } from "../../core/index.ts";
import { modelCondenser } from "../../index.ts";

const FULL = talkOf(20, 390);
const SNAPSHOT = [
  "<state_snapshot>",
  "<overall_goal>Fix the rotation of keys in src/auth/rotate.ts.</overall_goal>",
  "<key_knowledge>Keys are rotated every 24 hours by rotateKeys, which runs in the worker process.</key_knowledge>",
  "<file_system_state>MODIFIED: src/auth/rotate.ts</file_system_state>",
  "<recent_actions>Ran the tests of rotateKeys, and read src/auth/keys.ts twice.</recent_actions>",
  "<current_plan>1. [DONE] read the code 2. [IN PROGRESS] fix it 3. [TODO] run the tests</current_plan>",
  "</state_snapshot>",
].join("\n");

describe("of several strategies", () => {
  test("the one with the highest priority that activates condenses, and no other is asked", async () => {
    const [low, high, off] = [
      strategy("low", { priority: 1 }),
      strategy("high", { priority: 2 }),
      strategy("off", { priority: 3, shouldActivate: () => false }),
    ];
    const { session } = await openSession({ condenser: [low, high, off] }, { messages: FULL });
    const { report } = await session.prepare();
    expect(report.foldIds).toEqual(["high-fold"]);
    expect([low.runs.length, high.runs.length, off.runs.length]).toEqual([0, 1, 0]);
  });

  test("the next one is tried when one fails, and then the view is truncated", async () => {
    const first = strategy("first", {
      priority: 2,
      condense: ({ messages }) => ({ messages, summary: "", cost: 0.25, error: "no key", modelCalls: 1 }),
    });
    const second = strategy("second", {
      priority: 1,
      condense: () => {
        throw new Error("overloaded");
      },
    });
    const messages = talkOf(24, 390);
    const { session } = await openSession({ condenser: [first, second] }, { messages });
    const { report } = await session.prepare();
    expect(report).toMatchObject({ cost: 0.25, error: "first: no key second: overloaded" });
    expect(report.foldIds[0]).toMatch(/^truncate-/);
    expect(report.promptTokens).toBeLessThanOrEqual(report.allowedTokens);
    expect(await problemsOf(session, messages)).toEqual([]);
  });

  test("the next one is tried when a validator refuses the result of one", async () => {
    const poor = strategy("poor", {
      priority: 2,
      condense: ({ messages }) => hideMiddle(messages, "poor-fold", { summary: "I cannot help with that." }),
    });
    const { session, engine } = await openSession({ condenser: [poor, strategy("rich")] }, { messages: FULL });
    const { report } = await session.prepare();
    expect(report).toMatchObject({ foldIds: ["rich-fold"], cost: 1 });
    expect(engine.getHistory()).toMatchObject([
      { type: "failure", strategy: "poor", error: expect.stringContaining("summary-quality") },
      { type: "success", strategy: "rich" },
    ]);
  });

  test("a hook may choose another, and the others follow in their order", async () => {
    const failing = (name: string, priority: number) =>
      strategy(name, {
        priority,
        condense: () => {
          throw new Error(`${name} failed`);
        },
      });
    const offered: (readonly string[])[] = [];
    const { session } = await openSession(
      {
        condenser: [failing("high", 3), failing("middle", 2), failing("low", 1)],
        hooks: [
          {
            name: "chooser",
            selectStrategy: (_, strategies) => {
              offered.push(strategies);
              return "low";
            },
          },
        ],
      },
      { messages: FULL },
    );
    const { error } = await session.condense();
    expect(offered).toEqual([["high", "middle", "low"]]);
    expect(error).toBe("low: low failed high: high failed middle: middle failed");
  });

  test("all together ask a model no more often per turn than allowed", async () => {
    const [one, two] = [handler(FAILING.throws), handler(FAILING.throws)];
    const { session } = await openSession(
      {
        condenser: [
          modelCondenser(one, { name: "one", priority: 2 }),
          modelCondenser(two, { name: "two", priority: 1 }),
        ],
        configuration: { strategies: { maxModelCalls: 1 } },
      },
      { messages: FULL },
    );
    const { error, modelCalls } = await session.condense();
    expect([one.asked.length, two.asked.length, modelCalls]).toEqual([1, 0, 1]);
    expect(error).toContain("two: No model may be asked any more: strategies.maxModelCalls is reached.");
  });

  test("each is told how many requests are left", async () => {
    const spending = (name: string, modelCalls: number) =>
      strategy(name, { condense: ({ messages }) => ({ messages, summary: "", cost: 0, error: "no", modelCalls }) });
    const [three, two, one] = [spending("three", 3), spending("two", 2), spending("one", 1)];
    const { session } = await openSession({ condenser: [three, two, one] }, { messages: FULL });
    await session.condense();
    expect([three, two, one].map(({ runs }) => runs[0]?.options.maxModelCalls)).toEqual([4, 1, 0]);
  });

  test("none is needed: without one the view is truncated, and nothing is said to have failed", async () => {
    const { session, engine } = await openSession({}, { messages: talkOf(24, 390) });
    const { report } = await session.prepare();
    expect(report.error).toBeUndefined();
    expect(report.foldIds[0]).toMatch(/^truncate-/);
    expect(engine.getMetrics()).toMatchObject({ condensations: 0, failures: 0, fallbacks: 1 });
  });

  test("where none activates by hand, that is what the error says", async () => {
    const { session } = await openSession({ condenser: strategy("off", { shouldActivate: () => false }) });
    expect((await session.condense()).error).toBe("No strategy is ready to condense this.");
  });
});

describe("a strategy that asks a model", () => {
  test("may write a summary or a snapshot", async () => {
    const summary = await openSession({ condenser: modelCondenser(handler(good)) }, { messages: FULL });
    const condensed = await summary.session.condense();
    expect(condensed.summary).toBe(GOOD_SUMMARY);
    const model = handler(replies(`<scratchpad>hm</scratchpad>${SNAPSHOT}`));
    const snapshot = await openSession(
      { condenser: modelCondenser(model, { strategy: "snapshot" }) },
      { messages: FULL },
    );
    expect((await snapshot.session.condense()).summary).toContain("<overall_goal>");
    expect(JSON.stringify(await snapshot.session.view())).not.toContain("scratchpad");
    expect(await problemsOf(snapshot.session, FULL)).toEqual([]);
  });

  test("is asked with its own prompt, unless there is a custom one for its name", async () => {
    const asked = async (configuration: object) => {
      const models = [handler(FAILING.throws), handler(FAILING.throws), handler(FAILING.throws)] as const;
      const condenser = [
        modelCondenser(models[0]),
        modelCondenser(models[1], { strategy: "summary" }),
        modelCondenser(models[2], { strategy: "snapshot" }),
      ];
      const { session } = await openSession({ condenser, configuration }, { messages: FULL });
      await session.condense();
      return models.flatMap((model) => model.asked.map((request) => request.systemPrompt));
    };
    expect(await asked({})).toEqual([HYBRID_PROMPT, SUMMARY_PROMPT, SNAPSHOT_PROMPT]);
    expect(await asked({ strategies: { customPrompts: { snapshot: "Be brief." } } })).toEqual([
      HYBRID_PROMPT,
      SUMMARY_PROMPT,
      "Be brief.",
    ]);
    expect(await asked({ strategies: { customPrompts: { summary: "Zusammenfassen.", snapshot: " \n" } } })).toEqual([
      HYBRID_PROMPT,
      "Zusammenfassen.",
      SNAPSHOT_PROMPT,
    ]);
  });

  test("is asked with the prompt of the nearest to say so: hook, hand, resolver, configuration", async () => {
    const prompts = {
      configuration: { strategies: { customPrompts: { hybrid: "configured" } } },
      resolvers: { prompt: () => "resolved" },
      hooks: [{ name: "h", beforeCondensation: () => ({ type: "edit", prompt: "hooked" }) as const }],
    };
    const ask = async (options: object, prompt?: string) => {
      const model = handler(FAILING.throws);
      const { session } = await openSession({ condenser: modelCondenser(model), ...options }, { messages: FULL });
      await session.condense({ prompt });
      return model.asked[0]?.systemPrompt;
    };
    const { configuration, resolvers, hooks } = prompts;
    expect(await ask({ configuration })).toBe("configured");
    expect(await ask({ configuration, resolvers })).toBe("resolved");
    expect(await ask({ configuration, resolvers }, "by hand")).toBe("by hand");
    expect(await ask({ configuration, resolvers, hooks }, "by hand")).toBe("hooked");
  });

  test("a prompt for a strategy that is not there is warned about", async () => {
    const { session } = await openSession({
      condenser: strategy("summary"),
      configuration: { strategies: { customPrompts: { sumary: "Be brief." } } },
    });
    expect((await session.prepare()).report.warnings).toEqual([
      'strategies.customPrompts names "sumary", but no strategy is called that; there is summary.',
    ]);
  });

  test("keeps what the model's family keeps, what is configured, or what a hook says", async () => {
    const kept = async (options: object) => {
      const recorded = strategy("s");
      const { session } = await openSession({ condenser: recorded, ...options }, { messages: FULL });
      await session.condense();
      return recorded.runs[0]?.options.keepMessages;
    };
    const configuration = { strategies: { keepMessages: 7 } };
    const hooks = [{ name: "h", beforeCondensation: () => ({ type: "edit", keepMessages: 9 }) as const }];
    expect(await kept({ model: "claude-opus-4-1" })).toBe(5);
    expect(await kept({ model: "claude-sonnet-4-5" })).toBe(3);
    expect(await kept({ configuration })).toBe(7);
    expect(await kept({ configuration, hooks })).toBe(9);
  });

  test("is refused by name where it cannot be made", () => {
    const bad = JSON.parse('{"strategy":"ledger"}');
    expect(() => modelCondenser(handler(good), bad)).toThrow(
      'options.strategy is "ledger"; it must be hybrid, summary or snapshot.',
    );
    expect(() => modelCondenser(JSON.parse("{}"))).toThrow("handler.createMessage is undefined");
    expect(() => modelCondenser(JSON.parse('"openai/gpt-5"'))).toThrow(
      'handler is "openai/gpt-5"; it must be a handler; createModelHandler of palimpsest/providers makes one of a name.',
    );
  });
});

test("what a strategy is told is the situation, and the log with what older folds hide", async () => {
  const recorded = strategy("s");
  const { session } = await openSession(
    { condenser: recorded },
    { messages: FULL, systemPrompt: prose(100, "You help"), tools: [{ name: "read" }], profileId: "work" },
  );
  await session.prepare();
  const [run] = recorded.runs;
  expect(run?.messages).toEqual(FULL);
  expect(run?.options).toMatchObject({
    taskId: "task",
    modelId: "test-model",
    profileId: "work",
    trigger: "auto",
    contextWindow: 10_000,
    systemPrompt: prose(100, "You help"),
    keepMessages: 3,
    maxModelCalls: 4,
    timeoutMs: 120_000,
  });
  const { prevContextTokens = 0, usedPercent, overheadTokens = 0, allowedTokens } = run?.options ?? {};
  expect(allowedTokens).toBeCloseTo(overheadTokens + 0.9 * (10_000 - overheadTokens) - 1_000);
  expect(usedPercent).toBeCloseTo(prevContextTokens / 100);
  expect(overheadTokens).toBeGreaterThan(100);
  expect(prevContextTokens).toBeGreaterThan(20 * 390 + overheadTokens);
});

test("nobody asks the next strategy when the request was aborted", async () => {
  const controller = new AbortController();
  const first = strategy("first", { priority: 1, condense: () => controller.abort() });
  const second = strategy("second");
  const { session, engine } = await openSession({ condenser: [first, second] }, { messages: FULL });
  const { error } = await session.condense({ signal: controller.signal });
  expect(error).toBe("The request was aborted.");
  expect(second.runs).toEqual([]);
  expect(engine.getHistory()).toMatchObject([{ type: "failure", strategy: "first" }]);
});
