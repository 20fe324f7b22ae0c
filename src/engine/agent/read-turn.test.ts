import { describe, expect, test } from "vitest";
import { type Behaviour, handler, streams } from "../../../test/support/handlers.ts";
import { createModelRegistry, findModel } from "../../core/models/registry.ts";
import { readTurn } from "./read-turn.ts";

const registry = createModelRegistry([
  {
    ...findModel("claude-haiku-4-5"),
    ...{ id: "house-model", aliases: [] },
    pricesUsdPerMillion: { type: "metered", input: 1, output: 10, cacheRead: 0.1, cacheWrite: 2 },
  },
]);

const read = (behaviour: Behaviour, signal?: AbortSignal) =>
  readTurn(
    {
      ...{ handler: handler(behaviour, { id: "house-model" }), systemPrompt: "", messages: [], signal },
      ...{ maxOutputTokens: 100, temperature: 0, timeoutMs: 1_000 },
    },
    registry,
  );

describe("a reply", () => {
  test("has thoughts, texts and calls in the order in which they came", async () => {
    const sealed = { type: "reasoning", text: "First I look.", signature: "s1" };
    const { message, text, calls } = await read(
      streams(
        { type: "reasoning", text: "First I " },
        { type: "reasoning", text: "look." },
        { type: "reasoning_block", block: sealed },
        { type: "text", text: "I " },
        { type: "text", text: "look." },
        { type: "tool_use", id: "a", name: "read", input: { path: "a" }, thoughtSignature: "s2" },
        { type: "reasoning", text: "And then?" },
        { type: "text", text: "\n" },
        { type: "tool_use", id: "b", name: "read", input: {}, brokenInput: "{" },
      ),
    );
    expect(message).toEqual({
      role: "assistant",
      content: [
        sealed,
        { type: "text", text: "I look." },
        { type: "tool_use", id: "a", name: "read", input: { path: "a" }, thoughtSignature: "s2" },
        { type: "reasoning", text: "And then?" },
        { type: "tool_use", id: "b", name: "read", input: {} },
      ],
    });
    expect(text).toBe("I look.");
    expect(calls).toMatchObject([{ id: "a" }, { id: "b", brokenInput: "{" }]);
  });

  test("adds up what was used, by the prices of the registry where the model names none", async () => {
    const usage = { type: "usage", inputTokens: 1_000, outputTokens: 100 };
    const { usage: used, costUsd } = await read(
      streams(
        { type: "text", text: "Hi." },
        usage,
        { ...usage, cacheReadTokens: 10_000 },
        { ...usage, totalCost: 0.5 },
      ),
    );
    expect(used).toEqual({ inputTokens: 3_000, outputTokens: 300, cacheReadTokens: 10_000, cacheWriteTokens: 0 });
    expect(costUsd).toBeCloseTo(0.002 + 0.003 + 0.5);
  });

  test("without a report has no usage, rather than one of nothing", async () => {
    expect(await read(streams({ type: "text", text: "Hi." }))).toMatchObject({ usage: undefined, costUsd: 0 });
  });

  test.each([
    ["nothing", streams()],
    ["white space", streams({ type: "text", text: " \n" })],
    ["thoughts alone", streams({ type: "reasoning", text: "Hm." })],
    ["calls without an id or a name", streams({ type: "tool_use", id: "", name: "a" }, { type: "tool_use", id: "a" })],
  ])("of %s is a failure", async (_, behaviour) => {
    await expect(read(behaviour)).rejects.toMatchObject({ code: "model-failed" });
  });

  test("that does not end is given up", async () => {
    const endless: Behaviour = async function* () {
      for (;;) yield { type: "text", text: "na ".repeat(1_000) };
    };
    await expect(read(endless)).rejects.toThrow(/does not end/);
  });

  test("of a model that is not asked, for it is too late, rejects with the reason", async () => {
    const reason = new Error("Enough.");
    await expect(read(streams(), AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});
