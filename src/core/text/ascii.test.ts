import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import { asciiPattern, isAscii } from "./ascii.ts";

describe("patterns for text of ASCII alone", () => {
  const patterns = [
    /[\p{L}\p{M}\p{N}]+/gu,
    /(?<=[\p{L}\p{N},;:"“(][\s]{1,3}["“(]?)[\p{L}][\p{L}\p{M}'’-]{1,40}/gu,
    /(?<![\p{L}\p{N}])(?:i|my|я)(?![\p{L}\p{N}])|[我私]/giu,
  ];
  const words = fc.constantFrom(
    "I",
    "my",
    "Anna",
    "x1",
    "42",
    "it's",
    "A-b",
    '"Q',
    "(R",
    ",",
    "; ",
    " ",
    "\n",
    "_",
    "k",
  );
  const texts = fc.oneof(
    fc.string(),
    fc.array(words, { maxLength: 12 }).map((parts) => parts.join("")),
  );

  test("find the same there", () => {
    fc.assert(
      fc.property(texts.filter(isAscii), fc.constantFrom(...patterns), (text, pattern) => {
        const found = (form: RegExp) => [...text.matchAll(form)].map(({ index, 0: match }) => [index, match]);
        expect(found(asciiPattern(pattern))).toEqual(found(pattern));
      }),
      PROPERTY_RUNS,
    );
  });

  test("are not for text with a single other character", () => {
    expect(["", "a b\n\u007f", "\u0080", "naïve", "😀"].map(isAscii)).toEqual([true, true, false, false, false]);
  });
});
