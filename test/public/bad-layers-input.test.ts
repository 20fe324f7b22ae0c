/** State, context, tools and the agent's loop, against what they were not made for: they refuse and name the fault. */
import { describe, expect, test } from "vitest";
import * as api from "../../src/engine/agent/index.ts";
import { CODING_TOOLS } from "../support/agents.ts";
import { LAYER_FUNCTIONS } from "../support/engine-functions.ts";
import {
  each,
  eachField,
  type Fault,
  MESSAGE_FAULTS,
  MESSAGES_FAULTS,
  unmetFaults,
  unmetPromises,
} from "../support/faults.ts";
import { good, handler } from "../support/handlers.ts";
import { chat, deepFreeze } from "../support/messages.ts";

type Row = readonly [name: string, parameter: string, (input: unknown) => readonly unknown[], readonly Fault[]];

const functions = new Map<string, unknown>(Object.entries(api));
const tested = new Set<string>();
const CLASSES = ["BudgetAllocator", "ContextBuilder", "ModernContextEngine"];

/** Calls a public function, or makes a public class, with what its types forbid. */
function invoke(name: string, given: readonly unknown[]): unknown {
  const target = functions.get(name);
  if (typeof target !== "function") throw new Error(`There is no public function ${name}.`);
  tested.add(name);
  return CLASSES.includes(name) ? Reflect.construct(target, given) : Reflect.apply(target, undefined, given);
}

const state = deepFreeze(api.createInitialState("Fix it."));
const NO_OBJECT = [null, 5];
const NO_NUMBER = [Number.NaN, null, "5"];
const NOTHING = [undefined, ...NO_OBJECT, {}];
const noOptions = each(NO_OBJECT, /must be/);

