import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { AGENTS, CHAOS_FILTERS, ISOLATED, LONG } from "./test-selection.ts";

const PROJECT = fileURLToPath(new URL("..", import.meta.url));
const testsIn = (patterns: readonly string[]) =>
  globSync(patterns, { cwd: PROJECT, exclude: ["**/node_modules"] }).filter((path) => path.endsWith(".test.ts"));

describe("the lists of test files", () => {
  test.each([...ISOLATED, ...LONG, ...AGENTS])("%s names files that exist", (pattern) => {
    expect(testsIn([pattern])).not.toEqual([]);
  });

  test("leave no long test out of test:chaos", () => {
    const isChosen = (path: string) => CHAOS_FILTERS.some((filter) => path.includes(filter));
    expect(testsIn(LONG).filter((path) => !isChosen(path))).toEqual([]);
  });

  test.each(CHAOS_FILTERS)("test:chaos finds tests by %s", (filter) => {
    expect(testsIn(["{src,test}/**/*.test.ts"]).some((path) => path.includes(filter))).toBe(true);
  });
});
