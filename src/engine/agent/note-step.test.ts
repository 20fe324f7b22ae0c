import { describe, expect, test } from "vitest";
import { callsTools, reads, says, testAgent } from "../../../test/support/agents.ts";
import { streams } from "../../../test/support/handlers.ts";

describe("what an agent remembers of its steps", () => {
  test("its decisions, each sentence of its own", async () => {
    const { engine } = testAgent([
      callsTools([["a", "read_file", { path: "a.ts" }]], "I looked at it. We decided to keep both keys for a day."),
      says("I decided to use a timer. That is all."),
    ]);
    const { state } = await engine.executeTask("Go on.");
    const decisions = state.l3_memory.episodic.filter(({ type }) => type === "decision");
    expect(decisions.map(({ content }) => content)).toEqual([
      "We decided to keep both keys for a day.",
      "I decided to use a timer.",
    ]);
  });

  test("what tools returned, shortened, and no longer than five minutes", async () => {
    const { engine, clock } = testAgent([reads("a")], { execute: () => "x".repeat(5_000) });
    const { state } = await engine.executeTask("Go on.");
    expect(state.l4_evidence.observations).toMatchObject([
      { source: "read_file", content: "x".repeat(400), ttlMs: 300_000 },
    ]);
    clock.advance(299_999);
    expect((await engine.executeTask("And?")).state.l4_evidence.observations).toHaveLength(1);
    clock.advance(1);
    expect((await engine.executeTask("And?")).state.l4_evidence.observations).toHaveLength(0);
  });

  test("what failed, as resolved once the same tool works", async () => {
    const { engine } = testAgent([reads("a"), reads("b")], {
      execute: ({ id }) => {
        if (id === "a") throw new Error("no such file");
        return "found";
      },
    });
    const { state } = await engine.executeTask("Go on.");
    expect(state.l2_runtime.failures).toMatchObject([
      { id: "a", error: "no such file", toolName: "read_file", isResolved: true },
    ]);
    expect(state.l2_runtime.history.map(({ action, outcome }) => `${action} ${outcome}`)).toEqual([
      "read_file failure",
      "read_file success",
    ]);
  });

  test("how large each call was, and how often its tool had failed before", async () => {
    const { engine } = testAgent([reads("a"), reads("b"), reads("c"), reads("d")], {
      execute: ({ id }) => {
        if (id === "a" || id === "b") throw new Error("no such file");
        return "found";
      },
    });
    const { state } = await engine.executeTask("Go on.");
    const inputCharacters = JSON.stringify({ path: "a.ts" }).length;
    expect(state.l2_runtime.history).toMatchObject([
      { inputCharacters, outputCharacters: "no such file".length, retries: 0 },
      { inputCharacters, outputCharacters: "no such file".length, retries: 1 },
      { inputCharacters, outputCharacters: "found".length, retries: 2 },
      { inputCharacters, outputCharacters: "found".length, retries: 0 },
    ]);
  });

  test("what its calls were warned about, each its own", async () => {
    const { engine } = testAgent(
      [
        callsTools([
          ["a", "read_file", { path: "secret.ts" }],
          ["b", "read_file", { path: "b.ts" }],
        ]),
      ],
      {
        initialState: {
          policies: [{ id: "quiet", category: "c", rule: "Leave secrets alone.", priority: 1, enforcement: "soft" }],
        },
        policyChecks: [
          {
            policyId: "quiet",
            check: ({ input }) => (JSON.stringify(input).includes("secret") ? "It reads a secret." : undefined),
          },
        ],
      },
    );
    const { state } = await engine.executeTask("Go on.");
    expect(state.l2_runtime.history.map(({ warnings }) => warnings)).toEqual([
      ["quiet: It reads a secret."],
      undefined,
    ]);
  });

  test("what it used", async () => {
    const { engine } = testAgent([reads("a")]);
    const { state } = await engine.executeTask("Go on.");
    expect(state.l2_runtime.resources).toMatchObject({
      toolCalls: 1,
      modelCalls: 2,
      inputTokens: 200,
      outputTokens: 20,
      cached: 0,
    });
  });

  test("how much of its input was read from a cache", async () => {
    const usage = { type: "usage", inputTokens: 100, outputTokens: 10, cacheReadTokens: 70, cacheWriteTokens: 5 };
    const { engine } = testAgent([streams({ type: "text", text: "Done." }, usage)]);
    const { state } = await engine.executeTask("Go on.");
    expect(state.l2_runtime.resources).toMatchObject({ inputTokens: 175, cached: 70 });
  });
});