describe("is refused by name by", () => {
  const entry = (name: string, fine: object): Row => [
    name,
    "entry",
    (input) => [state, input],
    [
      ...each([null, 5, {}], /must be/),
      ...eachField(Object.fromEntries(Object.keys(fine).map((key) => [key, [[]]])), fine),
    ],
  ];
  const time = { id: "a", at: 1 };
  const named = { id: "a", name: "b", content: "c" };
  const updates: readonly Row[] = [
    entry("remember", { ...time, content: "a" }),
    entry("recordEpisode", { type: "summary", ...time, content: "a", tokenCount: 1 }),
    [
      "recordEpisode",
      "lists",
      (input) => [state, { type: "decision", ...time, content: "a", ...Object(input) }],
      each([{ condensedFrom: 5 }, { alternatives: [5] }], /must be/),
    ],
    entry("learnFact", { ...time, content: "a", source: "b", confidence: 1, isVerified: true }),
    entry("define", { term: "a", meaning: "b", context: "c" }),
    [
      "define",
      "lists",
      (input) => [state, { term: "a", meaning: "b", ...Object(input) }],
      each([{ examples: 5 }, { references: [5] }], /must be/),
    ],
    entry("setPreference", { key: "a", value: "b" }),
    entry("addKnowledge", { id: "a", topic: "b", content: "c" }),
    entry("addObservation", { ...time, source: "b", content: "c" }),
    entry("addRetrieval", { ...time, query: "a", source: "b", content: "c", relevance: 1 }),
    entry("addCitation", { id: "a", source: "b", quote: "c" }),
    entry("addMeasurement", { at: 1, name: "a", value: 1, unit: "ms" }),
    entry("recordStep", { at: 1, action: "a", outcome: "success", durationMs: 1 }),
    entry("recordFailure", { ...time, error: "a" }),
    entry("putChange", { path: "a", type: "create", description: "b", status: "planned" }),
    entry("putHypothesis", { id: "a", statement: "b", status: "untested" }),
    entry("putDraft", { id: "a", title: "b", content: "c" }),
    ["addProcedure", "kind", (input) => [state, input, named], each(["tricks", 5], /kind/)],
    ["addProcedure", "procedure", (input) => [state, "skills", input], each([null, 5, {}], /procedure/)],
    [
      "addProcedure",
      "template",
      (input) => [state, "templates", { ...named, variables: input }],
      each([5, ["a"], [{}]], /variables/),
    ],
    [
      "addProcedure",
      "checklist",
      (input) => [state, "checklists", { ...named, items: input }],
      each([5, [null], [{ id: "a" }]], /items/),
    ],
    [
      "addProcedure",
      "procedure by phase",
      (input) => [state, "procedures", { ...named, phases: input }],
      each([5, ["dancing"]], /phases/),
    ],
    [
      "tickItem",
      "tick",
      (input) => [state, input],
      [...each([null, 5], /tick/), ...each([{}, { checklistId: "a" }], /No checklist/)],
    ],
    ["renderTemplate", "template", (input) => [input], each([null, 5, {}, { ...named, content: 5 }], /template/)],
    [
      "renderTemplate",
      "values",
      (input) => [{ ...named, content: "{{a}}" }, input],
      each([null, 5, {}, { a: {} }], /values/),
    ],
    ["setWorkingVariable", "name", (input) => [state, input, 1], each([null, 5, ""], /name/)],
    ["setWorkingVariable", "value", (input) => [state, "a", input], each([null, {}, Number.NaN], /value/)],
    ["addLoadedMemory", "memory", (input) => [state, input], each([null, 5, {}, { preferences: [] }], /memory/)],
    ["resolveFailure", "id", (input) => [state, input], each(["a", null, 5], /No failure/)],
    ["setStepStatus", "id", (input) => [state, input, "done"], each(["a", null, 5], /no step/)],
    [
      "addUse",
      "use",
      (input) => [state, input],
      [...noOptions, ...eachField({ toolCalls: [-1, ...NO_NUMBER.slice(0, 1)] })],
    ],
    ["setPlan", "plan", (input) => [state, input], each([null, 5, {}, [null], [{}]], /plan/)],
    ["writeScratchpad", "scratchpad", (input) => [state, input], each([null, undefined, 5], /scratchpad/)],
    ["setPhase", "phase", (input) => [state, input], each([null, 5, "dancing", "reflecting"], /phase|cannot become/)],
    ["expire", "now", (input) => [state, input], each([undefined, ...NO_NUMBER], /now/)],
  ];
  const builder = { totalTokens: 4_000, now: () => 0 };
  const states: readonly Row[] = [
    [
      "createInitialState",
      "task",
      (input) => [input],
      [...each([undefined, null, 5, "", " ", {}], /task/), ...eachField({ constraints: [5] }, { goal: "a" })],
    ],
    [
      "createInitialState",
      "options",
      (input) => ["a", input],
      [...noOptions, ...eachField({ role: [5], policies: [5, [null]], memory: [null, 5, {}] })],
    ],
    ["checkState", "value", (input) => [input], each([...NOTHING, { ...state, l3_memory: {} }], /state/)],
    ["serializeState", "state", (input) => [input], each(NOTHING, /state/)],
    [
      "readState",
      "json",
      (input) => [input],
      each([...NOTHING, "", "{", "5", "{}", '{"schemaVersion":9}'], /json|state/i),
    ],
    ["comparedTexts", "state", (input) => [input], each([state], "answers")],
    [
      "ContextBuilder",
      "options",
      (input) => [input],
      [
        ...each(NOTHING, /must be/),
        ...eachField({ totalTokens: [-1, ...NO_NUMBER], now: [5], similarity: [5], countTokens: [5] }, builder),
      ],
    ],
    ["BudgetAllocator", "options", (input) => [input], each(NOTHING, /must be/)],
  ];
  const situation = { phase: "planning", permissions: [], environment: "dev" };
  const priorities = chat(3).map(() => ({ score: 1, level: "low", reasons: [] }));
  const choosing: readonly Row[] = [
    [
      "projectTools",
      "situation",
      (input) => [input, []],
      [
        ...each(NOTHING, /situation/),
        ...eachField({ phase: ["dancing"], permissions: [5], environment: ["home"] }, situation),
      ],
    ],
    ["projectTools", "tools", (input) => [situation, input], each([null, 5, [null], [{}], [{ name: "a" }]], /tools/)],
    [
      "projectTools",
      "options",
      (input) => [situation, [], input],
      [
        ...noOptions,
        ...eachField({
          budgetTokens: [-1, ...NO_NUMBER],
          urgency: ["some"],
          unlistedTools: ["some"],
          phaseMap: [5, { dancing: [] }],
          allowLists: [5],
          keepTools: [5],
        }),
      ],
    ],
    ["usedTools", "messages", (input) => [input], MESSAGES_FAULTS],
    ["scoreMessages", "messages", (input) => [input], MESSAGES_FAULTS],
    ["scoreMessage", "message", (input) => [input, { age: 0 }], MESSAGE_FAULTS],
    [
      "scoreMessage",
      "context",
      (input) => [chat(1)[0], input],
      [...noOptions, ...eachField({ age: [-1, 0.5, ...NO_NUMBER] })],
    ],
    ["selectMessages", "messages", (input) => [input, [], 5], MESSAGES_FAULTS],
    [
      "selectMessages",
      "priorities",
      (input) => [chat(3), input, 5],
      each([null, 5, [], [null, null, null]], /priorities/),
    ],
    ["selectMessages", "budget", (input) => [chat(3), priorities, input], each(NO_NUMBER, /budget/)],
    ["extractCriteria", "task", (input) => [input], each([undefined, null, 5, {}], /task/)],
    ["taskKeywords", "goal", (input) => [input], each([undefined, null, 5, {}], /goal/)],
    [
      "readTooLong",
      "failure",
      (input) => [input],
      [...each(NOTHING, /failure/), ...eachField({ message: [5], code: [5] }, { message: "a" })],
    ],
  ];
  const agent = { model: handler(good), task: "Fix it.", tools: CODING_TOOLS, executor: { execute: async () => "" } };
  const agents: readonly Row[] = [
    [
      "ModernContextEngine",
      "options",
      (input) => [input],
      [
        ...each(NOTHING, /must be/),
        ...eachField(
          { model: [undefined, {}], task: [undefined, "", 5], tools: [undefined, [{}]], executor: [undefined, {}] },
          agent,
        ),
        ...eachField(
          {
            contextShare: [0, 1, "0.5"],
            contextFormat: ["yaml", 5],
            limits: [5, { maxSteps: 0 }],
            approve: [5],
            policyChecks: [5, [{}]],
            now: [5],
          },
          agent,
        ),
      ],
    ],
  ];
  test.each([...updates, ...states, ...choosing, ...agents])("%s(%s)", (name, _parameter, place, faults) => {
    expect(unmetFaults((input) => invoke(name, place(input)), faults).join("\n")).toBe("");
  });

  test("loadMemory, in its promise", async () => {
    const load = (input: unknown) => invoke("loadMemory", [input]);
    const withOptions = (input: unknown) => invoke("loadMemory", [".", input]);
    const unmet = [
      ...(await unmetPromises(load, each([undefined, null, 5, ""], /folder/))),
      ...(await unmetPromises(withOptions, [...noOptions, ...eachField({ skillFolders: [5, [5], [""]] })])),
    ];
    expect(unmet).toEqual([]);
  });

  test("createArgumentCheck, in its promise", async () => {
    const check = (input: unknown) => invoke("createArgumentCheck", [input]);
    const withOptions = (input: unknown) => invoke("createArgumentCheck", [[], input]);
    expect([
      ...(await unmetPromises(check, each([undefined, null, 5, [null], [{}], [{ name: "a" }]], /tools/))),
      ...(await unmetPromises(withOptions, [...noOptions, ...eachField({ timeoutMs: [0, ...NO_NUMBER] })])),
    ]).toEqual([]);
  });
});

test("no public function of the layered engine was left out", () => {
  expect([...tested].toSorted()).toEqual(LAYER_FUNCTIONS.toSorted());
  const names = [...functions].flatMap(([name, value]) => (typeof value === "function" ? [name] : []));
  expect(names.toSorted()).toEqual(LAYER_FUNCTIONS.toSorted());
});
