import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { demo } from "../../src/cli/commands/demo.ts";

const MAIN = resolve(import.meta.dirname, "../../src/cli/main.ts");

function palimpsest(...commandArguments: readonly string[]) {
  const { status, stdout, stderr } = spawnSync("node", [MAIN, ...commandArguments], { encoding: "utf8" });
  return { status, stdout, stderr };
}

test("demo prints plain lines and a table of the strategies where there is no terminal", () => {
  const { status, stdout } = palimpsest("demo");
  expect(status).toBe(0);
  expect(stdout).not.toContain("\x1b");
  expect(stdout).toContain("The condensing model is scripted");
  expect(stdout.match(/^ {2}turn +\d+ {2}█*▒*·*▶? {2} *[\d,]+ → +[\d,]+ {2}.*condense/gm)?.length).toBeGreaterThan(4);
  expect(stdout).toMatch(/^ +summary +snapshot +no model$/m);
  for (const row of ["overflows", "invalid views", "bytes lost"]) {
    expect(stdout).toMatch(new RegExp(`^  ${row} +0 +0 +0$`, "m"));
  }
  for (const row of ["largest view", "condensations", "  model calls", "sent in all turns", "facts still visible"]) {
    expect(stdout).toMatch(new RegExp(`^  ${row} +[\\d,]+ +[\\d,]+ +[\\d,]+`, "m"));
  }
});

test("demo fits a screen of 45 lines and 100 columns", () => {
  const lines = palimpsest("demo").stdout.split("\n");
  expect(lines.length).toBeLessThanOrEqual(45);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
});

test("in a terminal, demo redraws a line at every turn and leaves on the screen what it prints elsewhere", async () => {
  const eraseLine = "\r\x1b[K";
  const writes: string[] = [];
  const status = await demo([], { isTTY: true, write: (text: string) => writes.push(text) });
  const redrawn = writes.filter((text) => text.startsWith(eraseLine) && text.endsWith(" of 32,000 tokens"));
  const turns = redrawn.map((text) => /(\S+) +turn +(\d+) \/ 82 {2}█*·* {2}[\d,]+ of/.exec(text)?.slice(1));
  const expected = ["summary", "snapshot", "model"].flatMap((strategy) =>
    Array.from({ length: 82 }, (_, index) => [strategy, String(index + 1)]),
  );
  expect(turns).toEqual(expected);
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

test("demo --json prints nothing but JSON: the whole, and each strategy", () => {
  const { status, stdout } = palimpsest("demo", "--json");
  expect(status).toBe(0);
  const report = JSON.parse(stdout);
  const whole = { overflows: 0, invalidViews: 0, bytesLost: 0, hashAfter: report.hashBefore };
  expect(report).toMatchObject({ ...whole, contextWindow: 32_000, condensingModel: "scripted", facts: 16 });
  expect(report.hashBefore).toMatch(/^[0-9a-f]{64}$/);
  expect(report.runs).toMatchObject(
    ["summary", "snapshot", "ladder"].map((strategy) => ({ ...whole, strategy, hashBefore: report.hashBefore })),
  );
});

test("demo tells the same every time", () => {
  expect(palimpsest("demo", "--json").stdout).toBe(palimpsest("demo", "--json").stdout);
});

test("help and version are there; what makes no sense exits with 2 and says what would", () => {
  expect(palimpsest("--help")).toMatchObject({ status: 0, stdout: expect.stringContaining("demo") });
  expect(palimpsest("demo", "--help")).toMatchObject({ status: 0, stdout: expect.stringContaining("--json") });
  expect(palimpsest("--version")).toMatchObject({ status: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  expect(palimpsest("dmeo")).toMatchObject({ status: 2, stderr: expect.stringContaining("dmeo") });
  expect(palimpsest("demo", "--jsno")).toMatchObject({ status: 2, stderr: expect.stringContaining("--json") });
});
