import fc from "fast-check";
import { expect, test } from "vitest";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import { oneLine, textPart, visibleText } from "./safe-text.ts";

test("shows characters that would reorder or hide text", () => {
  expect(visibleText("a\u202egnp.exe")).toBe("a⟨202e⟩gnp.exe");
  expect(visibleText("zero\u200bwidth\u0000nul\u0007bell\u2066isolate\ufeff")).toBe(
    "zero⟨200b⟩width⟨0000⟩nul⟨0007⟩bell⟨2066⟩isolate⟨feff⟩",
  );
  expect(visibleText("lines\n\tand tabs")).toBe("lines\n\tand tabs");
});

test("no text leaves anything invisible", () => {
  const hostile = fc.string({
    unit: fc.oneof(fc.constantFrom("\u202e", "\u2067", "\u200d", "\u0000", "\u2028"), fc.string()),
  });
  fc.assert(
    fc.property(hostile, (text) => {
      expect(visibleText(text).replace(/[\n\t]/g, "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      expect(oneLine(text, 40)).not.toMatch(/[\n\t]/);
    }),
    PROPERTY_RUNS,
  );
});

test("a label is one line, and short, however long the text is", () => {
  expect(oneLine("  one\n\n two\tthree ")).toBe("one two three");
  expect(oneLine("x".repeat(10_000_000), 80)).toBe(`${"x".repeat(80)}…`);
});

test("a long text is folded, never inside a character", () => {
  expect(textPart("abc", 3)).toEqual({ text: "abc", leftCharacters: 0 });
  expect(textPart("ab😀cd", 3)).toEqual({ text: "ab", leftCharacters: 4 });
  expect(textPart("ab😀cd", 4)).toEqual({ text: "ab😀", leftCharacters: 2 });
});
