import { describe, expect, test } from "vitest";
import {
  callsTools,
  reads,
  says,
  type TestAgentOptions,
  testAgent,
  testClock,
  toldResults,
} from "../../../test/support/agents.ts";
import { assistant, call, result, user } from "../../../test/support/messages.ts";
import { validateView } from "../../core/message/validate-view.ts";
import { memoryStore } from "../../stores/memory/index.ts";
import { createEngine } from "../create-engine.ts";

const many = Array.from({ length: 20 }, (_, index) => reads(`r${index}`));

describe("a limit", () => {
  test("on replies stops a task that does not end", async () => {
    const { engine, model } = testAgent(many, { limits: { maxSteps: 4 } });
    const stopped = await engine.executeTask("Go on.");
    expect(stopped).toMatchObject({ type: "stopped", steps: 4, reason: expect.stringMatching(/replied 4 times/) });
    expect(model.asked).toHaveLength(4);
    expect(validateView(await (await engine.session()).view())).toEqual([]);
  });

  test("on calls is told to the model, which may then finish", async () => {
    const both = callsTools([
      ["c", "read_file", { path: "c.ts" }],
      ["d", "read_file", { path: "d.ts" }],
    ]);
    const { engine, executed } = testAgent([reads("a"), both, says("That must do.")], {
      initialState: { constraints: { maxToolCalls: 2 } },
    });
    expect(await engine.executeTask("Go on.")).toMatchObject({
      type: "completed",
      text: "That must do.",
      toolCalls: 2,
    });
    expect(executed.map(({ id }) => id)).toEqual(["a", "c"]);
    expect((await toldResults(engine)).at(-1)).toMatch(/^! No more tool calls are allowed/);
  });

  test("on calls stops a model that goes on calling", async () => {
    const { engine, executed, model } = testAgent(many, { initialState: { constraints: { maxToolCalls: 3 } } });
    expect(await engine.executeTask("Go on.")).toMatchObject({
      type: "stopped",
      toolCalls: 3,
      reason: "All 3 tool calls of the task are used.",
    });
    expect(executed).toHaveLength(3);
    expect(model.asked).toHaveLength(4);
    expect(validateView(await (await engine.session()).view())).toEqual([]);
  });

  test("on time counts what tools and model take", async () => {
    const clock = testClock();
    const { engine } = testAgent(many, {
      clock,
      initialState: { constraints: { maxExecutionTimeMs: 2_500 } },
      execute: () => {
        clock.advance(1_000);
        return "slow";
      },
    });
    expect(await engine.executeTask("Go on.")).toMatchObject({
      type: "stopped",
      steps: 3,
      reason: "The 2500 ms of the task are over.",
    });
  });

  test("on cost counts what the model reports", async () => {
    const { engine } = testAgent(many, { initialState: { constraints: { maxCostUsd: 0.025 } } });
    const stopped = await engine.executeTask("Go on.");
    expect(stopped).toMatchObject({ type: "stopped", steps: 3, reason: "The 0.025 USD of the task are spent." });
    expect(stopped.costUsd).toBeCloseTo(0.03);
  });

  test("is typed", async () => {
    const stopped = async (options: TestAgentOptions) =>
      (await testAgent(many, options).engine.executeTask("Go on.")).limit;
    expect(await stopped({ limits: { maxSteps: 1 } })).toBe("steps");
    expect(await stopped({ initialState: { constraints: { maxToolCalls: 1 } } })).toBe("tool-calls");
    expect(await stopped({ initialState: { constraints: { maxExecutionTimeMs: 0 } } })).toBe("time");
    expect(await stopped({ initialState: { constraints: { maxCostUsd: 0.01 } } })).toBe("budget");
    expect((await testAgent([]).engine.executeTask("Go on.")).limit).toBeUndefined();
  });

  test.each([
    [{ timeMs: 1_500 }, {}, { limit: "time", steps: 2, reason: "The 1500 ms of the task are over." }],
    [{ timeMs: 9_500 }, { maxExecutionTimeMs: 500 }, { limit: "time", steps: 1 }],
    [{ budgetUsd: 0.025 }, {}, { limit: "budget", steps: 3, reason: "The 0.025 USD of the task are spent." }],
    [{ budgetUsd: 9 }, { maxCostUsd: 0.005 }, { limit: "budget", steps: 1 }],
    [{ quality: "high", rules: ["no new package"] }, {}, { limit: "steps", steps: 5 }],
  ])("of the task %j holds beside that of the system %j", async (constraints, system, expected) => {
    const clock = testClock();
    const { engine } = testAgent(many, {
      clock,
      task: { goal: "Fix it.", constraints },
      initialState: { constraints: system },
      limits: { maxSteps: 5 },
      execute: () => {
        clock.advance(1_000);
        return "slow";
      },
    });
    expect(await engine.executeTask("Go on.")).toMatchObject({ type: "stopped", ...expected });
  });

  test("is that of one input: the next one has it whole", async () => {
    const { engine, executed } = testAgent(many, { initialState: { constraints: { maxToolCalls: 3 } } });
    await engine.executeTask("Go on.");
    expect(await engine.executeTask("And on.")).toMatchObject({ type: "stopped", toolCalls: 3, steps: 4 });
    expect(executed).toHaveLength(6);
  });
});

test("what a task used is kept where it is stopped", async () => {
  const store = memoryStore();
  const first = testAgent(many, { store, limits: { maxSteps: 2 } });
  await first.engine.executeTask("Go on.");
  const second = testAgent([], { store });
  expect((await second.engine.state()).l2_runtime.resources).toMatchObject({ modelCalls: 2, toolCalls: 2 });
});

describe("calls that a process left open when it ended", () => {
  test.each([
    ["all of them", [assistant("I look.", call("a"), call("b"))], ["a", "b"]],
    ["some of them", [assistant(call("a"), call("b")), user(result("a"))], ["b"]],
  ])("get results before the next input: %s", async (_, left, ids) => {
    const store = memoryStore();
    const session = await createEngine({ model: "scripted", store }).session("task");
    await session.append(user("Go on."), ...left);
    const { engine, model } = testAgent([says("I go on.")], { store });
    expect(await engine.executeTask("What now?")).toMatchObject({ type: "completed", text: "I go on." });
    const sent = model.asked[0]?.messages ?? [];
    expect(validateView(sent)).toEqual([]);
    expect(sent.at(-1)?.content).toEqual([
      ...ids.map((id) => expect.objectContaining({ type: "tool_result", tool_use_id: id, is_error: true })),
      { type: "text", text: "What now?" },
    ]);
  });
});
