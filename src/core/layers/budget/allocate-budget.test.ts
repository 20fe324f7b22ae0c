import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyPhase } from "../../../../test/support/layered-states.ts";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { LAYER_NAMES, MEMORY_KINDS } from "../layer-names.ts";
import {
  allocateBudget,
  type BudgetAllocation,
  BudgetAllocator,
  type BudgetNeeds,
  shareOut,
} from "./allocate-budget.ts";
import { modelClassOf } from "./layer-percents.ts";

/** Of 10,000 tokens 9,000 are given out: 90 are a hundredth. */
const TOTAL = 10_000;
const inPhase = (phase: Parameters<typeof allocateBudget>[0]["phase"]) =>
  allocateBudget({ totalTokens: TOTAL, phase }).layers;
const of110 = (percent: number) => Math.floor((9_000 * percent) / 110);

const NOTHING: BudgetNeeds = {
  system: 0,
  task: 0,
  runtime: 0,
  memory: { shortTerm: 0, episodic: 0, semantic: 0, procedural: 0 },
  evidence: 0,
  workBuffer: 0,
};
const withNeeds = (needs: Partial<BudgetNeeds>, phase: "verifying" | "planning" = "verifying") =>
  allocateBudget({ totalTokens: TOTAL, phase, needs: { ...NOTHING, ...needs } });

describe("the parts of a budget", () => {
  test.each(["initializing", "verifying", "completed", "failed"] as const)(
    "when %s are 5, 5, 3, 52, 25 and 10 of nine tenths",
    (phase) => {
      expect(inPhase(phase)).toEqual({
        system: 450,
        task: 450,
        runtime: 270,
        memory: 4_680,
        evidence: 2_250,
        workBuffer: 900,
      });
    },
  );

  test("split memory into 20, 15, 10 and 7", () => {
    const { memory, reserve } = allocateBudget({ totalTokens: TOTAL, phase: "verifying" });
    expect(memory).toEqual({ shortTerm: 1_800, episodic: 1_350, semantic: 900, procedural: 630 });
    expect(reserve).toBe(1_000);
  });

  test("when planning shift to memory and evidence by ten each, off the work buffer, which has no more than it had", () => {
    expect(inPhase("planning")).toEqual({
      system: of110(5),
      task: of110(5),
      runtime: of110(3),
      memory: of110(62),
      evidence: of110(35),
      workBuffer: 0,
    });
  });

  test("when executing shift 15 to the work buffer, 10 off memory and 5 off evidence", () => {
    expect(inPhase("executing")).toEqual({
      system: 450,
      task: 450,
      runtime: 270,
      memory: 3_780,
      evidence: 1_800,
      workBuffer: 2_250,
    });
  });

  test("when reflecting shift 15 to memory and 5 to evidence, off the work buffer", () => {
    expect(inPhase("reflecting")).toMatchObject({
      memory: of110(67),
      evidence: of110(30),
      workBuffer: 0,
      system: of110(5),
    });
  });

  test("for opus-class models give evidence and memory 5 more, for haiku-class models the work buffer 15", () => {
    const opus = allocateBudget({ totalTokens: TOTAL, phase: "verifying", modelClass: "opus" }).layers;
    expect(opus).toMatchObject({ memory: of110(57), evidence: of110(30), workBuffer: of110(10), task: of110(5) });
    const haiku = allocateBudget({ totalTokens: TOTAL, phase: "verifying", modelClass: "haiku" }).layers;
    expect(haiku).toEqual({ system: 450, task: 450, runtime: 270, memory: 4_230, evidence: 1_350, workBuffer: 2_250 });
  });

  test("take both shifts at once", () => {
    const both = allocateBudget({ totalTokens: TOTAL, phase: "planning", modelClass: "haiku" }).layers;
    // 52 + 10 − 5, 25 + 10 − 10, 10 − 20 + 15
    expect(both).toEqual({ system: 450, task: 450, runtime: 270, memory: 5_130, evidence: 2_250, workBuffer: 450 });
  });
});

