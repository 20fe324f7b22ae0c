import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cpuTimeMs } from "../../../test/support/cpu-time.ts";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { findIdentifiers, identifierValues } from "./identifiers.ts";
import { wordsOf } from "./words.ts";

const values = (text: string) => findIdentifiers(text).map(({ value }) => value);
const words = (text: string) => [...wordsOf(text)].map(({ value }) => value);
const kinds = (text: string) => findIdentifiers(text).map(({ kind, value }) => `${kind} ${value}`);

describe("findIdentifiers finds", () => {
  test.each([
    ["see src/core/demand.ts:42:7 and ./a.ts", ["path src/core/demand.ts", "path a.ts"]],
    [
      "`/etc/hosts`, ~/.config/app, .gitignore, src/core/",
      ["path /etc/hosts", "path ~/.config/app", "path .gitignore", "path src/core"],
    ],
    ["C:\\Users\\ann\\main.rs", ["path C:/Users/ann/main.rs"]],
    ["read package.json, Dockerfile and @AGENTS.md", ["path package.json", "path Dockerfile", "path AGENTS.md"]],
    ["(see https://example.org/a?b=1#c).", ["url https://example.org/a?b=1#c"]],
    [
      "camelCase PascalCase snake_case parse() XMLParser",
      ["symbol camelCase", "symbol PascalCase", "symbol snake_case", "symbol parse", "symbol XMLParser"],
    ],
    ["t.Fatalf s.cfg.limit, testing.T; e.g. at 9 a.m.", ["symbol t.Fatalf", "symbol s.cfg.limit", "symbol testing.T"]],
    ["fmt.Println std::vec::Vec Session#close", ["symbol fmt.Println", "symbol std::vec::Vec", "symbol Session#close"]],
    ["@ai-sdk/openai react@19.0.0 gpt-4-turbo", ["symbol @ai-sdk/openai", "symbol react@19.0.0", "symbol gpt-4-turbo"]],
    [
      "commit 746e1c5, id 8209f1c2-ccba-4dd6-8b9e-8d6d142183e2",
      ["hash 746e1c5", "hash 8209f1c2-ccba-4dd6-8b9e-8d6d142183e2"],
    ],
    ["port 8080, #950, v1.2.3, 1_048_576", ["number 8080", "number #950", "number v1.2.3", "number 1_048_576"]],
    ["run with --dry-run --out=dist", ["flag --dry-run", "flag --out"]],
    ["set $DATABASE_URL or NODE_ENV", ["constant DATABASE_URL", "constant NODE_ENV"]],
    [
      "TS2345, E1234, ORA-00942, ENOENT, ERR_MODULE_NOT_FOUND",
      [
        "error-code TS2345",
        "error-code E1234",
        "error-code ORA-00942",
        "error-code ENOENT",
        "error-code ERR_MODULE_NOT_FOUND",
      ],
    ],
  ])("%s", (text, expected) => {
    expect(kinds(text)).toEqual(expected);
  });

  test("identifiers inside text without spaces", () => {
    expect(values("请修改src/app.ts文件，并设置NODE_ENV；调用getUserById函数。")).toEqual([
      "src/app.ts",
      "NODE_ENV",
      "getUserById",
    ]);
  });

  test("names with letters beyond ASCII", () => {
    expect(values("öffne docs/überblick.md und größeBerechnen()")).toEqual(["docs/überblick.md", "größeBerechnen"]);
  });

  test("the same names in JSON as in plain text", () => {
    expect(values('"a.ts\\nb.ts\\tfooBar"')).toEqual(["a.ts", "b.ts", "fooBar"]);
  });

  test("each once, in the order of first occurrence, with how often it is named", () => {
    expect(findIdentifiers("fooBar a.ts fooBar, `fooBar`")).toEqual([
      { kind: "symbol", value: "fooBar", count: 3 },
      { kind: "path", value: "a.ts", count: 1 },
    ]);
  });
});

describe("findIdentifiers passes over", () => {
  test.each([
    "And/or a follow-up: state-of-the-art, e.g. this one, i.e. 24/7 (100 %).",
    "ERROR: EVERY word here is plain. I'm done... --- 12 of 345",
    "<div></div> // comment",
    "",
    " \n\t\0 ",
    "😀😀 ‐ — … ",
  ])("prose and marks: %j", (text) => {
    expect(values(text)).toEqual([]);
  });

  test("encoded data", () => {
    expect(values(`before.ts ${"iVBORw0KGgoAAAANSUhEUg".repeat(40)} after.ts`)).toEqual(["before.ts", "after.ts"]);
  });
});

describe("findIdentifiers on hostile input", () => {
  const million = 1_000_000;
  const fill = (unit: string) => unit.repeat(Math.ceil(million / unit.length));

  test.each([
    ...["a", "-.", "a/", "a::", "_", "/", "\\n", "C:\\", "\ud800", "😀", "修", "https://a.b/", "a_ ", "((((()"],
    ...[`${"-.".repeat(127)}a `, `${"a/".repeat(127)}a `, `${"A".repeat(250)} `, `${"ab.".repeat(80)}c `],
    ...[`https://a.b${")".repeat(2_000)} `, `${"a-".repeat(120)}! `, "abcdefghijklmno:/", "@.", "~"],
  ])("takes time in proportion to its length: %#", (unit) => {
    const text = fill(unit);
    // Quadratic work on a million characters would take minutes.
    expect(cpuTimeMs(() => findIdentifiers(text))).toBeLessThan(5_000);
  });

  test("gives well-formed values for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        for (const { value, count } of findIdentifiers(text)) {
          expect(value).not.toMatch(/\s/);
          expect(value.length).toBeGreaterThan(1);
          expect(count).toBeGreaterThan(0);
        }
      }),
      propertyRuns(100),
    );
  });

  test("finds a value again when it stands alone", () => {
    const part = fc.constantFrom(..."src fooBar a_b 1234 / . - :: @ # ~ $ x.ts NODE _ C:/".split(" "), " ");
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        for (const { value } of findIdentifiers(parts.join(""))) expect(words(value)).toContain(value);
      }),
      propertyRuns(100),
    );
  });
});

test("identifierValues names the same, in the same order, whatever the text", () => {
  const part = fc.oneof(
    fc.constantFrom(
      ..."agents agents/ fooBar() run() Makefile a_b 1234 / . - :: : @ # ~ $ \\ \\n + ( < > x.ts NODE _ C:/ C:\\ git+ssh://a.b É é 修 z".split(
        " ",
      ),
      " ",
    ),
    fc.string({ unit: "binary", maxLength: 3 }),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      const text = parts.join("");
      expect(identifierValues(text)).toEqual(findIdentifiers(text).map(({ value }) => value));
    }),
    propertyRuns(2_000),
  );
});
