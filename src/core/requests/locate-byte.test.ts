import fc from "fast-check";
import { expect, test } from "vitest";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import { type JsonPath, locateByte } from "./locate-byte.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const at = (text: string, found: string) => locateByte(encode(text), encode(text.slice(0, text.indexOf(found))).length);

test("a byte is found by the names and places that lead to it", () => {
  const text = '{"model":"m","messages":[{"role":"user"},{"content":[{"text":"é x"}]}] ,"last":[1,22]}';
  expect(at(text, '"m"')).toEqual(["model"]);
  expect(at(text, "user")).toEqual(["messages", 0, "role"]);
  expect(at(text, ',{"content"')).toEqual(["messages", 0]);
  expect(at(text, 'x"}')).toEqual(["messages", 1, "content", 0, "text"]);
  expect(at(text, ' ,"last"')).toEqual(["messages"]);
  expect(at(text, "2]")).toEqual(["last", 1]);
  expect(locateByte(encode(text), 0)).toEqual([]);
  expect(locateByte(encode(text), 10_000)).toEqual([]);
});

test("every text of any JSON is found where it is", () => {
  const value = fc.letrec((tie) => ({
    value: fc.oneof({ depthSize: "small" }, fc.constant("HERE"), fc.nat(), tie("list"), tie("object")),
    list: fc.array(tie("value"), { maxLength: 4 }),
    object: fc.dictionary(fc.constantFrom("a", "b", "c"), tie("value")),
  })).value;
  fc.assert(
    fc.property(value, (json) => {
      const text = JSON.stringify(json);
      const found = [...text.matchAll(/HERE/g)].map(({ index }) => locateByte(encode(text), index));
      expect(found).toEqual(placesOf(json, []));
    }),
    PROPERTY_RUNS,
  );
});

function placesOf(value: unknown, path: JsonPath): readonly JsonPath[] {
  if (value === "HERE") return [path];
  if (Array.isArray(value)) return value.flatMap((item, index) => placesOf(item, [...path, index]));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => placesOf(item, [...path, name]));
}
