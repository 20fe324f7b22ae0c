import { describe, expect, test } from "vitest";
import { NOW } from "../../../../test/support/layered-states.ts";
import { countTextTokens } from "../../tokens/o200k/count-text-tokens.ts";
import { PRIORITIES } from "../layer-names.ts";
import type { LayeredState, Phase } from "../layered-state.ts";
import { comparedTexts } from "../select/relevance.ts";
import { createInitialState } from "../state/initial-state.ts";
import { addCitation, addObservation } from "../updates/evidence.ts";
import { define, recordEpisode, remember } from "../updates/memory.ts";
import { setPhase } from "../updates/phases.ts";
import { writeScratchpad } from "../updates/work-buffer.ts";
import { ContextBuilder, type ContextBuilderOptions } from "./context-builder.ts";

const empty = createInitialState("Rotate the JWT secret");
const build = (state: LayeredState, options: Partial<ContextBuilderOptions> = {}) =>
  new ContextBuilder({ totalTokens: 20_000, now: () => NOW, ...options }).build(state);

describe("a context", () => {
  test("has its layers by priority: 100, 100, 80, 80, 50, 50", () => {
    let state = remember(empty, { id: "a", at: NOW, content: "x" });
    state = addCitation(writeScratchpad(state, "y"), { id: "c", source: "s", quote: "z" });
    const { context, metadata } = build(state);
    const order = ["system", "task", "runtime", "work-buffer", "memory", "evidence"];
    expect(order.map((tag) => context.indexOf(`<${tag}>`))).toEqual(
      order.map((tag) => context.indexOf(`<${tag}>`)).toSorted((a, b) => a - b),
    );
    expect(metadata.layers.map(({ layer, priority }) => [layer, priority])).toEqual([
      ["system", 100],
      ["task", 100],
      ["runtime", 80],
      ["workBuffer", 80],
      ["memory", 50],
      ["evidence", 50],
    ]);
    expect(metadata).toMatchObject({ totalTokens: countTextTokens(context), compressionRatio: 1 });
  });

  test("knows five priorities: 100, 80, 50, 20 and 5", () => {
    expect(PRIORITIES).toEqual({ critical: 100, high: 80, medium: 50, low: 20, minimal: 5 });
  });

  test("of an empty memory has no tags for it", () => {
    const { context, metadata } = build(empty);
    for (const tag of ["memory", "evidence", "work-buffer"]) expect(context).not.toContain(`<${tag}`);
    expect(metadata.layers.find(({ layer }) => layer === "memory")).toMatchObject({ tokens: 0, omittedItems: 0 });
  });

  test("condenses a text that does not fit, and says so", () => {
    const notes = Array.from({ length: 500 }, (_, index) => `note ${index} on src/part${index}.ts`);
    const { context, metadata } = build(writeScratchpad(empty, notes.join("\n")), { totalTokens: 2_000 });
    expect(metadata.layers.find(({ layer }) => layer === "workBuffer")).toMatchObject({
      condensedItems: 1,
      omittedItems: 0,
    });
    expect(metadata.totalTokens).toBeGreaterThan(1_700);
    const [, leftOut, text = ""] = /<scratchpad left-out-tokens="(\d+)">([^<]*)</.exec(context) ?? [];
    expect(Number(leftOut)).toBe(countTextTokens(notes.join("\n")) - countTextTokens(text));
    for (const line of text.split("\n")) expect(notes).toContain(line);
    const selected = countTextTokens(build(writeScratchpad(empty, notes.join("\n")), { totalTokens: 50_000 }).context);
    expect(metadata.compressionRatio).toBeCloseTo(metadata.totalTokens / selected, 10);
  });

  test("has room for small entries beside a text that is far too long", () => {
    let state = remember(empty, {
      id: "long",
      at: NOW,
      content: ["a line about src/x.ts", ...Array.from({ length: 900 }, (_, index) => `line ${index}`)].join("\n"),
    });
    state = remember(state, { id: "small", at: NOW - 5, content: "small but telling" });
    const { context } = build(state, { totalTokens: 1_500 });
    expect(context).toContain("small but telling");
    expect(context).toMatch(/<entry left-out-tokens="\d+">a line about src\/x.ts/);
  });

  test("that cannot hold the system and the task is an error with the numbers", () => {
    const needed = build(empty, { totalTokens: 20_000 })
      .metadata.layers.slice(0, 2)
      .reduce((sum, { tokens }) => sum + tokens, 5);
    const least = Math.ceil(needed / 0.9);
    expect(() => build(empty, { totalTokens: least })).not.toThrow();
    const refused = () => build(empty, { totalTokens: least - 2 });
    expect(refused).toThrow(expect.objectContaining({ code: "cannot-fit" }));
    expect(refused).toThrow(
      `need ${needed} tokens, and totalTokens ${least - 2} leaves ${Math.floor((least - 2) * 0.9)}`,
    );
  });

  test("shifts its budgets with the phase and the model", () => {
    const long = Array.from({ length: 3_000 }, (_, index) => `line ${index} of src/part${index}.ts`).join("\n");
    let state = addObservation(writeScratchpad(empty, long), { id: "o", at: NOW, source: "run", content: long });
    state = remember(state, { id: "s", at: NOW, content: long });
    const workBudget = (phase: Phase, modelId?: string) => {
      const { layers } = build(setPhase(state, phase), { modelId }).metadata;
      return layers.find(({ layer }) => layer === "workBuffer")?.budgetTokens ?? 0;
    };
    expect(workBudget("executing")).toBeGreaterThan(workBudget("initializing"));
    expect(workBudget("planning")).toBeLessThan(workBudget("initializing"));
    expect(workBudget("initializing", "claude-haiku-4-5")).toBeGreaterThan(workBudget("initializing"));
    expect(workBudget("initializing", "claude-opus-4-8")).toBeLessThan(workBudget("initializing"));
  });

  test("takes another similarity, asked once, for the goal and all texts that are compared", () => {
    const calls: [string, readonly string[]][] = [];
    const state = recordEpisode(define(empty, { term: "JWT", meaning: "token" }), {
      type: "summary",
      id: "s",
      at: 0,
      content: "began",
    });
    build(state, {
      similarity: (goal, texts) => {
        calls.push([goal, texts]);
        return texts.map(() => 1);
      },
    });
    expect(calls).toEqual([["Rotate the JWT secret", ["began", "JWT: token"]]]);
    expect(comparedTexts(state)).toEqual(["began", "JWT: token"]);
  });

  test("is refused where what was injected does not hold its promise", () => {
    const state = define(empty, { term: "JWT", meaning: "token" });
    const code = expect.objectContaining({ code: "invalid-argument" });
    expect(() => build(state, { similarity: () => [] })).toThrow("similarity(goal, texts).length is 0; it must be 1.");
    expect(() => build(state, { similarity: () => [Number.NaN] })).toThrow(code);
    expect(() => build(state, { countTokens: () => Number.NaN })).toThrow(code);
    expect(() => build(state, { now: () => Number.NaN })).toThrow(code);
    // @ts-expect-error callers without types
    expect(() => new ContextBuilder({ totalTokens: 5 })).toThrow("now is undefined; it must be a function.");
    expect(() => build(empty, { totalTokens: -1 })).toThrow(code);
    // @ts-expect-error callers without types
    expect(() => build({})).toThrow("state.schemaVersion is undefined");
  });
});
