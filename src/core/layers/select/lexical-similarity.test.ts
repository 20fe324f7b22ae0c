import { describe, expect, test } from "vitest";
import { createLexicalSimilarity } from "./lexical-similarity.ts";

const goal = "Rotate the JWT secret in src/auth/tokenStore.ts every week";
const similarity = createLexicalSimilarity();
const RELEVANT = 0.3;

describe("similarity by words", () => {
  const related = [
    "The secret is rotated by a cron job.",
    "tokenStore keeps two secrets: the current one and the one before.",
    "JWT",
    `A long note. ${"It tells many other things about the weather and the harbour. ".repeat(8)} The JWT secret lies in src/auth/tokenStore.ts.`,
  ];
  const unrelated = [
    "The cafeteria opens at noon.",
    "It is in the other one of the two.",
    "Use tabs in Makefiles.",
    "",
    "?!",
  ];

  test("tells what is about the goal from what is not", () => {
    const scores = similarity(goal, [...related, ...unrelated]);
    for (const [index, text] of related.entries())
      expect([text, (scores[index] ?? 0) > RELEVANT]).toEqual([text, true]);
    for (const [index, text] of unrelated.entries()) {
      expect([text, (scores[related.length + index] ?? 1) > RELEVANT]).toEqual([text, false]);
    }
  });

  test("tells it also of a single text", () => {
    expect(similarity(goal, ["The secret is rotated weekly."])[0]).toBeGreaterThan(RELEVANT);
    expect(similarity(goal, ["It is the one of the two in the box."])[0]).toBeLessThan(RELEVANT);
  });

  test("is 1 for the goal itself, from 0 to 1 for anything, and the same every time", () => {
    const texts = [goal, ...related, ...unrelated, "secret ".repeat(1_000)];
    const scores = similarity(goal, texts);
    expect(scores[0]).toBe(1);
    for (const score of scores) expect(score >= 0 && score <= 1).toBe(true);
    expect(similarity(goal, texts)).toEqual(scores);
    expect(createLexicalSimilarity()(goal, texts)).toEqual(scores);
  });

  test("prefers what names more of the goal, and what others do not name", () => {
    const [both = 0, one = 0] = similarity(goal, [
      "the JWT secret lies there for now",
      "the secret lies there for now, then",
    ]);
    expect(both).toBeGreaterThan(one);
  });

  test("does not take names apart at their small words", () => {
    const [named = 0, other = 0] = similarity("Rename in_the_loop", ["in_the_loop is a flag", "something else again"]);
    expect(named).toBeGreaterThan(RELEVANT);
    expect(other).toBe(0);
  });

  test("is 0 where the goal says nothing", () => {
    expect(similarity("", related)).toEqual(related.map(() => 0));
    expect(similarity("do it", related)).toEqual(related.map(() => 0));
    expect(similarity(goal, [])).toEqual([]);
  });

  test("works for Chinese", () => {
    const [about = 0, not = 1] = similarity("把配置文件移动到新的目录", ["配置文件在旧的目录里", "今天天气很好"]);
    expect(about).toBeGreaterThan(RELEVANT);
    expect(not).toBeLessThan(RELEVANT);
  });
});
