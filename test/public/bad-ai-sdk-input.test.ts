/** The integration with the AI SDK, against what it was not made for: it refuses and names the fault. */
import { expect, test } from "vitest";
import { createEngine } from "../../src/index.ts";
import * as api from "../../src/integrations/ai-sdk/index.ts";
import { each, eachField, type Fault, unmetFaults, unmetPromises } from "../support/faults.ts";

const engine = createEngine({ model: "claude-haiku-4-5" });
const functions = new Map<string, unknown>(Object.entries(api));
const tested = new Set<string>();

/** Calls a public function with what its types forbid. */
function invoke(name: string, ...given: readonly unknown[]): unknown {
  const target = functions.get(name);
  if (typeof target !== "function") throw new Error(`There is no public function ${name}.`);
  tested.add(name);
  return Reflect.apply(target, undefined, given);
}

const callbacks = { onReport: [null, 5], onError: [null, "log"] };

test("palimpsestMiddleware refuses what names no session", () => {
  const faults: readonly Fault[] = [
    ...each([null, undefined, 5], /options is/),
    ...each([{}, { sessionId: "s" }], /options is/),
    ...each([{ session: {} }, { session: 5 }, { session: null }], /options\.session/),
    ...each([{ engine: {} }, { engine: 5 }, { engine: null }], /options\.engine/),
    ...eachField({ sessionId: [null, "", 5], ...callbacks }, { engine: { session: () => undefined } }),
  ];
  expect(unmetFaults((input) => invoke("palimpsestMiddleware", input), faults).join("\n")).toBe("");
});

test("palimpsestMiddleware refuses a call that names none, and sends as it is what is no prompt", async () => {
  const middleware = api.palimpsestMiddleware({ engine, onError: () => {} });
  const named = { providerOptions: { palimpsest: { sessionId: "s" } } };
  const faults: readonly Fault[] = [
    ...each([{}, { providerOptions: 5 }, { providerOptions: { palimpsest: { sessionId: "" } } }], /sessionId/),
    ...each(
      [
        { ...named, prompt: [5] },
        { ...named, prompt: [{ role: "robot" }] },
        { ...named, prompt: 5 },
      ],
      "answers",
    ),
  ];
  const transform = (params: unknown) => Reflect.apply(middleware.transformParams, middleware, [{ params }]);
  expect((await unmetPromises(transform, faults)).join("\n")).toBe("");
});

test("palimpsestPrepareStep refuses what is no session", async () => {
  const faults: readonly Fault[] = [
    ...each([null, undefined, 5], /options is/),
    ...each([{}, { session: null }, { session: {} }], /options\.session/),
  ];
  expect(unmetFaults((input) => invoke("palimpsestPrepareStep", input), faults).join("\n")).toBe("");
  const session = await engine.session("s");
  const withCallbacks = (input: unknown) => invoke("palimpsestPrepareStep", { session, ...Object(input) });
  expect(unmetFaults(withCallbacks, eachField(callbacks)).join("\n")).toBe("");
});

test("palimpsestRecallTool refuses what is no session or no schema, and too small a budget", async () => {
  const session = await engine.session("s");
  const jsonSchema = () => ({});
  const faults: readonly Fault[] = [
    ...each([null, undefined, 5], /options is/),
    ...each([{ jsonSchema }, { session: null, jsonSchema }, { session: {}, jsonSchema }], /session/),
    ...each([{ session }, { session, jsonSchema: 5 }], /options\.jsonSchema/),
    [{ session, jsonSchema, budgetTokens: 5 }, /budgetTokens is 5/],
  ];
  expect(unmetFaults((input) => invoke("palimpsestRecallTool", input), faults).join("\n")).toBe("");
});

test("every function of the door is tried", () => {
  expect([...functions.keys()].filter((name) => !tested.has(name))).toEqual([]);
});
