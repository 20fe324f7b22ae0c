/** Every public function against what it was not made for: it refuses and names the fault, or answers as it promises. */
import { describe, expect, test } from "vitest";
import * as compat from "../../src/compat/index.ts";
import * as core from "../../src/core/index.ts";
import * as root from "../../src/index.ts";
import { ENGINE_FUNCTIONS, LAYER_FUNCTIONS, STATEMENT_FUNCTIONS, WIRE_FUNCTIONS } from "../support/engine-functions.ts";
import { each, eachField, type Fault, MESSAGE_FAULTS, MESSAGES_FAULTS, unmetFaults } from "../support/faults.ts";
import { assistant, call, deepFreeze, log, result, user } from "../support/messages.ts";

/** A function, one of its parameters, and the arguments of a call with an input in that place. */
type Row = readonly [name: string, parameter: string, place: (input: unknown) => readonly unknown[]];
type FaultyRow = readonly [...Row, readonly Fault[]];

const api = { ...root, ...core, ...compat };
const elsewhere = new Set([...LAYER_FUNCTIONS, ...STATEMENT_FUNCTIONS, ...WIRE_FUNCTIONS]);
const functions = new Map(Object.entries(api).filter(([name]) => name !== "PalimpsestError"));
const tested = new Set<string>();

/** Calls a public function with what its types forbid. */
function invoke(name: string, given: readonly unknown[]): unknown {
  const target = functions.get(name);
  if (typeof target !== "function") throw new Error(`There is no public function ${name}.`);
  tested.add(name);
  return Reflect.apply(target, undefined, given);
}

function expectFaults([name, , place]: Row, faults: readonly Fault[]): void {
  expect(unmetFaults((input) => invoke(name, place(input)), faults).join("\n")).toBe("");
}

const good = log(
  user("Find the cause."),
  ...["a", "b", "c"].flatMap((id) => [assistant(call(id)), user(result(id, `line of ${id}\n`.repeat(200)))]),
  assistant("Found it."),
);
const pairs = deepFreeze(api.detectPairs(good));
const state = deepFreeze(api.createForecast());
const usage = { inputTokens: 900, outputTokens: 5 };
const fit = { allowedTokens: 300 };
const clip = { messageIndexes: [2], budgetTokens: 50 };

describe("what is no log is refused, with the place of the fault, by", () => {
  const rows: readonly Row[] = [
    ["checkMessages", "input", (input) => [input]],
    ["getEffectiveApiHistory", "messages", (input) => [input]],
    ["repairView", "messages", (input) => [input]],
    ["validateView", "messages", (input) => [input]],
    ["detectPairs", "messages", (input) => [input]],
    ["listFolds", "messages", (input) => [input]],
    ["ledgerTerms", "messages", (input) => [input]],
    ["restoreSpan", "messages", (input) => [input, { from: "m1", to: "m2" }]],
    ["restoreMessages", "messages", (input) => [input, "clip-1"]],
    ["restoreAllMessages", "messages", (input) => [input]],
    ["cleanupAfterTruncation", "messages", (input) => [input]],
    ["trackView", "messages", (input) => [input]],
    ["countMessagesTokens", "messages", (input) => [input]],
    ["forecast", "newMessages", (input) => [state, input]],
    ["anchor", "sent.newMessages", (input) => [state, usage, { newMessages: input }]],
    ["truncateConversation", "messages", (input) => [input, 0.5, "task"]],
    ["truncateToFit", "messages", (input) => [input, fit]],
    ["foldToFit", "messages", (input) => [input, fit]],
    ["clearToolResults", "messages", (input) => [input]],
    ["dedupeToolResults", "messages", (input) => [input]],
    ["clipBlocks", "messages", (input) => [input, { ...clip, messageIndexes: [] }]],
  ];
  test.each(rows)("%s(%s)", (...row) => expectFaults(row, MESSAGES_FAULTS));

  test("countMessageTokens(message)", () =>
    expectFaults(["countMessageTokens", "message", (input) => [input]], MESSAGE_FAULTS));

  test("a view tracker, which stays as it was", () => {
    const tracker = api.trackView(good);
    const append = (input: unknown) => Reflect.apply(tracker.append, undefined, [input]);
    const replace = (input: unknown) => Reflect.apply(tracker.replace, undefined, [input]);
    expect([...unmetFaults(append, MESSAGE_FAULTS), ...unmetFaults(replace, MESSAGES_FAULTS)]).toEqual([]);
    expect(tracker.log()).toEqual(good);
    expect(tracker.tokens()).toBe(api.countMessagesTokens(good));
  });
});

const NO_OBJECT = [null, 5];
const NO_NUMBER = [Number.NaN, null, "5"];
const NO_FUNCTION = [null, 5, {}];
/** What counts nothing, or no number, or not at once. */
const NO_COUNTER = [...NO_FUNCTION, () => Number.NaN, () => -1, () => "5", async () => 5];
const noOptions = each(NO_OBJECT, /options|must be/);
const noRequiredOptions = each([undefined, ...NO_OBJECT], /options|must be/);
const noCounter = each(NO_COUNTER, /countTokens/);

