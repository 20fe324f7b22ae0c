import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findWorkflowFaults, npmScripts } from "./find-workflow-faults.ts";

const path = ".github/workflows/ci.yml";
const ours = readFileSync(join(import.meta.dirname, "../..", path), "utf8");
const STEP_ON_PINNED = "run: npm test\n        env: { PALIMPSEST_NODE: pinned }\n";
const SCRIPTS = new Set(["test", "test:chaos", "check"]);

/** Our own workflow with a change in it. */
function faultsWith(from: string | RegExp, to: string): readonly string[] {
  const text = ours.replace(from, to);
  expect(text, "nothing was changed").not.toBe(ours);
  return findWorkflowFaults([{ path, text }], SCRIPTS);
}

test("our workflow has none", () => {
  expect(findWorkflowFaults([{ path, text: ours }], SCRIPTS)).toEqual([]);
});

test("no workflow at all is one", () => {
  expect(findWorkflowFaults([], SCRIPTS)).toHaveLength(1);
});

describe("GitHub's parser finds", () => {
  test.each([
    ["broken YAML", "        run: npm test", "       run: npm test", "indicator"],
    ["an unknown key of a job", "runs-on:", "runs_on:", "Unexpected value 'runs_on'"],
    ["an unknown key of a step", "run: npm test\n", "ran: npm test\n", "Unexpected value 'ran'"],
    ["an unknown event", "pull_request:", "pull_requests:", "Unexpected value 'pull_requests'"],
    ["an unknown permission", "contents: read", "contents: reading", "Unexpected value 'reading'"],
    ["a number that is none", /timeout-minutes: \d+/, "timeout-minutes: soon", "Unexpected value 'soon'"],
    ["an expression without an end", "matrix.node }}", "matrix.node", "expression is not closed"],
    ["an unknown context", "github.ref", "git.ref", "Unrecognized named-value: 'git'"],
  ])("%s", (_, from, to, said) => {
    const faults = faultsWith(from, to);
    expect(faults.join("\n")).toContain(said);
    expect(faults.every((fault) => fault.startsWith(path))).toBe(true);
  });
});

describe("refuses", () => {
  test.each([
    ["a script that does not exist", "npm run test:chaos", "npm run test:chaoss", '"test:chaoss", which package.json'],
    ["a key that the matrix lacks", "matrix.node }}", "matrix.nodes }}", "matrix.nodes, which its matrix"],
    ["an action by its tag", /checkout@\S+ #.*/, "checkout@v5", "actions/checkout@v5 is not pinned"],
    ["an action by its branch", /checkout@\S+ #.*/, "checkout@main # v5.0.0", "is not pinned"],
    ["a commit whose version nobody can read", /(checkout@\S+) #.*/, "$1", "is not pinned"],
    ["no macOS", "macos-latest", "windows-latest", "lacks Linux or macOS"],
    ["no Linux", "ubuntu-latest", "windows-latest", "lacks Linux or macOS"],
    ["a Node less", "[22, 24, 26]", "[22, 24]", "lacks one of 22, 24, 26"],
    ["another Node in place of the matrix's", /node-version: .*/, "node-version: 24", "does not get matrix.node"],
    ["the pinned Node in every column", / {4}env:\n.*\n.*\n/, "", "tests the pinned one"],
    ["a switch that a step takes back", "run: npm test\n", STEP_ON_PINNED, "tests the pinned one"],
    ["one system for all", /runs-on: .*/, "runs-on: ubuntu-latest", "does not run on matrix.os"],
    [
      "combinations left out",
      "      matrix:\n",
      "      matrix:\n        exclude: [{ node: 26 }]\n",
      "leaves combinations out",
    ],
    ["no tests", "run: npm test\n", "run: npm run check\n", "npm test is not run"],
    ["no chaos", "npm run test:chaos", "npm run check", "test:chaos is not run after"],
    [
      "tests that may fail",
      "run: npm test\n",
      "run: npm test\n        continue-on-error: true\n",
      "may be left out or fail",
    ],
    [
      "a job that may be left out",
      "    timeout-minutes:",
      "    if: github.ref == 'x'\n    timeout-minutes:",
      "may be left out",
    ],
  ])("%s", (_, from, to, said) => {
    expect(faultsWith(from, to).join("\n")).toContain(said);
  });

  test("chaos before the tests", () => {
    const swapped = ours
      .replace("run: npm test\n", "run: first\n")
      .replace("run: npm run test:chaos", "run: npm test")
      .replace("run: first\n", "run: npm run test:chaos\n");
    expect(findWorkflowFaults([{ path, text: swapped }], SCRIPTS)).toEqual([
      expect.stringContaining("test:chaos is not run after npm test"),
    ]);
  });
});

test("knows the scripts that a step runs", () => {
  expect(npmScripts("npm ci && npm run build -- --x\nnpm test; npm start")).toEqual(["build", "test", "start"]);
  expect(npmScripts("npm run-script a:b\nnpm tests\nnpx test")).toEqual(["a:b"]);
});
