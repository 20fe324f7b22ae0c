import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import { sliceFields, sliceItems, sliceListField } from "./json-slices.ts";
import { parseJson } from "./parse-json.ts";
import { asRecord } from "./read-json.ts";

const jsonText = fc
  .tuple(fc.json(), fc.constantFrom(undefined, 1, "\t"))
  .map(([json, indent]) => JSON.stringify(parseJson(json), undefined, indent));

describe("slices of JSON", () => {
  test("give each field and item as it stands, with its own white space and escapes", () => {
    const text = ' { "a" : [ 1.50, "x\\"]}\\u00e9" , {"b":null} ],\n "\\u0063": "y" } ';
    const fields = sliceFields(text);
    expect([...(fields?.keys() ?? [])]).toEqual(["a", "c"]);
    const list = fields?.get("a");
    expect(sliceItems(text, list?.start)?.map(({ start, end }) => text.slice(start, end))).toEqual([
      "1.50",
      '"x\\"]}\\u00e9"',
      '{"b":null}',
    ]);
    const value = fields?.get("c");
    expect(text.slice(value?.start, value?.end)).toBe('"y"');
  });

  test("of a name that occurs twice give the last, as JSON.parse does", () => {
    const text = '{"a":1,"a":2}';
    const slice = sliceFields(text)?.get("a");
    expect(text.slice(slice?.start, slice?.end)).toBe("2");
  });

  test("are none where there is no object or list", () => {
    expect([sliceFields("[1]"), sliceFields('"x"'), sliceItems("{}"), sliceItems("3")]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect([sliceFields("{}")?.size, sliceItems(" [ ] ")]).toEqual([0, []]);
  });

  test("parsed one by one, are what JSON.parse makes of the whole", () => {
    fc.assert(
      fc.property(fc.array(jsonText), (items) => {
        const text = `[${items.join(" ,\n")}]`;
        const slices = sliceItems(text) ?? [];
        expect(slices.map(({ start, end }) => JSON.parse(text.slice(start, end)))).toEqual(JSON.parse(text));
      }),
    );
    fc.assert(
      fc.property(fc.dictionary(fc.string(), jsonText), (entries) => {
        const text = `{${Object.entries(entries)
          .map(([name, value]) => `${JSON.stringify(name)}: ${value}`)
          .join(",")}}`;
        const parsed = JSON.parse(text);
        for (const [name, { start, end }] of sliceFields(text) ?? []) {
          expect(JSON.parse(text.slice(start, end))).toEqual(
            Object.getOwnPropertyDescriptor(parsed, name)?.value ?? parsed[name],
          );
        }
      }),
    );
  });
});

describe("a list in a field", () => {
  const list = (text: string, name: string, start?: number) => {
    const found = sliceListField(text, name, start);
    return found && [found.slice, ...found.items].map((slice) => text.slice(slice.start, slice.end));
  };

  test("is found with its items, wherever it stands", () => {
    expect(list(' { "b":"[", "a" : [ 1 , "]" ] } ', "a")).toEqual(['[ 1 , "]" ]', "1", '"]"']);
    expect(list('{"\\u0061":[[],{}]}', "a")).toEqual(["[[],{}]", "[]", "{}"]);
    expect(list('{"a":[]}', "a")).toEqual(["[]"]);
    expect(list('{"x":{"a":[7]},"a":3}', "a", 5)).toEqual(["[7]", "7"]);
  });

  test("is the last of its name, as JSON.parse has it, and none where that is no list", () => {
    expect(list('{"a":[1],"a":[2]}', "a")).toEqual(["[2]", "2"]);
    expect(list('{"a":[1],"a":"x"}', "a")).toBeUndefined();
    expect([list('{"a":[1]}', "b"), list('["a",[1]]', "a"), list("5", "a")]).toEqual([undefined, undefined, undefined]);
  });

  test("is what fields and items give one after the other", () => {
    const value = fc.oneof(
      jsonText,
      fc.array(jsonText).map((items) => `[ ${items.join(" ,\n")} ]`),
    );
    const fields = fc.array(fc.tuple(fc.constantFrom("a", "b", "\\u0061", '\\"a'), value), { maxLength: 5 });
    fc.assert(
      fc.property(fields, (entries) => {
        const text = ` {${entries.map(([name, json]) => `"${name}" : ${json}`).join("\t, ")}\n}`;
        const parsed = asRecord(parseJson(text))?.a;
        const found = sliceListField(text, "a");
        expect(found !== undefined).toBe(Array.isArray(parsed));
        const slice = sliceFields(text)?.get("a");
        if (found !== undefined) expect(found).toEqual({ slice, items: sliceItems(text, slice?.start) });
      }),
      PROPERTY_RUNS,
    );
  });
});
