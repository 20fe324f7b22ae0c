import { globSync, readFileSync } from "node:fs";
import { join, matchesGlob } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { AGENTS, CHAOS_FILTERS, ISOLATED, LONG, SMALL_PROCESSES, TEST_FILES, testProjects } from "./test-selection.ts";

const PROJECT = fileURLToPath(new URL("..", import.meta.url));
const testsIn = (patterns: readonly string[]) =>
  globSync(patterns, { cwd: PROJECT, exclude: ["**/node_modules"] }).filter((path) => path.endsWith(".test.ts"));
const matches = (path: string, patterns: readonly string[]) => patterns.some((pattern) => matchesGlob(path, pattern));
const ALL = testsIn([TEST_FILES]);
const isChaos = (path: string) => CHAOS_FILTERS.some((filter) => path.includes(filter));

/** The projects of vitest that run a file. */
function projectsOf(path: string, run: Parameters<typeof testProjects>[0]): readonly string[] {
  return testProjects(run).flatMap(({ name, include, exclude }) =>
    matches(path, include) && !matches(path, exclude) ? [name] : [],
  );
}

describe("the lists of test files", () => {
  test.each([...ISOLATED, ...SMALL_PROCESSES, ...LONG, ...AGENTS])("%s names files that exist", (pattern) => {
    expect(testsIn([pattern])).not.toEqual([]);
  });

  test("leave no long test out of test:chaos", () => {
    expect(testsIn(LONG).filter((path) => !isChaos(path))).toEqual([]);
  });

  test.each(CHAOS_FILTERS)("test:chaos finds tests by %s", (filter) => {
    expect(testsIn(["{src,test}/**/*.test.ts"]).some((path) => path.includes(filter))).toBe(true);
  });

  test("name no file twice", () => {
    const named = (patterns: readonly string[]) => patterns.flatMap((pattern) => testsIn([pattern]));
    for (const list of [ISOLATED, SMALL_PROCESSES, LONG, AGENTS])
      expect(named(list)).toEqual([...new Set(named(list))]);
  });
});

describe("every test file", () => {
  test("is run by npm test, or by test:chaos alone, or by test:agents alone", () => {
    expect(ALL.length).toBeGreaterThan(500);
    const places = ALL.map((path) => {
      const isShort = projectsOf(path, "short").length > 0;
      const isLong = !isShort && isChaos(path) && projectsOf(path, "chaos").length > 0;
      const isAgents = !isShort && matches(path, AGENTS) && projectsOf(path, "agents").length > 0;
      return { path, count: [isShort, isLong, isAgents].filter(Boolean).length };
    });
    expect(places.filter(({ count }) => count !== 1)).toEqual([]);
  });

  test.each(["short", "chaos", "agents"] as const)("belongs to one project at most: %s", (run) => {
    expect(ALL.filter((path) => projectsOf(path, run).length > 1)).toEqual([]);
  });

  test("that is long is run by no project of npm test, also where it has a process to itself", () => {
    expect(testsIn(LONG).filter((path) => projectsOf(path, "short").length > 0)).toEqual([]);
  });

  test("that does less in npm test is done in full by test:chaos", () => {
    const isShorter = (path: string) =>
      /chaos-size\.ts"|long-runs\.ts"/.test(readFileSync(join(PROJECT, path), "utf8"));
    expect(ALL.filter(isShorter).filter((path) => !isChaos(path))).toEqual([]);
  });
});
