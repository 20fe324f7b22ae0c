import type { Content } from "@google/genai";
import { describe, expect, test } from "vitest";
import { each, type Fault, unmetFaults } from "../../../test/support/faults.ts";
import { deepFreeze } from "../../../test/support/messages.ts";
import { findCompressSplitPoint, type GeminiContent } from "./index.ts";

const FRACTION = 0.7;

/** A turn whose JSON is exactly `characters` long. */
function sized(role: "user" | "model", characters: number): GeminiContent {
  const empty = JSON.stringify({ role, parts: [{ text: "" }] }).length;
  return { role, parts: [{ text: "x".repeat(characters - empty) }] };
}

const ask: GeminiContent = sized("user", 100);
const reply: GeminiContent = sized("model", 100);
const functionCall: GeminiContent = { role: "model", parts: [{ functionCall: { name: "read", args: { path: "a" } } }] };
const functionResponse: GeminiContent = {
  role: "user",
  parts: [{ functionResponse: { name: "read", response: { output: "line\n".repeat(200) } } }],
};

describe("findCompressSplitPoint", () => {
  test("splits before the first user turn at or past the fraction of characters", () => {
    const contents = [ask, reply, ask, reply, ask, reply, ask, reply, ask, reply];
    expect(findCompressSplitPoint(contents, 0.5)).toBe(6);
    expect(findCompressSplitPoint(contents, FRACTION)).toBe(8);
    expect(findCompressSplitPoint(contents, 0.8)).toBe(8);
  });

  test("measures characters, not turns", () => {
    expect(findCompressSplitPoint([sized("user", 700), reply, ask, reply], FRACTION)).toBe(2);
    expect(findCompressSplitPoint([ask, reply, sized("user", 200), reply, ask], FRACTION)).toBe(4);
  });

  test("measures the JSON of a turn: what a function returned counts, and so does every escape", () => {
    const escaped: GeminiContent = { role: "user", parts: [{ text: "\u0000".repeat(100) }] };
    expect(findCompressSplitPoint([escaped, reply, ask, reply], FRACTION)).toBe(2);
    expect(findCompressSplitPoint([ask, functionCall, functionResponse, reply, ask, reply], FRACTION)).toBe(4);
  });

  test("never splits before a function response, nor before the model", () => {
    const contents = [ask, functionCall, functionResponse, functionCall, functionResponse, ask, reply];
    expect(findCompressSplitPoint(contents, 0.1)).toBe(5);
  });

  test("never splits before a user turn with a function response among other parts", () => {
    const mixed: GeminiContent = { role: "user", parts: [{ text: "see" }, ...(functionResponse.parts ?? [])] };
    expect(findCompressSplitPoint([ask, functionCall, mixed, reply, ask], 0.1)).toBe(4);
  });

  test("compresses everything when no split is reached and the model has finished", () => {
    expect(findCompressSplitPoint([ask, reply, ask, sized("model", 900)], FRACTION)).toBe(4);
  });

  test("keeps from the last split on when no split is reached and a function is still called or answered", () => {
    expect(findCompressSplitPoint([ask, reply, ask, functionCall, functionResponse], FRACTION)).toBe(2);
    expect(findCompressSplitPoint([ask, reply, ask, functionCall, functionResponse, functionCall], FRACTION)).toBe(2);
    const calling: GeminiContent = { role: "model", parts: [{ text: "so" }, ...(functionCall.parts ?? [])] };
    expect(findCompressSplitPoint([ask, calling], FRACTION)).toBe(0);
  });

  test("finds nothing to compress in nothing, or in one prompt", () => {
    expect(findCompressSplitPoint([], FRACTION)).toBe(0);
    expect(findCompressSplitPoint([ask], FRACTION)).toBe(0);
  });

  test("takes a turn without a role as the user's, as Gemini does, and one without parts as empty", () => {
    expect(findCompressSplitPoint([{ parts: [{ text: "x".repeat(500) }] }, reply, {}], FRACTION)).toBe(2);
    expect(findCompressSplitPoint([ask, { role: "model" }], FRACTION)).toBe(2);
  });

  test("takes an unset function field as none", () => {
    const unset = deepFreeze([{ role: "user", parts: [{ functionResponse: undefined, text: "next" }] }]);
    expect(findCompressSplitPoint([ask, reply, ...unset], 0.1)).toBe(2);
    expect(findCompressSplitPoint([ask, { role: "model", parts: [{ functionCall: null }] }], FRACTION)).toBe(2);
  });

  test("splits neither before nor after a role that it does not know", () => {
    expect(findCompressSplitPoint([ask, reply, { role: "function" }], 0.1)).toBe(0);
  });

  test("takes the contents of Google's SDK", () => {
    const contents: Content[] = [
      { role: "user", parts: [{ text: "look at this".repeat(20) }, { inlineData: { data: "AAAA" } }] },
      { role: "model", parts: [{ thought: true, text: "hm", thoughtSignature: "c2ln" }] },
      { role: "user", parts: [{ text: "and?" }] },
    ];
    expect(findCompressSplitPoint(contents, FRACTION)).toBe(2);
  });

  test("measures arguments that have no JSON, instead of failing", () => {
    const cyclic: Record<string, unknown> = { huge: 1n };
    cyclic.self = cyclic;
    const odd: GeminiContent = { role: "model", parts: [{ functionCall: { name: "f", args: cyclic } }] };
    expect(findCompressSplitPoint([ask, odd, functionResponse, ask], 0.1)).toBe(3);
  });
});

describe("findCompressSplitPoint refuses", () => {
  test.each([0, 1, -1, 2, Number.NaN])("a fraction of %s", (fraction) => {
    expect(() => findCompressSplitPoint([ask, reply], fraction)).toThrow(/fraction is .* above 0 and below 1/);
  });

  const contentFaults: readonly Fault[] = [
    ...each([null, undefined, 5, "hello", {}], /contents is/),
    ...each([[null], [5], new Array(1)], /contents\[0\] is .* an object/),
    [[{ role: 5 }], /contents\[0\]\.role is 5/],
    [[{ role: null }], /contents\[0\]\.role is null/],
    [[ask, { role: "user", parts: "hello" }], /contents\[1\]\.parts is "hello"/],
    [[{ role: "user", parts: [{ text: "a" }, null] }], /contents\[0\]\.parts\[1\] is null/],
    [[{ role: "user", parts: ["a"] }], /contents\[0\]\.parts\[0\] is "a"/],
  ];
  test("what is no content, with the place of the fault", () => {
    const run = (input: unknown) => Reflect.apply(findCompressSplitPoint, undefined, [input, FRACTION]);
    expect(unmetFaults(run, contentFaults).join("\n")).toBe("");
  });

  test("a fraction that is no number", () => {
    const run = (input: unknown) => Reflect.apply(findCompressSplitPoint, undefined, [[ask], input]);
    expect(unmetFaults(run, each([null, undefined, "0.7", {}], /fraction is/)).join("\n")).toBe("");
  });
});

// Anything that looks at all turns for each turn would run for minutes.
test("splits 200,000 turns", () => {
  const contents = Array.from({ length: 200_000 }, (_, index) => (index % 2 === 0 ? ask : reply));
  expect(findCompressSplitPoint(contents, FRACTION)).toBe(140_000);
});
