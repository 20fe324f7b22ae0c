import { describe, expect, test } from "vitest";
import { says, type TestAgentOptions, testAgent } from "../../../test/support/agents.ts";
import type { OutputFormat } from "../../core/layers/task-layer.ts";

const schema = { type: "object", properties: { fixed: { type: "boolean" } }, required: ["fixed"] };
const json: OutputFormat = { type: "json", schema };

const run = async (outputFormat: OutputFormat | string, replies: readonly string[], options: TestAgentOptions = {}) => {
  const agent = testAgent(replies.map(says), { task: { goal: "Fix it.", outputFormat }, ...options });
  return { ...agent, result: await agent.engine.executeTask("Go on.") };
};

describe("the last reply", () => {
  test.each<[string, OutputFormat, string, unknown]>([
    ["JSON that its schema allows", json, ' { "fixed": true }\n', { fixed: true }],
    ["JSON in a fenced block", json, 'Here it is:\n```json\n{ "fixed": true }\n```\n', { fixed: true }],
    ["any JSON without a schema", { type: "json" }, "[1]", [1]],
    ["a text that its schema allows", { type: "text", schema: { type: "string", maxLength: 5 } }, "short", "short"],
  ])("is valid where it is %s", async (_, format, reply, value) => {
    const { result, engine } = await run(format, [reply]);
    expect(result).toMatchObject({ verdict: "met", steps: 1 });
    expect(result.output).toEqual({ status: "valid", value });
    expect(await engine.audit()).toContainEqual(expect.objectContaining({ type: "output", status: "valid" }));
  });

  test.each<[string, OutputFormat | string]>([
    ["a format in words", "a diff"],
    ["a type without a schema", { type: "markdown" }],
  ])("is not checked against %s", async (_, format) => {
    const { result } = await run(format, ["Any reply."]);
    expect(result).toMatchObject({ verdict: "unchecked", steps: 1 });
    expect(result).not.toHaveProperty("output");
  });

  test("that is invalid is sent again once, with the errors", async () => {
    const { result, model } = await run(json, ['{ "fixed": "yes" }', '{ "fixed": true }']);
    expect(result).toMatchObject({ verdict: "met", steps: 2, output: { status: "valid", value: { fixed: true } } });
    expect(model.asked[1]?.systemPrompt).toBe(model.asked[0]?.systemPrompt);
    expect(model.asked[1]?.messages.at(-1)?.content).toBe(
      "<system-reminder>\nYour last reply is not in the output format of the task.\n" +
        '- fixed is "yes"; it must be of type boolean.\nSend the whole reply again, in that format.\n</system-reminder>',
    );
  });

  test("that stays invalid is reported, and the task has ended", async () => {
    const { result, model, engine } = await run(json, ["Done.", "{}"]);
    expect(result).toMatchObject({ type: "completed", verdict: "unmet", steps: 2 });
    expect(result.output).toEqual({ status: "invalid", errors: ['"fixed" is missing.'] });
    expect(model.asked).toHaveLength(2);
    expect(String(model.asked[1]?.messages.at(-1)?.content)).toContain("- The reply is no JSON");
    expect((await engine.audit()).filter(({ type }) => type === "output")).toMatchObject([
      { status: "invalid" },
      { status: "invalid", errors: ['"fixed" is missing.'] },
    ]);
  });

  test.each([0, 3])("is demanded again as often as the limit of %i says", async (maxOutputRetries) => {
    const { result } = await run(json, [], { limits: { maxOutputRetries } });
    expect(result.steps).toBe(maxOutputRetries + 1);
  });

  test.each([
    ["that is no schema", { type: "no such type" }],
    ["that takes for ever", { type: "string", pattern: "^(a+)+$" }],
  ])("is invalid where the format has a schema %s, and nothing crashes", async (_, bad) => {
    const { result } = await run({ type: "text", schema: bad }, [`${"a".repeat(60)}!`], {
      limits: { maxOutputRetries: 0 },
    });
    expect(result).toMatchObject({ type: "completed", verdict: "unmet", output: { status: "invalid" } });
    expect(JSON.stringify(result.output)).toMatch(/cannot be checked|could not be checked/);
  });

  test("is demanded together with unmet criteria, in a bounded number of rounds", async () => {
    const { result, model } = await run(json, [], {
      task: {
        goal: "Fix it.",
        outputFormat: json,
        successCriteria: [{ description: "Tests pass", measurable: true, validator: () => false }],
      },
    });
    expect(result).toMatchObject({ verdict: "unmet", steps: 4 });
    const told = String(model.asked[1]?.messages.at(-1)?.content);
    expect(told).toContain("- Tests pass");
    expect(told).toContain("- The reply is no JSON");
  });
});
