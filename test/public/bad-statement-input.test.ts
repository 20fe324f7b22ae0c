/** The bills of calls, against sizes and prices that they were not made for: they refuse and name the fault. */
import { describe, expect, test } from "vitest";
import * as core from "../../src/core/index.ts";
import { STATEMENT_FUNCTIONS } from "../support/engine-functions.ts";
import { each, eachField, type Fault, unmetFaults } from "../support/faults.ts";

type Row = readonly [name: string, parameter: string, (input: unknown) => readonly unknown[], readonly Fault[]];

const functions = new Map<string, unknown>(Object.entries(core));
const tested = new Set<string>();

/** Calls a public function with what its types forbid. */
function invoke(name: string, given: readonly unknown[]): unknown {
  const target = functions.get(name);
  if (typeof target !== "function") throw new Error(`There is no public function ${name}.`);
  tested.add(name);
  return Reflect.apply(target, undefined, given);
}

const NO_OBJECT = [null, 5];
const NO_NUMBER = [Number.NaN, null, "5"];

describe("a size or a price that is none is refused by name by", () => {
  const call = { atMs: 0, fixedTokens: 1_000, arrivedTokens: 500, outputTokens: 10 };
  const usdPerMillion = { type: "metered", input: 1, output: 5 };
  const prices = { usdPerMillion, cacheTtlMs: 300_000 };
  const model = { leftTokens: 100, folds: [0] };
  const policy = { share: 0.8, contextWindow: 1_000 };
  const counts = [undefined, -1, ...NO_NUMBER];
  const callFaults = eachField(
    { atMs: [undefined, ...NO_NUMBER], fixedTokens: counts, arrivedTokens: counts, outputTokens: counts },
    call,
  );
  const priceFaults: readonly Fault[] = [
    ...each([undefined, ...NO_OBJECT], /prices/),
    ...eachField({ cacheTtlMs: counts, usdPerMillion: [undefined, null, 5, {}] }, prices),
    ...each(
      [{ input: Number.NaN }, { output: -1 }, { cacheRead: "1" }, { longPrompts: 5 }, { longPrompts: [{}] }].map(
        (change) => ({ ...prices, usdPerMillion: { ...usdPerMillion, ...change } }),
      ),
      /usdPerMillion\.(input|output|cacheRead|longPrompts)/,
    ),
  ];
  const modelFaults: readonly Fault[] = [
    ...each([undefined, ...NO_OBJECT], /model/),
    ...eachField({ leftTokens: counts }, model),
    ...eachField({ rereadTokens: [-1, ...NO_NUMBER], summaryTokens: NO_NUMBER, allowedTokens: NO_NUMBER }, model),
  ];
  const policyFaults: readonly Fault[] = [
    ...each([undefined, ...NO_OBJECT], /policy/),
    ...eachField({ share: counts, contextWindow: counts }, policy),
    ...eachField({ summaryTokens: NO_NUMBER, keptArrivals: NO_NUMBER, rereadTokens: NO_NUMBER }, policy),
  ];
  const options = {
    billWithoutFolds: undefined,
    billWithFolds: model,
    billWithSummaryAt: policy,
    offlineOptimum: model,
  };
  const sumOptions = { findModel: core.findModel };
  const rows: readonly Row[] = [
    ...Object.entries(options).flatMap(([name, last]): readonly Row[] => [
      [name, "calls", (input) => [input, prices, last], each([undefined, null, 5, {}, [null], [5]], /calls/)],
      [name, "calls[0]", (input) => [[input], prices, last], callFaults],
      [name, "prices", (input) => [[call], input, last], priceFaults],
    ]),
    ["billWithFolds", "schedule", (input) => [[call], prices, input], modelFaults],
    [
      "billWithFolds",
      "schedule.folds",
      (input) => [[call], prices, { ...model, folds: input }],
      each([undefined, null, 5], /folds/),
    ],
    ["billWithSummaryAt", "policy", (input) => [[call], prices, input], policyFaults],
    ["offlineOptimum", "model", (input) => [[call], prices, input], modelFaults],
    [
      "sumStatement",
      "sessions",
      (input) => [input, sumOptions],
      each([undefined, null, 5, [null], [5], [{}]], /sessions/),
    ],
    [
      "sumStatement",
      "sessions[0].condensingUsd",
      (input) => [[{ requests: [], condensingUsd: input }], sumOptions],
      each(counts, /condensingUsd/),
    ],
    [
      "statementHistory",
      "session",
      (input) => [input, sumOptions],
      each([undefined, null, 5, {}, { requests: [], condensingUsd: -1 }], /session/),
    ],
    [
      "statementHistory",
      "options",
      (input) => [{ requests: [], condensingUsd: 0 }, input],
      each([undefined, ...NO_OBJECT, {}], /options/),
    ],
    [
      "sumStatement",
      "options",
      (input) => [[], input],
      [
        ...each([undefined, ...NO_OBJECT, {}], /options/),
        ...eachField({ leftTokens: [-1, ...NO_NUMBER], since: NO_NUMBER }, sumOptions),
      ],
    ],
  ];
  test.each(rows)("%s(%s)", (name, _parameter, place, faults) => {
    expect(unmetFaults((input) => invoke(name, place(input)), faults)).toEqual([]);
  });
});

test("no function of the statement was left out", () => {
  expect([...tested].toSorted()).toEqual(STATEMENT_FUNCTIONS.toSorted());
});
