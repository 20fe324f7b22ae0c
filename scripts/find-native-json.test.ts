import { expect, test } from "vitest";
import { findNativeJson } from "./find-native-json.ts";

const found = (text: string, path = "src/engine/a.ts") => findNativeJson([{ path, text }]);

test.each([
  "const value = JSON.parse(text);",
  "lines.map(JSON.parse)",
  "JSON?.parse(text)",
  'JSON["parse"](text)',
  "const { parse } = JSON;",
  "await response.json()",
  "const text = `http://x`; JSON.parse(text);",
])("finds %j", (text) => {
  expect(found(`\n${text}\n`)).toEqual([expect.stringMatching(/^src\/engine\/a\.ts:2: .*use parseJson/)]);
});

test.each([
  "JSON.stringify(value)",
  "/** What `JSON.parse` gives. */",
  " * as JSON.parse does",
  "// JSON.parse",
  "return c.json(value);",
  "This is JSON.",
])("passes %j", (text) => {
  expect(found(text)).toEqual([]);
});

test("leaves the parser itself, tests and other folders alone", () => {
  for (const path of ["src/core/json/parse-json.ts", "src/core/a.test.ts", "scripts/a.ts"]) {
    expect(found("JSON.parse(text)", path)).toEqual([]);
  }
});
