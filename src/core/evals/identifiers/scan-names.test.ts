import { describe, expect, test } from "vitest";
import { cpuTimeMs } from "../../../../test/support/cpu-time.ts";
import { isIdentifier } from "./is-identifier.ts";
import { scanNames } from "./scan-names.ts";

const names = (text: string) => [...scanNames(text)].map(({ value }) => value);
const identifiers = (text: string) => [...scanNames(text)].filter(isIdentifier).map(({ value }) => value);

describe("an identifier is", () => {
  test.each([
    ["a path", "see src/core/a.ts, /etc/hosts and ~/notes", ["src/core/a.ts", "/etc/hosts", "~/notes"]],
    ["a path with a line number", "src/a.ts:12:5: error", ["src/a.ts"]],
    ["a path to the folder above", "../lib/x", ["../lib/x"]],
    ["the same path with ./ before it", "./src/a.ts", ["src/a.ts"]],
    ["a folder", "in src/ and docs/guides/", ["src", "docs/guides"]],
    ["a path of Windows, as it is or in JSON", "C:\\a\\b.ts:7 C:\\\\a\\\\b.ts", ["C:/a/b.ts", "C:/a/b.ts"]],
    ["a file name", "README.md, Cargo.lock or 0001-start.md", ["README.md", "Cargo.lock", "0001-start.md"]],
    ["a dot file", "the .env and .github/workflows/ci.yml", [".env", ".github/workflows/ci.yml"]],
    ["a symbol with a capital inside", "openStore, HTTPServer", ["openStore", "HTTPServer"]],
    ["a symbol with an underscore", "user_id MAX_RETRIES __init__", ["user_id", "MAX_RETRIES", "__init__"]],
    ["a symbol of several names", "std::vec::Vec session.close", ["std::vec::Vec", "session.close"]],
    ["a word with a digit", "TS2304 sha256 gpt-4o CVE-2024-3094", ["TS2304", "sha256", "gpt-4o", "CVE-2024-3094"]],
    ["a word that is called", "run close() now", ["close"]],
    ["a word in backticks", "the `harbour` field", ["harbour"]],
    ["a name in another script in backticks", "打开 `文档/说明.md` 文件", ["文档/说明.md"]],
    ["a URL", "https://a.example/x?y=1&z=2.", ["https://a.example/x?y=1&z=2"]],
    [
      "a URL in brackets",
      "(see http://a.example/b_(c)) (ftp://d.example)",
      ["http://a.example/b_(c)", "ftp://d.example"],
    ],
    ["a hash", "3f2a9bc 0xDEADBEEF1", ["3f2a9bc", "0xDEADBEEF1"]],
    ["a UUID", "id 123e4567-e89b-12d3-a456-426614174000", ["123e4567-e89b-12d3-a456-426614174000"]],
    [
      "a number of four digits",
      "port 8443, 1_000, 2026-01-02, 127.0.0.1",
      ["8443", "1_000", "2026-01-02", "127.0.0.1"],
    ],
    ["a flag", "git log --oneline --max-count=3", ["--oneline", "--max-count"]],
    ["a package", "@scope/name@1.2.3 and left-pad2@1.0", ["@scope/name", "left-pad2"]],
  ])("%s", (_, text, expected) => {
    expect(identifiers(text)).toEqual(expected);
  });

  test.each([
    ["no ordinary word", "Words, WORDS, URLs and it's and/or e.g. TCP/IP, client/server"],
    ["no short number or version", "#12 443 1.2.3 v1.2 3.14 10:30 50 %"],
    ["no measure", "32-bit 100ms 2nd 10px"],
    ["no hyphenated word", "well-known state-of-the-art -x - -- ---"],
    ["no end of an element", "</div> </p>"],
    ["no comment sign", "//todo"],
    ["no method in a chain", ").map(x) .then(y)"],
    ["no data", `x${"a1".repeat(200)}`],
    ["no script without capitals outside backticks", "打开文件 ファイル"],
    ["nothing", ""],
  ])("%s", (_, text) => {
    expect(identifiers(text)).toEqual([]);
  });
});

describe("a name", () => {
  test("ends where its punctuation begins, and where another script begins", () => {
    expect(names('"a.ts", (b_c); <d-e>… 打开src/f.ts文件。')).toEqual(["a.ts", "b_c", "d-e", "src/f.ts"]);
  });

  test("does not begin with the letter of an escape", () => {
    expect(names(String.raw`one\ntwo\tthree \"four\" \bfive\b`)).toEqual(["one", "two", "three", "four", "five"]);
  });

  test("is read after a closing backtick as anywhere", () => {
    expect([...scanNames("`alpha`中文`beta`")]).toEqual([
      { value: "alpha", form: "code-span" },
      { value: "beta", form: "code-span" },
    ]);
  });

  test("is whole: a longer name does not hold a shorter one", () => {
    expect(names("src/store.tsx lib/src/store.ts rotateKeysLater")).toEqual([
      "src/store.tsx",
      "lib/src/store.ts",
      "rotateKeysLater",
    ]);
  });
});

test.each([
  ["one word", "a".repeat(1_000_000)],
  ["slashes", "/".repeat(1_000_000)],
  ["dots and dashes", ".-".repeat(500_000)],
  ["colons", "a:".repeat(500_000)],
  ["at signs", "@a/".repeat(330_000)],
  ["backticks", "`".repeat(1_000_000)],
  ["open code spans", "`a".repeat(500_000)],
  ["schemes", "http://".repeat(140_000)],
  ["schemes with brackets", "a://(".repeat(200_000)],
  ["backslashes", "C:\\".repeat(330_000)],
  ["capitals", "AAAA".repeat(250_000)],
])("a million characters of %s are read in linear time", (_, text) => {
  expect(cpuTimeMs(() => identifiers(text))).toBeLessThan(2_000);
});
