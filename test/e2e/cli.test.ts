import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { expect, test } from "vitest";

const MAIN = resolve(import.meta.dirname, "../../src/cli/main.ts");

function palimpsest(...commandArguments: readonly string[]) {
  const { status, stdout, stderr } = spawnSync("node", [MAIN, ...commandArguments], { encoding: "utf8" });
  return { status, stdout, stderr };
}

test("demo prints plain lines and a table where there is no terminal", () => {
  const { status, stdout } = palimpsest("demo");
  expect(status).toBe(0);
  expect(stdout).not.toContain("\x1b");
  expect(stdout).toMatch(/^turn +\d+ \/ \d+ .*→ .* tokens$/m);
  for (const row of [
    "turns",
    "largest view",
    "overflows        0",
    "folds",
    "messages hidden",
    "tokens hidden",
    "bytes lost       0",
  ]) {
    expect(stdout).toContain(`  ${row}`);
  }
});

test("demo --json prints nothing but JSON", () => {
  const { status, stdout } = palimpsest("demo", "--json");
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ overflows: 0, invalidViews: 0, bytesLost: 0, contextWindow: 32_000 });
});

test("help and version are there; what makes no sense exits with 2 and says what would", () => {
  expect(palimpsest("--help")).toMatchObject({ status: 0, stdout: expect.stringContaining("demo") });
  expect(palimpsest("--version")).toMatchObject({ status: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  expect(palimpsest("dmeo")).toMatchObject({ status: 2, stderr: expect.stringContaining("dmeo") });
  expect(palimpsest("demo", "--jsno")).toMatchObject({ status: 2, stderr: expect.stringContaining("--json") });
});
