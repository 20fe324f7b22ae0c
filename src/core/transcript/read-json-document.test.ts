import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { createJsonDocumentReader, type JsonDocument, type JsonDocumentOptions } from "./read-json-document.ts";

function read(text: string, options: JsonDocumentOptions & { readonly pieceLength?: number } = {}): JsonDocument {
  const reader = createJsonDocumentReader(options);
  const { pieceLength = text.length || 1 } = options;
  for (let start = 0; start < text.length; start += pieceLength) reader.push(text.slice(start, start + pieceLength));
  return reader.finish();
}

const DOCUMENT = { a: [1, { b: "x" }, [], null, true], 'é\n"\\': { deep: [[{}]] }, n: -1.5e-7, "": '\u0000\\"' };

describe("reads like JSON.parse", () => {
  test("any value, in pieces of any length, however it is spaced", () => {
    const piece = fc.integer({ min: 1, max: 40 });
    const indent = fc.constantFrom(undefined, 2, "\t");
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), piece, indent, (value, pieceLength, space) => {
        const text = JSON.stringify(value, undefined, space);
        expect(read(text, { pieceLength })).toEqual({ value: JSON.parse(text), problems: [] });
      }),
      propertyRuns(1_000),
    );
  });

  test("when every piece is one character: escapes and numbers are cut anywhere", () => {
    const text = ` ${JSON.stringify(DOCUMENT)} \n`;
    expect(read(text, { pieceLength: 1 })).toEqual({ value: DOCUMENT, problems: [] });
  });

  test("a name like __proto__ is a field like any other", () => {
    const { value } = read('{"__proto__": {"polluted": true}, "constructor": 1}');
    expect(Object.keys(Object(value))).toEqual(["__proto__", "constructor"]);
    expect(Reflect.get(Object(value), "polluted")).toBeUndefined();
  });

  test("a name that comes twice has its last value", () => {
    expect(read('{"a":1,"a":2}').value).toEqual({ a: 2 });
  });

  test("Python's numbers that JSON does not have are null", () => {
    expect(read('{"a":NaN,"b":[-Infinity]}')).toEqual({ value: { a: null, b: [null] }, problems: [] });
  });
});

describe("builds only what is needed", () => {
  test("asks for each value by its path, and not below what it leaves out", () => {
    const asked: string[] = [];
    const needs = (path: readonly (string | number)[]) => {
      asked.push(path.join("."));
      return path[2] !== "query";
    };
    const text = '{"steps":[{"query":[{"x":1}],"action":"ls"},{"query":"again","action":"cd"}],"n":1}';
    expect(read(text, { needs }).value).toEqual({ steps: [{ action: "ls" }, { action: "cd" }], n: 1 });
    expect(asked).toEqual([
      "",
      "steps",
      "steps.0",
      "steps.0.query",
      "steps.0.action",
      "steps.1",
      "steps.1.query",
      "steps.1.action",
      "n",
    ]);
  });

  test("keeps the places of an array", () => {
    const needs = ([index]: readonly (string | number)[]) => index !== 1;
    expect(read('[1,{"a":[2]},3]', { needs }).value).toEqual([1, undefined, 3]);
    expect(read("[1,2,3]", { needs }).value).toEqual([1, undefined, 3]);
  });

  test("goes through any nesting in what is left out", () => {
    const deep = `${"[".repeat(100_000)}"]}"${"]".repeat(100_000)}`;
    const needs = ([field]: readonly (string | number)[]) => field !== "a";
    expect(read(`{"a":${deep},"b":1}`, { needs })).toEqual({ value: { b: 1 }, problems: [] });
  });
});

describe("keeps what was complete", () => {
  test("when the document ends anywhere", () => {
    const text = JSON.stringify(DOCUMENT);
    for (let length = 0; length < text.length; length++) {
      const { problems } = read(text.slice(0, length), { pieceLength: 3 });
      expect(problems).toHaveLength(1);
    }
    expect(read('{"messages":[{"id":1,"text":"whole"},{"id":2,"text":"hal')).toEqual({
      value: { messages: [{ id: 1, text: "whole" }, { id: 2 }] },
      problems: [{ where: "messages[1].text", reason: "The document ends early, inside a text." }],
    });
  });

  test.each([
    ['{"a":1 "b":2}', { a: 1 }],
    ['{"a":1,}', { a: 1 }],
    ["[1,2}", [1, 2]],
    ["[1,,2]", [1]],
    ['{"a":tru,"b":1}', {}],
    ['{"a":1}{"b":2}', { a: 1 }],
    ["[1]x", [1]],
    ['{"a" 1}', {}],
    ["]", undefined],
  ])("up to what is not JSON: %s", (text, value) => {
    const read_ = read(text);
    expect(read_.value).toEqual(value);
    expect(read_.problems).toHaveLength(1);
  });

  test("says so when there is nothing", () => {
    expect(read(" \n")).toEqual({
      value: undefined,
      problems: [{ where: "the document", reason: "There is no JSON here." }],
    });
  });

  test("takes a text with raw control characters as it stands, and says so", () => {
    const { value, problems } = read('{"a":"one\ntwo","b":1}');
    expect(value).toEqual({ a: "one\ntwo", b: 1 });
    expect(problems).toHaveLength(1);
  });

  test("and refuses absurd nesting", () => {
    const { problems } = read(`{"a":${"[".repeat(100_000)}`);
    expect(problems).toEqual([
      { where: expect.stringMatching(/^a\[0\]/), reason: expect.stringContaining("500 levels") },
    ]);
  });
});

test("can be looked at on the way: what is not complete is not shown yet", () => {
  const reader = createJsonDocumentReader();
  const shown = [
    '{"id":"s","info":{"a":1',
    '},"messages":[{"role":"user","content":[1',
    '],"ts":5}',
    ',{"role"',
    ":1}]}",
  ].map((piece) => {
    reader.push(piece);
    return JSON.stringify(reader.peek());
  });
  expect(shown).toEqual([
    '{"id":"s"}',
    '{"id":"s","info":{"a":1},"messages":[]}',
    '{"id":"s","info":{"a":1},"messages":[{"role":"user","content":[1],"ts":5}]}',
    '{"id":"s","info":{"a":1},"messages":[{"role":"user","content":[1],"ts":5}]}',
    '{"id":"s","info":{"a":1},"messages":[{"role":"user","content":[1],"ts":5},{"role":1}]}',
  ]);
});

describe("reads in linear time", () => {
  // Anything that goes back over what it has read would run for minutes.
  test("one text of 20 million characters, in small pieces", () => {
    const { value } = read(`{"a":"${"x\\n".repeat(7_000_000)}"}`, { pieceLength: 1_000 });
    expect(String(Reflect.get(Object(value), "a"))).toHaveLength(14_000_000);
  });

  test("a million short texts in one piece, none of them escaped", () => {
    const { value } = read(`[${'"abc",'.repeat(1_000_000)}"end"]`);
    expect(value).toHaveLength(1_000_001);
  });
});
