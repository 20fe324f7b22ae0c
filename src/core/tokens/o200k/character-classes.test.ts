import { get_encoding } from "tiktoken";
import { afterAll, expect, test } from "vitest";
import { countTextTokens } from "./count-text-tokens.ts";

const oracle = get_encoding("o200k_base");
afterAll(() => oracle.free());

const BATCH = 0x400;
const isSurrogate = (codePoint: number) => codePoint >= 0xd800 && codePoint < 0xe000;
const everyCharacter = Array.from({ length: 0x110000 }, (_, codePoint) => codePoint)
  .filter((codePoint) => !isSurrogate(codePoint))
  .map((codePoint) => String.fromCodePoint(codePoint));

/** Batches of characters, named by their first, in which our count differs from the oracle's. */
function differingBatches(characters: readonly string[], context: (character: string) => string): readonly string[] {
  const starts = Array.from({ length: Math.ceil(characters.length / BATCH) }, (_, index) => index * BATCH);
  return starts
    .filter((start) => {
      const text = characters
        .slice(start, start + BATCH)
        .map(context)
        .join("");
      return countTextTokens(text) !== oracle.encode(text, [], []).length;
    })
    .map((start) => `U+${characters[start]?.codePointAt(0)?.toString(16)}`);
}

test("tells symbols from all else, for every code point", () => {
  expect(differingBatches(everyCharacter, (character) => `${character}'s`)).toEqual([]);
});

// Each context moves a boundary between known characters that is not beside the tested one, so the count tells.
test.each([
  ["numbers", (character: string) => `${character}123\n`],
  ["whitespace", (character: string) => `x\t\t\t${character}\n`],
  ["marks from letters", (character: string) => `!!${character}'s\n`],
  ["small letters from capitals", (character: string) => `亚洲AV${character}\n`],
  ["small letters from letters without case", (character: string) => `${character}亚洲AVa\n`],
])("tells %s apart, for every assigned code point", (_, context) => {
  const assigned = everyCharacter.filter((character) => /[^\p{Cn}\p{Co}]/u.test(character));
  expect(assigned.length).toBeGreaterThan(150_000);
  expect(differingBatches(assigned, context)).toEqual([]);
});
