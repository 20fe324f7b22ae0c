import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { demo } from "../../src/cli/commands/demo.ts";

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

test("in a terminal, demo redraws a line at every turn and leaves on the screen what it prints elsewhere", async () => {
  const eraseLine = "\r\x1b[K";
  const writes: string[] = [];
  const status = await demo([], { isTTY: true, write: (text: string) => writes.push(text) });
  const redrawn = writes.filter((text) => text.startsWith(eraseLine) && text.endsWith(" of 32,000 tokens"));
  const turns = redrawn.map((text) => /turn +(\d+) \/ (\d+) {2}█*░* {2}[\d,]+ of/.exec(text)?.slice(1).map(Number));
  expect(turns.length).toBeGreaterThan(1);
  expect(turns).toEqual(redrawn.map((_, index) => [index + 1, redrawn.length]));
  const screen = writes
    .join("")
    .split("\n")
    .map((line) => line.split(eraseLine).at(-1));
  const elsewhere = palimpsest("demo");
  expect({ status, screen }).toEqual({ status: elsewhere.status, screen: elsewhere.stdout.split("\n") });
});

test.each([
  ["demo", "head -n 2", 0],
  ["demo", "true", 0],
  ["demo --json", "true", 0],
  ["--help", "true", 0],
  ["dmeo 2>&1", "true", 2],
])("%s ends quietly when its reader, %s, has seen enough", (command, reader, status) => {
  const pipeline = `exec 3>&2; { node "$0" ${command}; echo "exit code $?" >&3; } | ${reader}`;
  const { stderr } = spawnSync("sh", ["-c", pipeline, MAIN], { encoding: "utf8" });
  expect(stderr).toBe(`exit code ${status}\n`);
});

test("demo --json prints nothing but JSON", () => {
  const { status, stdout } = palimpsest("demo", "--json");
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ overflows: 0, invalidViews: 0, bytesLost: 0, contextWindow: 32_000 });
});

test("help and version are there; what makes no sense exits with 2 and says what would", () => {
  expect(palimpsest("--help")).toMatchObject({ status: 0, stdout: expect.stringContaining("demo") });
  expect(palimpsest("demo", "--help")).toMatchObject({ status: 0, stdout: expect.stringContaining("--json") });
  expect(palimpsest("--version")).toMatchObject({ status: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  expect(palimpsest("dmeo")).toMatchObject({ status: 2, stderr: expect.stringContaining("dmeo") });
  expect(palimpsest("demo", "--jsno")).toMatchObject({ status: 2, stderr: expect.stringContaining("--json") });
});
