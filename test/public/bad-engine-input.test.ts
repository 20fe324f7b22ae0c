/** What condenses, against what it was not made for: it refuses and names the fault, and nothing else. */
import { describe, expect, test } from "vitest";
import * as compat from "../../src/compat/index.ts";
import * as core from "../../src/core/index.ts";
import * as root from "../../src/index.ts";
import { ENGINE_FUNCTIONS } from "../support/engine-functions.ts";
import { each, eachField, type Fault, MESSAGES_FAULTS, unmetFaults, unmetPromises } from "../support/faults.ts";
import { good, handler } from "../support/handlers.ts";
import { chat } from "../support/messages.ts";

const api = { ...root, ...core, ...compat };
const functions = new Map<string, unknown>(Object.entries(api));
const tested = new Set<string>();

/** Calls a public function, or makes a public class, with what its types forbid. */
const CLASSES = ["ChatCompressionService", "MessageManager"];

function invoke(name: string, given: readonly unknown[]): unknown {
  const target = functions.get(name);
  if (typeof target !== "function") throw new Error(`There is no public function ${name}.`);
  tested.add(name);
  return CLASSES.includes(name) ? Reflect.construct(target, given) : Reflect.apply(target, undefined, given);
}

type Row = readonly [name: string, parameter: string, (input: unknown) => readonly unknown[], readonly Fault[]];

const NO_OBJECT = [null, 5];
const NO_NUMBER = [Number.NaN, null, "5"];
const NO_HANDLER = [undefined, null, 5, {}, { createMessage: 5 }];
const model = handler(good);
const readable = { recall: async () => [], log: async () => [], folds: async () => [] };
const noOptions = each(NO_OBJECT, /must be/);

