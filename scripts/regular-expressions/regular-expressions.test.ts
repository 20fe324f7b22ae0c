import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { findExpressions } from "./find-expressions.ts";
import { findSlow } from "./find-slow.ts";
import { judgeExpression, withFewRepeats } from "./judge-expression.ts";

describe("judgeExpression", () => {
  test.each([
    ["digits that belong to either of two parts", /\/v\d+\w*$/, "2nd degree polynomial"],
    ["a run that is searched from each of its characters", /\/+$/, "2nd degree polynomial"],
    ["the same before something that is only looked at", /^\/v\d+\w*(?=[/:]|$)/, "2nd degree polynomial"],
    ["nested repeats", /^(?:a+)+$/, "exponential"],
    ["nested repeats with bounds that are no help", /(\w{1,64}\s?){1,64}$/, "exponential"],
  ])("finds %s, and the text that shows it", (_, { source, flags }, complexity) => {
    const verdict = judgeExpression(source, flags);
    expect(verdict).toMatchObject({ type: "super-linear", complexity: expect.stringContaining(complexity) });
    expect(verdict.type === "super-linear" && verdict.attack).toMatch(/\.repeat\(\d+\)/);
  });

  test.each([/^\/v\d+(?:[A-Za-z_]\w*)?(?=[/:]|$)/, /(?<!\/)\/+$/, /^data:([^,;]*)[^,]{0,100},/, /\bcode\b/giu])(
    "lets %s pass",
    ({ source, flags }) => {
      expect(judgeExpression(source, flags)).toEqual({ type: "linear" });
    },
  );

  test("says what it cannot read", () => {
    expect(judgeExpression("[a--b]", "v")).toMatchObject({ type: "unknown" });
  });
});

test.each([
  ["a{1,400}b{7}", "a{1,3}b{2,2}"],
  ["a{3,}", "a{2,}"],
  ["(?:ab){0,400}", "(?:ab){0,}"],
  ["(?:ab){3}(?:c){0,3}", "(?:ab){2,2}(?:c){0,2}"],
  [String.raw`[{3,9}]\{3,9}\u{1F600}\p{L}{5}`, String.raw`[{3,9}]\{3,9}\u{1F600}\p{L}{2,2}`],
])("%s is analysed as %s", (source, expected) => {
  expect(withFewRepeats(source)).toBe(expected);
});

/** A project whose only source is this. */
function projectOf(text: string): { readonly root: string; readonly file: string } {
  const root = temporaryFolder();
  mkdirSync(join(root, "src"));
  writeFileSync(
    join(root, "tsconfig.json"),
    '{ "compilerOptions": { "noLib": true, "types": [] }, "include": ["src"] }',
  );
  const file = join(root, "src/a.ts");
  writeFileSync(file, text);
  writeFileSync(join(root, "src/a.test.ts"), "/tests/;");
  return { root, file };
}

const SOURCE = `const text = "/no/"; // neither /this/
const slow = text.replace(/\\/+$/g, "");
const made = new RegExp(["a", "b"].join("+"), "i");
const later = (given: string) => RegExp(given);
`;

describe("a source", () => {
  const find = (root: string) => findExpressions(join(root, "tsconfig.json"), join(root, "src"));
  const recorder = join(import.meta.dirname, "record-constructions.ts");

  test("has literals and constructions, of which tests, comments and strings are none", () => {
    const found = find(projectOf(SOURCE).root);
    const place = { file: "src/a.ts", line: 2 };
    expect(found.literals).toEqual([{ ...place, source: "\\/+$", flags: "g", text: "/\\/+$/g" }]);
    expect(found.constructions.map(({ line, text }) => [line, text])).toEqual([
      [3, 'new RegExp(["a", "b"].join("+"), "i")'],
      [4, "RegExp(given)"],
    ]);
  });

  test("constructs expressions when it is loaded", () => {
    const { file } = projectOf(SOURCE);
    const recorded = JSON.parse(execFileSync(process.execPath, [recorder, file]).toString());
    expect(recorded).toEqual([{ file, line: 3, source: "a+b", flags: "i" }]);
  });

  test("is reported with its line, unless the expression is excepted", () => {
    const recorded = [{ file: "src/a.ts", line: 3, source: "a+b", flags: "i" }];
    const exception = (text: string) => ({ file: "src/a.ts", text, reason: "Only a test." });
    const search = { found: find(projectOf(SOURCE).root), recorded, judge: judgeExpression };
    expect(findSlow({ ...search, exceptions: [] })).toEqual([
      expect.stringMatching(/^src\/a\.ts:2: \/\\\/\+\$\/g takes 2nd degree polynomial time on '\/'\.repeat\(\d+\)/),
      expect.stringMatching(/^src\/a\.ts:3: \/a\+b\/i takes 2nd degree polynomial time on 'a'\.repeat\(\d+\)/i),
      expect.stringMatching(/^src\/a\.ts:4: RegExp\(given\) does not run when the module is loaded/),
    ]);
    const exceptions = ["/\\/+$/g", 'new RegExp(["a", "b"].join("+"), "i")', "RegExp(given)"].map(exception);
    expect(findSlow({ ...search, exceptions })).toEqual([]);
    expect(findSlow({ ...search, exceptions: [...exceptions, exception("/gone/")] })).toEqual([
      "src/a.ts: no longer has /gone/. Remove its exception.",
    ]);
  });
});
