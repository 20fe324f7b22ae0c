import { describe, expect, test } from "vitest";
import { PalimpsestError } from "../../errors.ts";
import { readMerges } from "./vocabulary.generated.ts";
import { decodeVocabulary, SINGLE_BYTES } from "./vocabulary.ts";

const { merges: MERGES, checksum: MERGES_CHECKSUM } = readMerges();

test("holds every token of o200k_base but the special ones", () => {
  const { size, left, right, byteLength } = decodeVocabulary(MERGES, MERGES_CHECKSUM);
  expect(size).toBe(199_998);
  expect(byteLength.slice(0, SINGLE_BYTES).every((length) => length === 1)).toBe(true);
  expect(left.subarray(SINGLE_BYTES).every((part, index) => part < SINGLE_BYTES + index)).toBe(true);
  expect(right.subarray(SINGLE_BYTES).every((part, index) => part < SINGLE_BYTES + index)).toBe(true);
  expect(Math.max(...byteLength.subarray(0, 100_000))).toBe(128);
});

describe("refuses a vocabulary", () => {
  const middle = MERGES.length / 2;
  const replaced = MERGES[middle] === "$" ? "%" : "$";
  const damaged: Readonly<Record<string, string>> = {
    "with one character changed": `${MERGES.slice(0, middle)}${replaced}${MERGES.slice(middle + 1)}`,
    "with its end missing": MERGES.slice(0, -6),
    "cut in the middle of a token": MERGES.slice(0, -1),
    "that is empty": "",
    "with two tokens exchanged": `${MERGES.slice(6, 12)}${MERGES.slice(0, 6)}${MERGES.slice(12)}`,
    "read in the wrong encoding": `${MERGES.slice(0, 10)}\ufffd${MERGES.slice(11)}`,
  };
  for (const [how, merges] of Object.entries(damaged)) {
    test(how, () => {
      const decode = () => decodeVocabulary(merges, MERGES_CHECKSUM);
      expect(decode).toThrow(PalimpsestError);
      expect(decode).toThrow(expect.objectContaining({ code: "vocabulary-damaged" }));
    });
  }
});
