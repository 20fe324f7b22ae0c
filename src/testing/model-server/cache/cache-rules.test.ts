import { describe, expect, test } from "vitest";
import { CACHE_RULES } from "./cache-rules.ts";

/** Blocks of 100 tokens, marked where the place is listed. */
const chainOf = (length: number, ...marked: readonly number[]) =>
  Array.from({ length }, (_, index) => ({
    hash: `${index}`,
    tokens: (index + 1) * 100,
    isMarked: marked.includes(index),
  }));
const kept = (...places: readonly number[]) => {
  const hashes = new Set(places.map(String));
  return (hash: string) => hashes.has(hash);
};

describe("with marks", () => {
  const { readTokens, cachedTokens, keptOf } = CACHE_RULES.anthropic;

  test("twenty blocks are looked at, the marked one among them", () => {
    expect(readTokens(chainOf(40, 34), kept(15))).toBe(1_600);
    expect(readTokens(chainOf(40, 35), kept(15))).toBe(0);
  });

  test("the longest prefix that any of them finds is read", () => {
    expect(readTokens(chainOf(80, 20, 50, 79), kept(10, 15, 40))).toBe(4_100);
    expect(readTokens(chainOf(80, 20, 79), kept(10, 15, 40))).toBe(1_600);
  });

  test("what lies after the last of them is never read or kept", () => {
    expect(readTokens(chainOf(40, 20), kept(20, 30))).toBe(2_100);
    expect(cachedTokens(chainOf(40, 12, 20))).toBe(2_100);
    expect(keptOf(chainOf(40, 12, 20)).map(({ tokens }) => tokens)).toEqual([1_300, 2_100]);
  });

  test("a prefix of less than 1,024 tokens is not kept", () => {
    expect(keptOf(chainOf(40, 9, 10)).map(({ tokens }) => tokens)).toEqual([1_100]);
    expect(cachedTokens(chainOf(40, 5))).toBe(0);
  });
});

describe("by prefix", () => {
  test("OpenAI reads from 1,024 tokens on, in steps of 128", () => {
    const { readTokens, cachedTokens } = CACHE_RULES.openai;
    const places = (count: number) => kept(...Array.from({ length: count }, (_, index) => index));
    expect(readTokens(chainOf(40), places(10))).toBe(0);
    expect(readTokens(chainOf(40), places(11))).toBe(1_024);
    expect(readTokens(chainOf(40), places(13))).toBe(1_280);
    expect(readTokens(chainOf(13), places(13))).toBe(cachedTokens(chainOf(13)));
  });

  test("what comes after the first change is never read", () => {
    const places = Array.from({ length: 40 }, (_, index) => index).filter((index) => index !== 12);
    expect(CACHE_RULES.gemini.readTokens(chainOf(40), kept(...places))).toBe(1_200);
  });

  test("an empty prompt reads nothing", () => {
    expect(CACHE_RULES.gemini.readTokens([], kept(1))).toBe(0);
    expect(CACHE_RULES.anthropic.readTokens([], kept(1))).toBe(0);
  });
});