describe("is refused by name by", () => {
  const engineFaults: readonly Fault[] = [
    ...each([undefined, ...NO_OBJECT], /must be/),
    ...eachField({ model: [undefined, null, 5, "", {}] }),
    ...eachField(
      { contextWindow: [0, -1, Number.NaN, "5"], maxTokens: [-1, Number.NaN, "5"], now: [5], telemetry: [5, [null]] },
      { model: "x" },
    ),
    ...eachField({ cacheTtlMs: [-1, Number.NaN, "5"] }, { model: "x" }),
    ...eachField({ countTokens: [null, 5], resolvers: [5], workspaceOf: [null, 5], pause: [null, 5] }, { model: "x" }),
    ...eachField({ offload: [null, 5, {}, { pathOf: () => "" }] }, { model: "x" }),
    ...eachField({ embedder: [null, 5, {}, { name: "x" }, { name: "", embed: async () => [] }] }, { model: "x" }),
    ...each(
      [[null], [5], [{}], [{ name: "mine" }]].map((validators) => ({ model: "x", validators })),
      /validator/,
    ),
    ...each(
      [[null], [5]].map((hooks) => ({ model: "x", hooks })),
      /hooks/,
    ),
    [{ model: "x", condenser: {} }, /plugin/],
    [{ model: "x", configuration: { thresholds: { global: 500 } } }, /thresholds\.global is 500/],
    [{ model: "x", configuration: { treshold: {} } }, /treshold/],
  ];
  const rows: readonly Row[] = [
    ["createEngine", "options", (input) => [input], engineFaults],
    ["createBareEngine", "options", (input) => [input], engineFaults],
    [
      "createPluginRegistry",
      "plugins",
      (input) => [input],
      each([null, 5, [null], [{}], [{ name: "mine" }]], /plugin/),
    ],
    ["modelCondenser", "handler", (input) => [input], each(NO_HANDLER, /handler/)],
    [
      "modelCondenser",
      "options",
      (input) => [model, input],
      [...noOptions, [{ strategy: "poem" }, /strategy/], [{ keepDecisions: 5 }, /keepDecisions/]],
    ],
    ["providerCondenser", "client", (input) => [input, { model: "gpt-5.4" }], each([undefined, null, 5, {}], /client/)],
    [
      "providerCondenser",
      "options",
      (input) => [{ responses: { compact: async () => ({}) } }, input],
      [...each([undefined, null, 5, []], /options/), ...each([{}, { model: "" }], /options\.model/)],
    ],
    ["getMessagesSinceLastSummary", "messages", (input) => [input], MESSAGES_FAULTS],
    ["getKeepMessagesWithToolBlocks", "messages", (input) => [input, 3], MESSAGES_FAULTS],
    ["getKeepMessagesWithToolBlocks", "keepCount", (input) => [chat(5), input], each([-1, ...NO_NUMBER], /keepCount/)],
    ["compact", "messages", (input) => [input, 500], MESSAGES_FAULTS],
    ["compact", "budgetTokens", (input) => [chat(9), input], each([undefined, ...NO_NUMBER], /budgetTokens/)],
    [
      "compact",
      "options",
      (input) => [chat(9), 5, input],
      [...noOptions, ...eachField({ countTokens: [null, 5], weights: [null, 5, {}] })],
    ],
    ["ledgerCondenser", "options", (input) => [input], noOptions],
    ["createRecallIndex", "messages", (input) => [input], MESSAGES_FAULTS],
    ["createRecallIndex", "options", (input) => [chat(5), input], [...noOptions, ...eachField({ scope: [5, "some"] })]],
    ["renderRecall", "hits", (input) => [input], each([undefined, null, 5, "a"], /hits/)],
    ["contextTools", "session", (input) => [input], each([undefined, null, 5, {}, { recall: 5 }], /session/)],
    ["recallTool", "session", (input) => [input], each([undefined, null, 5, {}, { recall: 5 }], /session/)],
    [
      "recallTool",
      "options",
      (input) => [readable, input],
      [...each([null, 5], /options is/), ...eachField({ budgetTokens: [...NO_NUMBER, 299] })],
    ],
    ["parseSnapshot", "reply", (input) => [input], each([undefined, null, 5, {}], /reply/)],
    ["tokenValidator", "options", (input) => [input], [...noOptions, ...eachField({ minSavingPercent: NO_NUMBER })]],
    ["summaryQualityValidator", "options", (input) => [input], [...noOptions, ...eachField({ minWords: NO_NUMBER })]],
    ["backTestValidator", "options", (input) => [input], [...noOptions, ...eachField({ minShare: NO_NUMBER })]],
    ["factSurvivalValidator", "options", (input) => [input], [...noOptions, ...eachField({ minScore: NO_NUMBER })]],
    [
      "defaultValidators",
      "options",
      (input) => [input],
      [...noOptions, [{ tokens: { minSavingPercent: "5" } }, /minSavingPercent/]],
    ],
    ["MessageManager", "task", (input) => [input], each([undefined, ...NO_OBJECT, {}], /must be/)],
    ["ChatCompressionService", "options", (input) => [input], each([undefined, ...NO_OBJECT, {}], /must be/)],
  ];
  test.each(rows)("%s(%s)", (name, _parameter, place, faults) => {
    expect(unmetFaults((input) => invoke(name, place(input)), faults).join("\n")).toBe("");
  });
});

