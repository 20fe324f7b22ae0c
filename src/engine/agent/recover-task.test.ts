import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { callsTools, fails, reads, says, testAgent, toldResults } from "../../../test/support/agents.ts";
import { type Behaviour, FAILING, hangs, streams } from "../../../test/support/handlers.ts";
import { interceptStore } from "../../../test/support/intercepted-store.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { workspaceCheckpoints } from "../../checkpoints/index.ts";
import { PalimpsestError } from "../../core/errors.ts";
import { validateView } from "../../core/message/validate-view.ts";
import type { Store } from "../../core/ports/store.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import { countTextTokens } from "../../core/tokens/o200k/count-text-tokens.ts";
import { memoryStore } from "../../stores/memory/index.ts";

const httpError = (status: number, message: string, more = {}) =>
  Object.assign(new Error(message), { status, ...more });

/** Fails some calls in a row, from one on; then works again. */
function troubledStore(call: keyof Store, { from, times }: { readonly from: number; readonly times: number }) {
  let calls = 0;
  return interceptStore(memoryStore(), {
    before: (name) => {
      if (name !== call) return;
      calls += 1;
      if (calls >= from && calls < from + times) throw new PalimpsestError("store-failed", "The disk is full.");
    },
  });
}

describe("a model that fails for a while", () => {
  test.each([
    ["is overloaded", fails(httpError(529, "Overloaded"))],
    ["answers 500", fails(httpError(500, "Internal"))],
    ["cannot be reached", fails(new Error("ECONNREFUSED"))],
    ["throws at once", FAILING.throwsAtOnce],
    ["breaks off", FAILING.diesMidStream],
    ["says nothing", FAILING.repliesNothing],
    ["says white space", FAILING.repliesBlank],
    ["only thinks", FAILING.onlyReasons],
    ["sends garbage", streams(null, 5, "text", { type: "image" }, { type: "tool_use" })],
  ])("is asked again where it %s", async (_, failing) => {
    const { engine, waits, model } = testAgent([reads("a"), failing, failing, says("There.")]);
    const result = await engine.executeTaskSafely("Go on.");
    expect(result).toMatchObject({ type: "completed", text: "There.", steps: 2 });
    expect(result.recoveries).toMatchObject([
      { problem: "model", remedy: "waited 1000 ms" },
      { remedy: "waited 2000 ms" },
    ]);
    expect(waits).toEqual([1_000, 2_000]);
    expect(await (await engine.session()).log()).toHaveLength(4);
    expect(new Set(model.asked.slice(1).map(({ systemPrompt }) => systemPrompt)).size).toBe(1);
  });

  test("is waited for as long as it asks, but no longer than a minute", async () => {
    const busy = (retryAfterMs: number): Behaviour => fails(httpError(429, "Slow down", { retryAfterMs }));
    const { engine, waits } = testAgent([busy(7_000), busy(900_000)]);
    expect(await engine.executeTaskSafely("Go on.")).toMatchObject({ type: "completed" });
    expect(waits).toEqual([7_000, 60_000]);
  });

  test("is given up after five tries that led nowhere", async () => {
    const down = Array.from({ length: 6 }, () => fails(httpError(503, "Down")));
    const { engine, waits } = testAgent([reads("a"), ...down]);
    expect(await engine.executeTaskSafely("Go on.")).toMatchObject({
      type: "failed",
      cause: "model",
      error: expect.stringContaining("Down"),
    });
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000]);
    expect((await engine.state()).l2_runtime.phase).toBe("failed");
    expect(await engine.executeTaskSafely("Again.")).toMatchObject({ type: "completed", text: "Done." });
  });

  test("may fail often, as long as the task gets on in between", async () => {
    const script = Array.from({ length: 20 }, (_, index) => [
      fails(httpError(500, "Hiccup")),
      reads(`r${index}`),
    ]).flat();
    const { engine } = testAgent(script);
    const result = await engine.executeTaskSafely("Go on.");
    expect(result).toMatchObject({ type: "completed", steps: 21 });
    expect(result.recoveries).toHaveLength(20);
  });

  test("that hangs is given up, and asked again", async () => {
    const { engine } = testAgent([hangs], { limits: { modelTimeoutMs: 20 } });
    const result = await engine.executeTaskSafely("Go on.");
    expect(result).toMatchObject({ type: "completed", recoveries: [{ error: expect.stringContaining("20 ms") }] });
  });

  test("has its limits all the same", async () => {
    const script = Array.from({ length: 9 }, (_, index) => [
      fails(httpError(500, "Hiccup")),
      reads(`r${index}`),
    ]).flat();
    const { engine } = testAgent(script, { limits: { maxSteps: 4 } });
    expect(await engine.executeTaskSafely("Go on.")).toMatchObject({ type: "stopped", steps: 4 });
  });
});

