import fc from "fast-check";
import { expect, test } from "vitest";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import { parseJson } from "./parse-json.ts";
import { isPlainJson } from "./plain-json.ts";

test("what is plain JSON is the same again when its JSON is parsed", () => {
  const values = fc.anything({ withBigInt: false, withDate: true, withSparseArray: true, withNullPrototype: true });
  fc.assert(
    fc.property(values, (value) => {
      if (isPlainJson(value)) expect(parseJson(JSON.stringify(value))).toStrictEqual(value);
    }),
    PROPERTY_RUNS,
  );
});

test("what JSON can say is plain", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => isPlainJson(withoutMinusZero(value))),
    PROPERTY_RUNS,
  );
});

/** JSON says it as 0. */
function withoutMinusZero(value: unknown): unknown {
  return parseJson(JSON.stringify(value));
}

test.each([
  ["undefined in a field", { a: undefined }],
  ["a hole in a list", Array(2)],
  ["a field of a list", Object.assign([1], { more: 1 })],
  ["a JSON of its own", { toJSON: () => 1 }],
  ["an object of a class", { at: new Date(0) }],
  ["no prototype", Object.create(null)],
  ["a symbol for a name", { [Symbol("s")]: 1 }],
  ["a hidden field", Object.defineProperty({}, "a", { value: 1, enumerable: false })],
  ["minus zero", -0],
  ["no number", [Number.NaN]],
  ["a function", [() => 1]],
  ["a big number", [1n]],
])("%s is not plain", (_, value) => {
  expect(isPlainJson(value)).toBe(false);
});

test("nesting beyond the stack is no obstacle", () => {
  let deep: unknown = "end";
  for (let level = 0; level < 100_000; level++) deep = [deep];
  expect(isPlainJson(deep)).toBe(true);
});
