import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { get_encoding } from "tiktoken";
import { afterAll, describe, expect, test } from "vitest";
import { countTextTokens } from "./count-text-tokens.ts";

const oracle = get_encoding("o200k_base");
afterAll(() => oracle.free());

const REPOSITORY = resolve(import.meta.dirname, "../../../..");
const { PALIMPSEST_DATA = "../shared/data" } = process.env;
const TRANSCRIPTS = resolve(REPOSITORY, PALIMPSEST_DATA);

// the oracle reads about three megabytes a second, and much less where a line is one long run
const MAX_CHARACTERS_PER_FILE = 60_000;
const MAX_CHARACTERS = 4_000_000;

function readTexts(folder: string, patterns: readonly string[]): readonly (readonly [string, string])[] {
  let left = MAX_CHARACTERS;
  const exclude = (path: string) => /node_modules|dist\/|\.generated\./.test(path);
  return globSync([...patterns], { cwd: folder })
    .filter((path) => !exclude(path))
    .sort()
    .map((path) => {
      const text = left > 0 ? readFileSync(resolve(folder, path), "utf8").slice(0, MAX_CHARACTERS_PER_FILE) : "";
      left -= text.length;
      return [path, text] as const;
    });
}

function differences(texts: readonly (readonly [string, string])[]): readonly string[] {
  return texts.filter(([, text]) => countTextTokens(text) !== oracle.encode(text, [], []).length).map(([path]) => path);
}

describe("agrees with tiktoken on", () => {
  test("this repository's source and documents", () => {
    const texts = readTexts(REPOSITORY, ["{src,docs,scripts,bench,test}/**/*.{ts,md,mjs,json}", "*.{md,json}"]);
    expect(texts.length).toBeGreaterThan(20);
    expect(differences(texts)).toEqual([]);
  });

  test("transcripts of real agents", ({ skip }) => {
    const texts = readTexts(TRANSCRIPTS, ["**/*.{json,jsonl,md,traj,txt}"]);
    if (texts.length === 0) {
      console.warn(`SKIPPED: no transcripts in ${TRANSCRIPTS}. Set PALIMPSEST_DATA to a folder of them.`);
      skip();
    }
    expect(differences(texts)).toEqual([]);
  });
});