describe("is refused in its promise by", () => {
  const managed = {
    ...{ messages: chat(10), totalTokens: 100, contextWindow: 32_000, apiHandler: model, autoCondenseContext: true },
    ...{ autoCondenseContextPercent: 75, systemPrompt: "", taskId: "t", profileThresholds: {}, currentProfileId: "a" },
  };
  const counts = [undefined, ...NO_NUMBER];
  const rows: readonly Row[] = [
    ["truncateConversationIfNeeded", "options", (input) => [input], each([undefined, ...NO_OBJECT, {}], /must be/)],
    ["manageContext", "options", (input) => [input], each([undefined, ...NO_OBJECT, {}], /must be/)],
    ["manageContext", "options.messages", (input) => [{ ...managed, messages: input }], MESSAGES_FAULTS],
    [
      "manageContext",
      "options",
      (input) => [input],
      eachField({ totalTokens: counts, contextWindow: counts, profileThresholds: [null] }, managed),
    ],
    ["summarizeConversation", "messages", (input) => [input, model, "", "t", 900], MESSAGES_FAULTS],
    ["summarizeConversation", "apiHandler", (input) => [chat(9), input, "", "t", 900], each(NO_HANDLER, /apiHandler/)],
    [
      "summarizeConversation",
      "prevContextTokens",
      (input) => [chat(9), model, "", "t", input],
      each([-1, ...NO_NUMBER], /prevContextTokens/),
    ],
  ];
  test.each(rows)("%s(%s)", async (name, _parameter, place, faults) => {
    expect((await unmetPromises((input) => invoke(name, place(input)), faults)).join("\n")).toBe("");
  });

  test("an engine's session, condense and configure, which stay usable", async () => {
    const engine = api.createEngine({ model: "claude-sonnet-4-5" });
    const run = (method: unknown) => (input: unknown) => {
      if (typeof method !== "function") throw new Error("no method");
      return Reflect.apply(method, engine, [input]);
    };
    const session = await engine.session("mine");
    const unmet = [
      ...(await unmetPromises(run(engine.session), each([undefined, null, 5, ""], /id is/))),
      ...(await unmetPromises(run(engine.condense), each([undefined, null, 5, { messages: 5 }], /must be/))),
      ...unmetFaults(run(engine.configure), [[{ strategies: { primary: "magic" } }, /strategies\.primary is "magic"/]]),
      ...(await unmetPromises(
        run(session.append),
        MESSAGES_FAULTS.flatMap(([input, fault]): readonly Fault[] =>
          Array.isArray(input) ? [[input[0], fault]] : [],
        ),
      )),
      ...(await unmetPromises(run(session.recordRequest), [
        ...each([null, 5], /request/),
        ...each(
          [
            { at: Number.NaN },
            { promptTokens: -1 },
            { messageCount: "2" },
            { body: 5 },
            { body: { wire: "" } },
            { body: { wire: "w", bytes: "x" } },
          ],
          /request\.(at|promptTokens|messageCount|body)/,
        ),
        ...each([{ usage: 5 }], /usage/),
        ...each([{ cacheDiagnosis: 5 }], /request\.cacheDiagnosis/),
      ])),
      ...(await unmetPromises(run(session.recordRecall), [
        ...each([undefined, null, 5], /exchange/),
        ...each(
          [
            { key: "A b" },
            { key: "r:1", api: 5 },
            { key: "r:1", api: "x", items: 5 },
            { key: "r:1", api: "x", items: [] },
          ],
          /exchange\.(key|api|items|results)/,
        ),
      ])),
      ...(await unmetPromises(run(session.statement), each([null, 5, { since: Number.NaN }], /options/))),
      ...(await unmetPromises(run(engine.statement), each([null, 5, { since: "now" }], /options/))),
      ...(await unmetPromises(
        run(session.clearResults),
        each([undefined, null, 5, "m1", ["m1"], [5]], /messageIds|id/),
      )),
      ...(await unmetPromises(run(session.restore), each([undefined, null, 5, "", "condense-1"], /id/))),
    ];
    expect(unmet).toEqual([]);
    await session.append({ role: "user", content: "hello" });
    expect((await session.prepare()).messages).toEqual([{ role: "user", content: "hello" }]);
  });

  test("a compression service, which names what is missing", async () => {
    const service = new api.ChatCompressionService({ handlerFor: () => model });
    const compress = (input: unknown) => Reflect.apply(service.compress, service, [input]);
    const unmet = await unmetPromises(compress, [
      ...each([undefined, null, 5], /request/),
      ...each([{ model: "x", messages: 5 }], /messages/),
    ]);
    expect(unmet).toEqual([]);
  });
});

test("no public function that condenses was left out", () => {
  expect([...tested].toSorted()).toEqual(ENGINE_FUNCTIONS.toSorted());
});
