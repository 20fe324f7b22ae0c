import { describe, expect, test } from "vitest";
import { callsTools, reads, says, testAgent, toldResults } from "../../../test/support/agents.ts";

describe("recall", () => {
  test("finds what was hidden, word for word", async () => {
    const lines = Array.from({ length: 200 }, (_, index) => `Lamp ${index} answers to the word beacon-${index * 7}.`);
    const wanted = "Lamp 173 answers to the word beacon-1211.";
    const others = Array.from({ length: 12 }, (_, index) => reads(`other${index}`));
    const { engine } = testAgent(
      [reads("lamps"), ...others, callsTools([["q", "recall", { query: "word of lamp 173" }]])],
      {
        contextWindow: 16_000,
        execute: ({ id }) => (id === "lamps" ? lines.join("\n") : `${id} has nothing of it. `.repeat(250)),
      },
    );
    await engine.executeTask("Go on.");
    const [told = "", ...before] = (await toldResults(engine)).toReversed();
    expect(told).toContain(wanted);
    expect(before.at(-1)).toContain(wanted);
    // It is nowhere else: what the model saw of it was hidden.
    const session = await engine.session();
    expect(JSON.stringify((await session.view()).slice(0, -2))).not.toContain(wanted);
  });

  test("says so where nothing matches", async () => {
    const { engine } = testAgent([callsTools([["q", "recall", { query: "lighthouse" }]])]);
    await engine.executeTask("Go on.");
    expect((await toldResults(engine))[0]).toContain("Nothing of this conversation is hidden.");
  });

  test("may be asked about paths that no tool may touch", async () => {
    const { engine } = testAgent([callsTools([["q", "recall", { query: "/etc/passwd" }]])]);
    await engine.executeTask("Go on.");
    expect((await toldResults(engine))[0]).toBe("Nothing of this conversation is hidden.");
  });
});

describe("condense", () => {
  test("folds older messages when the model asks for it, long before the window is full", async () => {
    const others = Array.from({ length: 12 }, (_, index) => reads(`other${index}`));
    const { engine } = testAgent([...others, callsTools([["c", "condense", {}]])], {
      execute: ({ id }) => `${id} has nothing of it. `.repeat(250),
    });
    await engine.executeTask("Go on.");
    const told = (await toldResults(engine)).at(-1) ?? "";
    const [, foldId = ""] = /^Condensed into fold (\S+): /.exec(told) ?? [];
    const folds = await (await engine.session()).folds();
    expect(folds.map((fold) => fold.foldId)).toEqual([foldId]);
  });

  test("says why where there is nothing to condense", async () => {
    const { engine } = testAgent([callsTools([["c", "condense", {}]])]);
    await engine.executeTask("Go on.");
    expect((await toldResults(engine))[0]).toMatch(/^! Nothing was changed\. /);
  });
});

describe("pin", () => {
  test("keeps the message visible that the model names, until it takes that back", async () => {
    const pins = (id: string, off: boolean) => callsTools([[id, "pin", { message: "m0", off }]]);
    const { engine } = testAgent([pins("b", false), says("Kept."), pins("c", true)]);
    await engine.executeTask("Keep it.");
    const session = await engine.session();
    expect((await session.log())[0]?.important).toBe(true);
    await engine.executeTask("Let it go.");
    expect((await session.log())[0]?.important).toBe(false);
  });

  test("says which message it does not know", async () => {
    const { engine } = testAgent([callsTools([["p", "pin", { message: "m99" }]])]);
    await engine.executeTask("Go on.");
    expect((await toldResults(engine))[0]).toBe('! There is no message "m99". Pass an id as recall gives it.');
  });
});

describe("remember", () => {
  const fact = (id: string, content: string, more = {}) =>
    callsTools([[id, "remember", { fact: content, source: "rotate.ts", ...more }]]);

  test("keeps a fact with source and confidence", async () => {
    const { engine } = testAgent([fact("a", "Keys rotate daily."), fact("b", "Two are kept.", { confidence: 0.6 })]);
    const { state } = await engine.executeTask("Go on.");
    expect(state.l3_memory.semantic.facts).toMatchObject([
      { content: "Keys rotate daily.", source: "rotate.ts", confidence: 1, isVerified: true },
      { content: "Two are kept.", confidence: 0.6 },
    ]);
  });

  test("takes what is said again for one fact, and calls with one id for two", async () => {
    const { engine } = testAgent([
      fact("same", "Keys rotate daily.", { confidence: 0.5 }),
      fact("same", "Two are kept."),
      fact("c", "Keys rotate daily.", { confidence: 0.9 }),
    ]);
    const { state } = await engine.executeTask("Go on.");
    expect(state.l3_memory.semantic.facts).toMatchObject([
      { content: "Keys rotate daily.", confidence: 0.9 },
      { content: "Two are kept." },
    ]);
  });

  test("refuses a confidence that is none", async () => {
    const { engine } = testAgent([fact("a", "It is so.", { confidence: 2 })]);
    const { state } = await engine.executeTask("Go on.");
    expect(state.l3_memory.semantic.facts).toEqual([]);
    expect((await toldResults(engine))[0]).toMatch(/^! .*confidence/);
  });
});

describe("update_plan", () => {
  const plan = (id: string, ...statuses: readonly string[]) =>
    callsTools([
      [id, "update_plan", { steps: statuses.map((status, index) => ({ description: `Step ${index + 1}`, status })) }],
    ]);

  test("replaces the plan, and what is done is a milestone", async () => {
    const { engine } = testAgent([
      plan("a", "in-progress", "pending"),
      plan("b", "done", "in-progress"),
      plan("c", "done", "done"),
    ]);
    const { state } = await engine.executeTask("Go on.");
    expect(state.l5_workBuffer.plan).toMatchObject([
      { description: "Step 1", status: "done" },
      { description: "Step 2", status: "done" },
    ]);
    const milestones = state.l3_memory.episodic.filter(({ type }) => type === "milestone");
    expect(milestones.map(({ content }) => content)).toEqual(["Step 1", "Step 2", "Done."]);
    expect((await toldResults(engine))[1]).toBe("The plan has 2 steps, 1 of them done.");
  });

  test("refuses a status that there is not", async () => {
    const { engine } = testAgent([plan("a", "maybe")]);
    const { state } = await engine.executeTask("Go on.");
    expect(state.l5_workBuffer.plan).toEqual([]);
    expect((await toldResults(engine))[0]).toMatch(/^! .*pending/);
  });
});