describe("what layers need", () => {
  test("is given by their parts of memory: 1.5, 1.2, 1.0 and 0.8 among kinds that hold something", () => {
    const every = { shortTerm: 9_000, episodic: 9_000, semantic: 9_000, procedural: 9_000 };
    const { layers, memory } = withNeeds({ memory: every });
    expect(layers.memory).toBe(9_000);
    expect(memory).toEqual({ shortTerm: 3_000, episodic: 2_000, semantic: 1_600, procedural: 2_400 });
    const two = withNeeds({ memory: { ...every, shortTerm: 0, procedural: 0 } }).memory;
    expect(two).toEqual({ shortTerm: 0, episodic: 5_000, semantic: 4_000, procedural: 0 });
  });

  test("by one kind of memory less than its part goes to the other kinds", () => {
    const { memory } = withNeeds({ memory: { shortTerm: 100, episodic: 9_000, semantic: 0, procedural: 0 } });
    expect(memory).toEqual({ shortTerm: 100, episodic: 8_900, semantic: 0, procedural: 0 });
  });

  test("comes first and whole where it is critical, however little the others then get", () => {
    const { layers } = withNeeds({ system: 5_000, task: 3_900, runtime: 500, evidence: 500 });
    expect(layers).toMatchObject({ system: 5_000, task: 3_900 });
    expect(layers.runtime + layers.evidence).toBe(100);
  });

  test("and is not needed flows to higher priorities first", () => {
    const { layers, reserve } = withNeeds({ runtime: 1_000, evidence: 20_000, workBuffer: 3_000 });
    expect(layers).toEqual({ system: 0, task: 0, runtime: 1_000, memory: 0, evidence: 5_000, workBuffer: 3_000 });
    expect(reserve).toBe(1_000);
  });

  test("reaches a layer that its phase left nothing", () => {
    expect(withNeeds({ workBuffer: 700 }, "planning").layers.workBuffer).toBe(700);
  });

  test("leaves the parts of those that need all of theirs alone", () => {
    const { layers } = withNeeds({
      system: 450,
      task: 450,
      runtime: 9_000,
      evidence: 9_000,
      workBuffer: 9_000,
      memory: { shortTerm: 9_000, episodic: 0, semantic: 0, procedural: 0 },
    });
    expect(layers).toEqual({ system: 450, task: 450, runtime: 270, memory: 4_680, evidence: 2_250, workBuffer: 900 });
  });
});

const need = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 0, max: 300 }),
  fc.double({ min: 0, max: 50_000, noNaN: true }),
);
const anyNeeds = fc.record({
  system: need,
  task: need,
  runtime: need,
  memory: fc.record({ shortTerm: need, episodic: need, semantic: need, procedural: need }),
  evidence: need,
  workBuffer: need,
});
const anyBudget = fc.record({
  totalTokens: fc.oneof(fc.integer({ min: 0, max: 200 }), fc.double({ min: 0, max: 2_000_000, noNaN: true })),
  phase: anyPhase,
  modelClass: fc.constantFrom("opus" as const, "haiku" as const, undefined),
  needs: fc.option(anyNeeds, { nil: undefined }),
});

