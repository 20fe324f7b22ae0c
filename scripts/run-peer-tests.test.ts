import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../test/support/temporary-folder.ts";

const SCRIPT = join(import.meta.dirname, "run-peer-tests.ts");

function runOn(folder: string) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, folder], { encoding: "utf8" });
  return { status, lines: stdout.split("\n"), stderr };
}

test("says of each test of another project whether ours does the same, and why not", () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "core"));
  writeFileSync(
    join(folder, "core/tokenLimits.test.js"),
    `import { expect, test } from "vitest";
import { DEFAULT_TOKEN_LIMIT, tokenLimit } from "./tokenLimits.js";
test("a model that both know", () => expect(tokenLimit("gemini-2.5-pro")).toBe(1_048_576));
test("one that nobody knows", () => expect(DEFAULT_TOKEN_LIMIT).toBe(1_048_576));
test("something else", () => expect(tokenLimit("gemini-2.5-pro")).toBe(5));
`,
  );
  const { status, lines } = runOn(folder);
  expect(lines).toEqual([
    "Gemini CLI: core/tokenLimits.test.js",
    "  same: a model that both know",
    expect.stringMatching(/^ {2}differs on purpose: one that nobody knows: an unknown model has 200,000 tokens/),
    expect.stringMatching(/^ {2}differs: something else: expected 1048576 to be 5/),
    "3 tests: 1 the same, 1 differ on purpose, 1 differ",
    "",
  ]);
  expect(status).toBe(1);
});

test("says what it needs where it finds nothing", () => {
  const { status, stderr } = runOn(temporaryFolder());
  expect(stderr).toMatch(/No tests of Gemini CLI or Roo Code are in /);
  expect(status).toBe(2);
});