describe("a number that is none, and an option of another type, is refused by name by", () => {
  const fitFaults: readonly Fault[] = [
    ...noRequiredOptions,
    ...eachField({ allowedTokens: [undefined, Number.POSITIVE_INFINITY, ...NO_NUMBER] }),
    ...eachField({ targetTokens: NO_NUMBER, countTokens: NO_COUNTER, selection: [null, 5, {}, { type: "all" }] }, fit),
    ...each(
      [Number.NaN, "half", -1, 2].map((fracToRemove) => ({ ...fit, selection: { type: "fraction", fracToRemove } })),
      /selection\.fracToRemove/,
    ),
    ...each(
      [Number.NaN, "few", -1].map((count) => ({ ...fit, selection: { type: "keepLast", count } })),
      /selection\.count/,
    ),
  ];
  const noIds = [null, 5, "m1", {}];
  const clearFields = {
    keepNewest: NO_NUMBER,
    minGainTokens: NO_NUMBER,
    countTokens: NO_COUNTER,
    messageIds: noIds,
  };
  const dedupeFields = { ...clearFields, keepNewest: [], messageIds: [], minTokens: NO_NUMBER, isReading: NO_FUNCTION };
  const clipFaults: readonly Fault[] = [
    ...noRequiredOptions,
    ...eachField({ budgetTokens: [undefined, ...NO_NUMBER], countTokens: NO_COUNTER }, clip),
    ...eachField({ messageIndexes: [undefined, null, 5, "2", [99], [-1], [0.5], ["2"], [null]] }, clip),
  ];
  const viewFaults = [...noOptions, ...eachField({ wire: [null, 5, "smoke-signals", "toString"] })];
  const fractions = [undefined, -1, 2, "0.5", ...NO_NUMBER];
  const rows: readonly FaultyRow[] = [
    ["validateView", "options", (input) => [good, input], viewFaults],
    ["truncateToFit", "options", (input) => [good, input], fitFaults],
    ["foldToFit", "options", (input) => [good, input], fitFaults],
    ["truncateConversation", "fracToRemove", (input) => [good, input, "task"], each(fractions, /fracToRemove/)],
    [
      "clearToolResults",
      "options",
      (input) => [good, input],
      [...noOptions, ...eachField(clearFields, { keepNewest: 0 })],
    ],
    [
      "dedupeToolResults",
      "options",
      (input) => [[...good, ...good], input],
      [...noOptions, ...eachField(dedupeFields)],
    ],
    ["clipBlocks", "options", (input) => [good, input], clipFaults],
    ["trackView", "countTokens", (input) => [good, input], noCounter],
    ["countMessagesTokens", "countTokens", (input) => [good, input], noCounter],
    ["countMessageTokens", "countTokens", (input) => [good[0], input], noCounter],
    ["forecast", "countTokens", (input) => [state, good, input], noCounter],
    ["estimateTokenCount", "handler", (input) => ["hi", input], each([null, undefined, { countTokens: 5 }], /handler/)],
  ];
  test.each(rows)("%s(%s)", (name, parameter, place, faults) => expectFaults([name, parameter, place], faults));
});

describe("numbers that decide when to act, and are none, are refused by name by", () => {
  const numbers = {
    ...{ totalTokens: 100, lastMessageTokens: 5, contextWindow: 32_000, autoCondenseContext: true },
    ...{ autoCondenseContextPercent: 75, profileThresholds: {}, currentProfileId: "default" },
  };
  const allowedFaults: readonly Fault[] = [
    ...noRequiredOptions,
    ...eachField({ contextWindow: [undefined, 0, ...NO_NUMBER] }),
    ...eachField({ maxTokens: [-1, ...NO_NUMBER], inputLimitTokens: [0, ...NO_NUMBER] }, { contextWindow: 9_000 }),
  ];
  const thresholdFaults: readonly Fault[] = [
    ...each([undefined, ...NO_OBJECT], /settings|numbers|must be/),
    ...eachField({ autoCondenseContextPercent: [undefined, ...NO_NUMBER], profileThresholds: [null, 5] }, numbers),
  ];
  const counts = [undefined, ...NO_NUMBER];
  const managementFaults: readonly Fault[] = [
    ...thresholdFaults,
    ...eachField(
      { totalTokens: counts, lastMessageTokens: counts, contextWindow: counts, maxTokens: NO_NUMBER },
      numbers,
    ),
  ];
  const rows: readonly FaultyRow[] = [
    ["allowedTokens", "options", (input) => [input], allowedFaults],
    ["effectiveThreshold", "settings", (input) => [input], thresholdFaults],
    ["decideManagement", "numbers", (input) => [input], managementFaults],
    ["willManageContext", "numbers", (input) => [input], managementFaults],
  ];
  test.each(rows)("%s(%s)", (name, parameter, place, faults) => expectFaults([name, parameter, place], faults));
});