describe("what cannot be mended is told", () => {
  test.each([
    ["a wrong key", fails(httpError(401, "invalid x-api-key")), "other"],
    ["a request that is refused", fails(httpError(400, "tools.0: bad name")), "other"],
    ["an error of our own", fails(new PalimpsestError("invalid-argument", "No.")), "other"],
  ])("%s", async (_, failing, cause) => {
    const { engine, waits } = testAgent([reads("a"), failing]);
    expect(await engine.executeTaskSafely("Go on.")).toMatchObject({ type: "failed", cause, recoveries: [] });
    expect(waits).toEqual([]);
    expect(validateView(await (await engine.session()).view())).toEqual([]);
  });

  test("a task that does not fit the window, without asking anybody", async () => {
    const { engine, model } = testAgent([], { task: "Do all of this. ".repeat(2_000), contextWindow: 16_000 });
    expect(await engine.executeTaskSafely("Go on.")).toMatchObject({ type: "failed", cause: "cannot-fit" });
    expect(model.asked).toEqual([]);
  });

  test("and plain executeTask rejects with it", async () => {
    const { engine } = testAgent([fails(httpError(401, "invalid x-api-key"))]);
    await expect(engine.executeTask("Go on.")).rejects.toMatchObject({
      code: "model-failed",
      message: "invalid x-api-key",
      cause: { status: 401 },
    });
  });
});

describe("a prompt that is too long", () => {
  const reading = Array.from({ length: 6 }, (_, index) => reads(`r${index}`));
  const execute = ({ id }: { readonly id: string }) => `line of ${id} with some words. `.repeat(200);
  const tooLong = fails(httpError(400, "prompt is too long: 17000 tokens > 9000 maximum"));
  const unnamed = fails(httpError(400, "Your input exceeds the context window of this model."));

  test("is condensed, and the limit that the provider names is believed from then on", async () => {
    const { engine, model } = testAgent([...reading, tooLong, ...reading], { contextWindow: 32_000, execute });
    const result = await engine.executeTaskSafely("Go on.");
    expect(result).toMatchObject({
      type: "completed",
      recoveries: [{ problem: "too-long", remedy: "took the window for 9000 tokens and condensed" }],
    });
    const [refused, next] = model.asked.slice(6);
    expect(JSON.stringify(next?.messages).length).toBeLessThan(0.4 * JSON.stringify(refused?.messages).length);
    expect(next?.call?.maxOutputTokens).toBe(2_250);
    await engine.executeTaskSafely("And?");
    expect(model.asked.at(-1)?.call?.maxOutputTokens).toBe(2_250);
    expect(await engine.audit()).toContainEqual(expect.objectContaining({ type: "recovery", problem: "too-long" }));
  });

  test("is condensed to 30 % of the longest prompt that the provider takes", async () => {
    const long = fails(httpError(400, "prompt is too long: 45000 tokens > 40000 maximum"));
    const { engine, model } = testAgent([...reading, ...reading, long, says("There.")], {
      contextWindow: 60_000,
      maxTokens: 4_000,
      execute: ({ id }) => `line of ${id} with some words. `.repeat(400),
    });
    await engine.executeTaskSafely("Go on.");
    const sizes = model.asked.slice(-2).map(({ systemPrompt, messages, call }) => {
      const texts = [systemPrompt, ...(call?.tools ?? []).map((tool) => JSON.stringify(tool))];
      return texts.reduce((sum, text) => sum + countTextTokens(text), countMessagesTokens(messages));
    });
    const longest = 40_000 * 0.9 - 4_000;
    expect(sizes[0]).toBeGreaterThan(0.6 * longest);
    expect(sizes[1]).toBeLessThanOrEqual(0.3 * longest);
    expect(sizes[1]).toBeGreaterThan(0.15 * longest);
  });

  test("is condensed further each time, where no limit is named; with the next task the window is what it was", async () => {
    const { engine, model } = testAgent([...reading, unnamed, unnamed, says("There."), says("Next.")], {
      contextWindow: 32_000,
      execute,
    });
    const result = await engine.executeTaskSafely("Go on.");
    expect(result.recoveries.map(({ remedy }) => remedy.split(" tokens")[0])).toEqual([
      "took the window for 22400",
      "took the window for 15680",
    ]);
    await engine.executeTaskSafely("And?");
    expect(model.asked.at(-1)?.call?.maxOutputTokens).toBe(8_000);
  });

  test("that stays too long is a failure of its own", async () => {
    const { engine } = testAgent([...reading, unnamed, unnamed, unnamed, unnamed], { contextWindow: 32_000, execute });
    expect(await engine.executeTaskSafely("Go on.")).toMatchObject({ type: "failed", cause: "too-long" });
  });
});

