import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sized } from "../../../../test/chaos/chaos-size.ts";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { tokenizeForRecall } from "./tokenize-for-recall.ts";

describe("identifiers", () => {
  test.each([
    ["getUserName", ["getusername", "get", "user", "nam"]],
    ["HTTPServer", ["httpserver", "http", "server"]],
    ["parseURLs", ["parseurls", "pars", "url"]],
    ["max_retry_count", ["max_retry_count", "max", "retry", "count"]],
    ["MAX_RETRY", ["max_retry", "max", "retry"]],
    ["lock-file", ["lock-file", "lock", "fil"]],
    ["user.profile.name", ["user.profile.name", "user", "profil", "nam"]],
    ["--max-depth", ["max-depth", "max", "depth"]],
    ["__init__", ["init"]],
  ])("%s gives itself and its words", (text, terms) => {
    expect(tokenizeForRecall(text)).toEqual(terms);
  });

  test("a path gives itself, its folders, its file name and the name without extension", () => {
    expect(tokenizeForRecall("./src/auth/tokenStore.ts")).toEqual([
      ...["src/auth/tokenstore.ts", "src", "auth", "tokenstore.ts"],
      ...["tokenstore", "token", "stor"],
    ]);
  });

  test("a Windows path is the same path", () => {
    expect(tokenizeForRecall(String.raw`C:\new\test.py`)).toEqual(["new/test.py", "new", "test.py", "test"]);
    expect(tokenizeForRecall(String.raw`C:\\new\\test.py`)).toEqual(tokenizeForRecall("new/test.py"));
  });

  test.each([
    ["TS2345", ["ts2345", "2345"]],
    ["E1234", ["e1234", "1234"]],
    ["ENOENT", ["enoent"]],
    ["sha256", ["sha256", "256"]],
    ["utf8", ["utf8"]],
    ["8080", ["8080"]],
    ["3.14", ["3.14", "3", "14"]],
  ])("the code or number %s is kept whole, and found by its number", (text, terms) => {
    expect(tokenizeForRecall(text)).toEqual(terms);
  });

  test("punctuation around a name is no part of it", () => {
    const name = tokenizeForRecall("src/a-file.ts");
    for (const text of ["(src/a-file.ts)", "`src/a-file.ts`.", '"src/a-file.ts":', "src/a-file.ts:12"]) {
      expect(tokenizeForRecall(text).slice(0, name.length)).toEqual(name);
    }
  });

  test("an escape inside JSON does not stick to the word after it", () => {
    expect(tokenizeForRecall(String.raw`"alpha\nbeta\tgamma"`)).toEqual(["alpha", "beta", "gamma"]);
  });

  test("a key is one term, not dozens of fragments", () => {
    expect(tokenizeForRecall("aB3xYz9QwErT5uIoPaSdF7gHjK")).toHaveLength(1);
  });
});

describe("words", () => {
  test.each([
    ["rotate rotates rotated rotating", "rotat"],
    ["query queries", "query"],
    ["retry retries retried retrying", "retry"],
    ["class classes", "class"],
    ["run running", "run"],
    ["file files", "fil"],
    ["Error ERROR errors.", "error"],
  ])("%s are one term", (text, term) => {
    expect(new Set(tokenizeForRecall(text))).toEqual(new Set([term]));
  });

  test("words that only look inflected stay as they are", () => {
    expect(tokenizeForRecall("string need status basis red bus")).toEqual([
      ...["string", "need", "status", "basis", "red", "bus"],
    ]);
  });

  test("single letters are left out, single digits are not", () => {
    expect(tokenizeForRecall("a 7 b")).toEqual(["7"]);
  });
});

describe("other scripts", () => {
  test("scripts without spaces give pairs of characters, and a lone character itself", () => {
    expect(tokenizeForRecall("日本語 猫 テスト")).toEqual(["日本", "本語", "猫", "テス", "スト"]);
    expect(tokenizeForRecall("한국어")).toEqual(["한국", "국어"]);
  });

  test("ideographs outside the basic plane are whole characters", () => {
    expect(tokenizeForRecall("𠀀𠀁𠀂")).toEqual(["𠀀𠀁", "𠀁𠀂"]);
  });

  test("a name inside Chinese text is found by itself", () => {
    expect(tokenizeForRecall("请看userStore文件")).toEqual(["请看", "userstore", "user", "stor", "文件"]);
  });

  test("accents, their spelling and letter width make no difference", () => {
    expect(tokenizeForRecall("Résumé naïve")).toEqual(tokenizeForRecall("resume naive"));
    expect(tokenizeForRecall("re\u0301sume\u0301")).toEqual(tokenizeForRecall("résumé"));
    expect(tokenizeForRecall("Ｔｅｓｔ Łódź")).toEqual(["test", "lodz"]);
  });
});

test("terms never contain capitals, blanks or quotes, whatever the text", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: "binary", maxLength: 400 }), fc.string({ maxLength: 400 })), (text) => {
      expect(tokenizeForRecall(text).filter((term) => !/^[^A-Z\s"'()]+$/.test(term))).toEqual([]);
    }),
    propertyRuns(500),
  );
});

test("texts written in another case give the same words", () => {
  const word = fc.stringMatching(/^[a-z]{2,12}$/);
  fc.assert(
    fc.property(fc.array(word, { maxLength: 20 }), (words) => {
      const text = words.join(" ");
      expect(tokenizeForRecall(text.toUpperCase())).toEqual(tokenizeForRecall(text));
    }),
    propertyRuns(300),
  );
});

// What is quadratic in a run would need hours for these.
test.each([
  ["one letter", "a"],
  ["capitals and small letters", "aB"],
  ["dots", "."],
  ["a dotted name", "a."],
  ["slashes and names", "src/"],
  ["dashes", "-"],
  ["backslashes", "\\"],
  ["escapes", "\\n"],
  ["drives", "C:\\"],
  ["CJK", "天地玄黄"],
  ["high surrogates", "\ud840"],
  ["accents", "\u0301"],
  ["digits", "1234567890"],
  ["line ends", "\n"],
])("megabytes of %s take time in proportion", (_, unit) => {
  const length = sized({ full: 10_000_000, short: 1_000_000 });
  expect(tokenizeForRecall(unit.repeat(length / unit.length)).length).toBeLessThanOrEqual(length);
});

test("refuses what is not a text", () => {
  // @ts-expect-error callers without types
  expect(() => tokenizeForRecall(undefined)).toThrow("text is undefined; it must be a string");
});