describe("any budget", () => {
  const amounts = ({ layers, memory, reserve }: BudgetAllocation) => [
    ...Object.values(layers),
    ...Object.values(memory),
    reserve,
  ];

  test("is whole tokens, none negative, that sum to the total; at least a tenth is reserve", () => {
    fc.assert(
      fc.property(anyBudget, (options) => {
        const allocation = allocateBudget(options);
        for (const amount of amounts(allocation)) expect(Number.isInteger(amount) && amount >= 0).toBe(true);
        const sum = LAYER_NAMES.reduce((total, layer) => total + allocation.layers[layer], allocation.reserve);
        expect(sum).toBe(Math.floor(options.totalTokens));
        expect(MEMORY_KINDS.reduce((total, kind) => total + allocation.memory[kind], 0)).toBe(allocation.layers.memory);
        expect(allocation.reserve).toBeGreaterThanOrEqual(allocation.totalTokens * 0.1 - 1e-6);
        expect(allocateBudget(options)).toEqual(allocation);
      }),
      propertyRuns(1_000),
    );
  });

  test("with needs gives nobody more than that, critical layers all of it before others anything, and keeps back nothing needed", () => {
    fc.assert(
      fc.property(anyBudget, anyNeeds, (options, needs) => {
        const { layers, memory, reserve, totalTokens } = allocateBudget({ ...options, needs });
        const usable = Math.floor(totalTokens * 0.9);
        const wanted = (layer: (typeof LAYER_NAMES)[number]) =>
          layer === "memory"
            ? MEMORY_KINDS.reduce((sum, kind) => sum + Math.ceil(needs.memory[kind]), 0)
            : Math.ceil(needs[layer]);
        for (const layer of LAYER_NAMES) expect(layers[layer]).toBeLessThanOrEqual(wanted(layer));
        for (const kind of MEMORY_KINDS) expect(memory[kind]).toBeLessThanOrEqual(Math.ceil(needs.memory[kind]));
        const given = totalTokens - reserve;
        expect(given).toBe(
          Math.min(
            usable,
            LAYER_NAMES.reduce((sum, layer) => sum + wanted(layer), 0),
          ),
        );
        if (layers.system + layers.task < wanted("system") + wanted("task"))
          expect(layers.system + layers.task).toBe(given);
      }),
      propertyRuns(1_000),
    );
  });

  test("that makes no sense is refused", () => {
    for (const totalTokens of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => allocateBudget({ totalTokens, phase: "planning" })).toThrow(
        expect.objectContaining({ code: "invalid-argument" }),
      );
    }
    // @ts-expect-error callers without types
    expect(() => allocateBudget({ totalTokens: 1, phase: "resting" })).toThrow('phase is "resting"');
    // @ts-expect-error callers without types
    expect(() => allocateBudget({ totalTokens: 1, phase: "planning", modelClass: "sonnet" })).toThrow(
      'modelClass is "sonnet"',
    );
    expect(() => withNeeds({ evidence: -3 })).toThrow("needs.evidence is -3");
  });
});

describe("an allocator", () => {
  test.each([
    ["claude-opus-4-8", "opus"],
    ["us.anthropic.claude-haiku-4-5", "haiku"],
    ["claude-sonnet-4-5", undefined],
    ["gpt-5", undefined],
    ["nobody-knows", undefined],
  ])("knows the class of %s: %s", (modelId, expected) => {
    expect(modelClassOf(modelId)).toBe(expected);
    const allocator = new BudgetAllocator({ totalTokens: TOTAL, modelId });
    expect(allocator.allocate("executing")).toEqual(
      allocateBudget({ totalTokens: TOTAL, phase: "executing", modelClass: modelClassOf(modelId) }),
    );
  });

  test("takes the class that it is told instead, and less tokens for once", () => {
    const allocator = new BudgetAllocator({ totalTokens: TOTAL, modelId: "claude-opus-4-8", modelClass: "haiku" });
    expect(allocator.modelClass).toBe("haiku");
    expect(allocator.allocate("verifying", { totalTokens: 1_000 }).layers.workBuffer).toBe(225);
    expect(allocator.allocate("verifying", { needs: NOTHING }).reserve).toBe(TOTAL);
  });
});

describe("sharing out", () => {
  test("goes by weight, up to what is needed, and the rest to the others", () => {
    expect(
      shareOut(100, [
        { need: 10, weight: 3 },
        { need: 500, weight: 1 },
        { need: 500, weight: 2 },
      ]),
    ).toEqual([10, 30, 60]);
  });

  test("gives what does not divide to the first, and nothing to those without weight", () => {
    expect(
      shareOut(5, [
        { need: 9, weight: 1 },
        { need: 9, weight: 1 },
        { need: 9, weight: 0 },
      ]),
    ).toEqual([3, 2, 0]);
    expect(
      shareOut(
        2,
        Array.from({ length: 4 }, () => ({ need: 9, weight: 1 })),
      ),
    ).toEqual([1, 1, 0, 0]);
  });
});
