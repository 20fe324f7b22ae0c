import { get_encoding } from "tiktoken";
import { afterAll, expect, test } from "vitest";
import { sized } from "../../../../test/chaos/chaos-size.ts";
import { countTextTokens } from "./count-text-tokens.ts";

const oracle = get_encoding("o200k_base");
afterAll(() => oracle.free());

const TARGET_BYTES = sized({ full: 10_000_000, short: 1_000_000 });

/** Pseudo-random bytes in base64, without the padding. */
function base64(bytes: number): string {
  let state = 1;
  const next = () => {
    state = Math.imul(state, 1_664_525) + 1_013_904_223;
    return state >>> 24;
  };
  return Buffer.from(Array.from({ length: bytes }, next)).toString("base64");
}

// An algorithm that is quadratic in the run would need hours for ten megabytes, and many minutes for one.
test.each([
  ["one letter", "a".repeat(64)],
  ["one capital", "A".repeat(64)],
  ["letters", "abcdefghijklmnopqrstuvwxyz"],
  ["blanks", " ".repeat(640)],
  ["tabs and blanks", "\t   \t       "],
  ["line ends", "\n".repeat(64)],
  ["padded lines", `${" ".repeat(79)}\r\n`],
  ["digits", "123456"],
  ["dashes", "-".repeat(640)],
  ["punctuation", "!?.,;:"],
  ["CJK", "天地玄黄宇宙洪荒日月盈昃辰宿列张"],
  ["CJK and capitals", "天A地B"],
  ["one emoji", "😀"],
  ["combining marks", "\u0301"],
  ["base64", base64(3_000)],
])("megabytes of %s count in proportion to their length", (_, unit) => {
  const units = Math.floor(TARGET_BYTES / Buffer.byteLength(unit));
  const [few, more] = [4, 5].map((times) => oracle.encode(unit.repeat(times), [], []).length);
  expect(countTextTokens(unit.repeat(4))).toBe(few);
  const perUnit = (more ?? 0) - (few ?? 0);
  expect(countTextTokens(unit.repeat(units))).toBe((few ?? 0) + (units - 4) * perUnit);
});
