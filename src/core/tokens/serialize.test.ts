import { describe, expect, test } from "vitest";
import { countTextTokens } from "./o200k/count-text-tokens.ts";
import { serialize } from "./serialize.ts";

const DEPTH = 50_000;

/** A leaf within so many arrays or objects. */
function nested(leaf: unknown, wrap: (inner: unknown) => unknown): unknown {
  let value = leaf;
  for (let depth = 0; depth < DEPTH; depth += 1) value = wrap(value);
  return value;
}

describe("what is nested deeper than the stack", () => {
  test("is written like anything else", () => {
    const leaf = { text: 'a "b"\n', list: [1, null, true, []], none: {} };
    const [start, end] = ["[".repeat(DEPTH), "]".repeat(DEPTH)];
    expect(serialize(nested(leaf, (inner) => [inner])) === `${start}${JSON.stringify(leaf)}${end}`).toBe(true);
    const objects = serialize(nested(leaf, (inner) => ({ a: 1, "b c": inner })));
    expect(objects === `${'{"a":1,"b c":'.repeat(DEPTH)}${JSON.stringify(leaf)}${"}".repeat(DEPTH)}`).toBe(true);
  });

  test("counts as what it is", () => {
    expect(countTextTokens(serialize(nested("x", (inner) => [inner])))).toBeGreaterThan(1_000);
  });

  test("has no JSON where a part of it has none", () => {
    const cycle: unknown[] = [];
    cycle.push(cycle);
    for (const leaf of [cycle, 1n]) expect(serialize(nested(leaf, (inner) => [inner]))).toBe("[unserializable]");
  });
});

test("shared parts are no cycle", () => {
  const shared = { a: 1 };
  const text = serialize(nested([shared, shared], (inner) => [inner]));
  expect(text.slice(DEPTH, -DEPTH)).toBe('[{"a":1},{"a":1}]');
});
