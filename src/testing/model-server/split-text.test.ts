import fc from "fast-check";
import { expect, test } from "vitest";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import { splitText } from "./split-text.ts";

test("splits into pieces that give the text again, none empty", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 500 }), (text) => {
      const pieces = splitText(text);
      expect(pieces.join("")).toBe(text);
      expect(pieces).not.toContain("");
    }),
    PROPERTY_RUNS,
  );
});

test("tears no character in two", () => {
  for (const offset of ["", "a"]) {
    for (const piece of splitText(offset + "🦉".repeat(50))) expect(piece.replaceAll("🦉", "")).toMatch(/^a?$/);
  }
});

test("keeps the number of pieces bounded, however long the text", () => {
  expect(splitText("word ".repeat(100_000)).length).toBeLessThanOrEqual(200);
});