describe("what was read from somewhere and is not what it should be is refused by name by", () => {
  const noState = each([null, undefined, 5, {}], /state|calibration/);
  const noPairs = each([null, undefined, 5, "a"], /pairs/);
  const calibrations = [null, 5, {}, { input: {}, reply: {} }];
  const forecastFaults: readonly Fault[] = [
    ...noOptions,
    ...each(
      [0, -1, ...NO_NUMBER].map((tokenRatio) => ({ tokenRatio })),
      /ratio/i,
    ),
    ...eachField({ overheadTokens: [-1, ...NO_NUMBER], calibration: calibrations }),
  ];
  const prices = { type: "unknown" };
  const entry = { id: "mine", contextWindow: 1, outputLimitTokens: 1, pricesUsdPerMillion: prices, cacheTtlMs: 0 };
  const entryFaults = eachField(
    { id: [null, 5, ""], aliases: [5, [5]], contextWindow: NO_NUMBER, pricesUsdPerMillion: [null, 5, {}] },
    entry,
  );
  const rows: readonly FaultyRow[] = [
    ["restoreMessages", "id", (input) => [good, input], each([undefined, null, 5, "", "clip-1"], /id/)],
    ["getPairPartner", "pairs", (input) => [good[1], input], noPairs],
    ["hasOpenToolUse", "pairs", (input) => [good[1], input], noPairs],
    ["createForecast", "options", (input) => [input], forecastFaults],
    ["forecast", "state", (input) => [input, good], noState],
    ["anchor", "state", (input) => [input, usage, { newMessages: good }], noState],
    ["anchor", "sent", (input) => [state, usage, input], each([null, 5, {}], /sent|messages/)],
    ["rebase", "state", (input) => [input], noState],
    ["priceOf", "usage", (input) => ["claude-sonnet-4-5", input], each([null, undefined, 5, {}], /usage/)],
    [
      "priceOf",
      "usage.inputTokens",
      (input) => ["gpt-5", { ...usage, inputTokens: input }],
      each(NO_NUMBER, /inputTokens/),
    ],
    [
      "createModelRegistry",
      "extra",
      (input) => [input],
      each([null, 5, "mine", [null], [5], [{}]], /extra|[Mm]odel entr/),
    ],
    ["createModelRegistry", "extra[0]", (input) => [[input]], entryFaults],
    ["estimateTokenCountSync", "parts", (input) => [input], each([null, undefined, 5, {}], /parts/)],
    ["countTextTokens", "text", (input) => [input], each([null, undefined, 5, {}, ["a"]], /text/)],
  ];
  test.each(rows)("%s(%s)", (name, parameter, place, faults) => expectFaults([name, parameter, place], faults));
});

describe("an answer, where one is promised for anything, comes from", () => {
  const contents = each(
    [
      ...[
        null,
        undefined,
        5,
        {},
        [null],
        [5],
        [{}],
        [[]],
        [{ type: "text" }],
        [{ type: "image" }],
        [{ type: "tool_use" }],
      ],
      ...[[{ type: "tool_result", content: 5 }], [{ type: "tool_result", content: [null] }]],
    ],
    "answers",
  );
  const nothings = each([null, undefined, 5, {}], "answers");
  const eitherWay = each([null, undefined, 5, {}], "answers or refuses");
  const rows: readonly FaultyRow[] = [
    ["countContentTokens", "content", (input) => [input], contents],
    ["tiktoken", "content", (input) => [input], contents],
    ["estimateTokenCount", "content", (input) => [input, {}], contents],
    ["estimateTokenCountSync", "parts", (input) => [[input]], contents],
    ["isKnownBlock", "block", (input) => [input], nothings],
    ["findModel", "modelId", (input) => [input], nothings],
    ["tokenLimit", "modelId", (input) => [input], nothings],
    ["getPairPartner", "message", (input) => [input, pairs], nothings],
    ["hasOpenToolUse", "message", (input) => [input, pairs], nothings],
    ["condenseDefaults", "model", (input) => [input], eitherWay],
    ["priceOf", "model", (input) => [input, usage], eitherWay],
    ["anchor", "usage", (input) => [state, input, { newMessages: good }], eitherWay],
  ];
  test.each(rows)("%s(%s)", (name, parameter, place, faults) => expectFaults([name, parameter, place], faults));

  test("anchor, and nothing but numbers gets into its state", () => {
    for (const inputTokens of ["900", null, Number.NaN, {}]) {
      const anchored = invoke("anchor", [state, { inputTokens }, { newMessages: good }]);
      expect(anchored).toMatchObject({ anchor: { promptTokens: expect.any(Number) } });
    }
  });
});

test("no public function was left out", () => {
  const names = [...functions].flatMap(([name, value]) =>
    typeof value === "function" && !elsewhere.has(name) ? [name] : [],
  );
  expect([...tested, ...ENGINE_FUNCTIONS].toSorted()).toEqual(names.toSorted());
});
