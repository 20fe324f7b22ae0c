import { expect, test } from "vitest";
import { describeRun, isGreen, readLoadPlan, readTestOutput } from "./under-load.ts";

test("eight loops and ten runs of npm test, unless told otherwise", () => {
  expect(readLoadPlan([])).toEqual({ loops: 8, runs: 10, clones: 1, command: ["npm", "test"] });
  expect(readLoadPlan(["--loops", "0", "--runs=3", "--clones", "2", "--", "npm", "test", "--", "src/core"])).toEqual({
    loops: 0,
    runs: 3,
    clones: 2,
    command: ["npm", "test", "--", "src/core"],
  });
});

test.each([
  [["--runs", "0"], /--runs is "0".*1 or more/],
  [["--loops", "-1"], /loops/],
  [["--clones", "two"], /--clones is "two"/],
  [["--rusn", "3"], /rusn/],
])("refuses %j", (given, message) => {
  expect(() => readLoadPlan(given)).toThrow(message);
});

const RED = `
 \u001b[31m❯\u001b[39m shared  src/a.test.ts (2 tests | 1 failed)
\u001b[41m\u001b[1m FAIL \u001b[22m\u001b[49m shared  src/a.test.ts > keeps it > 3 passed, 0 failed
AssertionError: expected 1 to be 2
 FAIL  shared  src/b.test.ts [ src/b.test.ts ]
 FAIL  shared  src/b.test.ts [ src/b.test.ts ]
check failed: tsc -p tsconfig.json
11875 passed, 3 failed
`;

test("reads the counts and the names of what failed, each once", () => {
  expect(readTestOutput(RED)).toEqual({
    passed: 11_875,
    failed: 3,
    failures: [
      "shared  src/a.test.ts > keeps it > 3 passed, 0 failed",
      "shared  src/b.test.ts [ src/b.test.ts ]",
      "check failed: tsc -p tsconfig.json",
    ],
  });
  expect(readTestOutput("1 passed, 2 failed\n12 passed, 0 failed\n")).toEqual({ passed: 12, failed: 0, failures: [] });
  expect(readTestOutput("Killed\n")).toBeUndefined();
});

test("tells each run in a line, and a line for each failure", () => {
  const run = { clone: 1, run: 2, seconds: 231.6, exitCode: 1, output: RED };
  expect(describeRun(run)).toEqual([
    "clone 1, run 2: 232 s, 11875 passed, 3 failed, exit code 1",
    "  failed: shared  src/a.test.ts > keeps it > 3 passed, 0 failed",
    "  failed: shared  src/b.test.ts [ src/b.test.ts ]",
    "  failed: check failed: tsc -p tsconfig.json",
  ]);
  expect(describeRun({ ...run, exitCode: null, output: "" })).toEqual([
    "clone 1, run 2: 232 s, no counts printed, exit code none (killed)",
  ]);
});

test("a run is green if it exits with 0 and nothing failed", () => {
  const run = { clone: 1, run: 1, seconds: 1, exitCode: 0, output: "2 passed, 0 failed\n" };
  expect(isGreen(run)).toBe(true);
  expect(isGreen({ ...run, output: "" })).toBe(true);
  expect(isGreen({ ...run, output: RED })).toBe(false);
  expect(isGreen({ ...run, exitCode: 1 })).toBe(false);
  expect(isGreen({ ...run, exitCode: null })).toBe(false);
});