describe("a store that fails for a while", () => {
  const script = [
    callsTools([["p", "set_phase", { phase: "executing", reason: "Now." }]]),
    ...["a", "b", "c"].map((id) => reads(id)),
    says("There."),
    says("There."),
    says("There."),
  ];

  test.each(Array.from({ length: 12 }, (_, index) => index + 1))(
    "at append %i: the last checkpoint is gone back to, and the task is finished",
    async (from) => {
      const store = troubledStore("append", { from, times: 2 });
      const { engine } = testAgent(script, { store });
      const result = await engine.executeTaskSafely("Go on.");
      expect(result).toMatchObject({ type: "completed", text: "There." });
      expect(result.recoveries.every(({ problem }) => problem === "store")).toBe(true);
      const session = await engine.session();
      const log = await session.log();
      expect(validateView(await session.view())).toEqual([]);
      // What was asked is there, and once.
      expect(log.filter(({ content }) => content === "Go on.")).toHaveLength(1);
      expect(log.at(-1)?.content).toEqual([{ type: "text", text: "There." }]);
      // Also for whoever opens it again.
      const again = testAgent([], { store });
      expect(await (await again.engine.session()).log()).toEqual(log);
    },
  );

  test.each(["open", "read", "listCheckpoints", "saveCheckpoint"] as const)("at %s", async (call) => {
    const { engine, waits } = testAgent(script, { store: troubledStore(call, { from: 1, times: 2 }) });
    expect(await engine.executeTaskSafely("Go on.")).toMatchObject({ type: "completed" });
    expect(waits.length).toBeGreaterThan(0);
  });

  test("after all was done, does not have it done again", async () => {
    const saves = { from: 3, times: 2 };
    const { engine, executed } = testAgent(script, { store: troubledStore("saveCheckpoint", saves) });
    const result = await engine.executeTaskSafely("Go on.");
    expect(result).toMatchObject({ type: "completed", text: "There.", steps: 5 });
    expect(executed.map(({ id }) => id)).toEqual(["a", "b", "c"]);
  });

  test("has the files go back as well", async () => {
    const [folder, storageFolder] = [temporaryFolder(), temporaryFolder()];
    const path = join(folder, "count.txt");
    writeFileSync(path, "0");
    const { engine, executed } = testAgent(script, {
      store: troubledStore("append", { from: 9, times: 1 }),
      workspace: workspaceCheckpoints({ workspace: folder, storageFolder }),
      execute: () => {
        const count = Number(readFileSync(path, "utf8")) + 1;
        writeFileSync(path, String(count));
        return String(count);
      },
    });
    const result = await engine.executeTaskSafely("Go on.");
    expect(result).toMatchObject({
      type: "completed",
      recoveries: [{ remedy: expect.stringMatching(/^went back to/) }],
    });
    // Of what was executed, some was undone with the log that told of it.
    const told = (await toldResults(engine)).filter((text) => /^\d+$/.test(text));
    expect(told.length).toBeLessThan(executed.length);
    expect(readFileSync(path, "utf8")).toBe(String(told.length));
  });

  test("for good is a failure of its own", async () => {
    const { engine } = testAgent(script, { store: troubledStore("append", { from: 4, times: 1_000 }) });
    expect(await engine.executeTaskSafely("Go on.")).toMatchObject({
      type: "failed",
      cause: "store",
      error: "The disk is full.",
    });
  });

  test("has what was used stay used", async () => {
    const { engine } = testAgent(script, { store: troubledStore("append", { from: 8, times: 2 }) });
    const result = await engine.executeTaskSafely("Go on.");
    if (result.type === "failed") throw new Error(result.error);
    expect(result.recoveries).not.toEqual([]);
    expect(result.state.l2_runtime.resources.modelCalls).toBe(result.steps + 1);
  });
});

test("a tool that hangs, crashes or returns garbage is no trouble", async () => {
  const { engine } = testAgent([reads("hang"), reads("crash"), reads("garbage")], {
    limits: { toolTimeoutMs: 20 },
    execute: ({ id }) => {
      if (id === "hang") return new Promise(() => {});
      if (id === "crash") throw undefined;
      return Object.create(null);
    },
  });
  expect(await engine.executeTaskSafely("Go on.")).toMatchObject({ type: "completed", recoveries: [] });
  expect(await toldResults(engine)).toEqual(["! It took longer than 20 ms.", "! undefined", "{}"]);
});
