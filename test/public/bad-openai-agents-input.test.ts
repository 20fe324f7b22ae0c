/** The integration of the OpenAI Agents SDK against what it was not made for. */
import { expect, test } from "vitest";
import { createEngine } from "../../src/index.ts";
import { palimpsestModel, palimpsestProvider, palimpsestSession } from "../../src/integrations/openai-agents/index.ts";
import { type Fault, unmetFaults, unmetPromises } from "../support/faults.ts";

const engine = createEngine({ model: "gpt-5.4" });
const options = { engine, sessionId: "s" };
const model = { getResponse: async () => ({ usage: {}, output: [] }), async *getStreamedResponse() {} };
const provider = { getModel: () => model };

const BAD_CONVERSATIONS: readonly Fault[] = [
  [undefined, /options is undefined/],
  [null, /options is null/],
  [5, /options is 5/],
  [{}, /options\.engine\.session is undefined/],
  [{ engine: {}, sessionId: "s" }, /options\.engine\.session is undefined/],
];

/** Not frozen: the engine is alive. */
const BAD_IDS = [undefined, "", 5, null];

function call(run: (...given: never[]) => unknown, ...given: readonly unknown[]): unknown {
  return Reflect.apply(run, undefined, given);
}

test.each([
  ["palimpsestProvider", (input: unknown) => call(palimpsestProvider, provider, input)],
  ["palimpsestModel", (input: unknown) => call(palimpsestModel, model, input)],
  ["palimpsestSession", (input: unknown) => call(palimpsestSession, input)],
])("%s refuses what are no options", (_, run) => {
  expect(unmetFaults(run, BAD_CONVERSATIONS)).toEqual([]);
  for (const sessionId of BAD_IDS) expect(() => run({ engine, sessionId })).toThrow(/options\.sessionId is/);
});

test.each([
  ["palimpsestProvider", (given: object) => call(palimpsestProvider, provider, { ...options, ...given })],
  ["palimpsestModel", (given: object) => call(palimpsestModel, model, { ...options, ...given })],
])("%s refuses callbacks that are none", (_, run) => {
  expect(() => run({ onReport: 5 })).toThrow(/options\.onReport is 5/);
  expect(() => run({ onError: "log" })).toThrow(/options\.onError is "log"/);
});

test("palimpsestProvider and palimpsestModel refuse what is no provider and no model", () => {
  const faults = (name: string, method: string): readonly Fault[] => [
    [undefined, new RegExp(`${name} is undefined`)],
    ["gpt-5.4", new RegExp(`${name} is "gpt-5.4"`)],
    [{}, new RegExp(`${name}\\.${method} is undefined`)],
  ];
  expect(unmetFaults((input) => call(palimpsestProvider, input, options), faults("provider", "getModel"))).toEqual([]);
  expect(unmetFaults((input) => call(palimpsestModel, input, options), faults("model", "getResponse"))).toEqual([]);
});

test("a session refuses what are no items, and no number of them", async () => {
  const session = palimpsestSession(options);
  const items: readonly Fault[] = [
    [undefined, /items is undefined/],
    [{}, /items is/],
    [[null], /items\[0\] is null/],
    [[{}, "Why?"], /items\[1\] is "Why\?"/],
    [[], "answers"],
    [[{}], "answers"],
  ];
  expect(await unmetPromises((input) => call(session.addItems, input), items)).toEqual([]);
  const limits: readonly Fault[] = [
    ["2", /limit is "2"/],
    [null, /limit is null/],
    [-1, "answers"],
    [0.5, "answers"],
  ];
  expect(await unmetPromises((input) => call(session.getItems, input), limits)).toEqual([]);
});

test("a model sends what it was given where that cannot be read", async () => {
  const sent: unknown[] = [];
  const errors: unknown[] = [];
  const own = {
    getResponse: async (request: object) => {
      sent.push(request);
      return { usage: {}, output: [] };
    },
    async *getStreamedResponse() {},
  };
  const wrapped = palimpsestModel(own, { ...options, sessionId: "odd", onError: (error) => errors.push(error) });
  const requests = [
    {
      input: [null, 5, {}, { type: 5 }, { type: "message" }, { type: "function_call_result" }],
      tools: [],
      handoffs: [],
    },
    { input: undefined, tools: undefined },
  ];
  for (const request of requests) await call(wrapped.getResponse, request);
  expect(sent).toEqual(requests);
});
