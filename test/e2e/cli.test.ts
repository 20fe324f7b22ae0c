import { spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { demo } from "../../src/cli/commands/demo.ts";
import { startPalimpsest } from "../support/palimpsest-process.ts";

const MAIN = resolve(import.meta.dirname, "../../src/cli/main.ts");

function palimpsest(...commandArguments: readonly string[]) {
  const { status, stdout, stderr } = spawnSync("node", [MAIN, ...commandArguments], { encoding: "utf8" });
  return { status, stdout, stderr };
}

const shown = palimpsest("demo");
const told = palimpsest("demo", "--json");

test("demo prints plain lines and a table of the strategies where there is no terminal", () => {
  const { status, stdout } = shown;
  expect(status).toBe(0);
  expect(stdout).not.toContain("\x1b");
  expect(stdout).toContain("the condensing model is scripted");
  expect(stdout.match(/^ {2}turn +\d+ {2}█*▒*·*▶? {2} *[\d,]+ → +[\d,]+ {2}.*condense/gm)?.length).toBeGreaterThan(4);
  expect(stdout).toMatch(/^ +ledger +summary +snapshot +truncation$/m);
  for (const row of ["overflows", "invalid views", "bytes lost"]) {
    expect(stdout).toMatch(new RegExp(`^  ${row} +0 +0 +0 +0$`, "m"));
  }
  for (const row of ["largest view", "condensations", "  model calls", "sent in all turns", "facts still visible"]) {
    expect(stdout).toMatch(new RegExp(`^  ${row} +[\\d,]+ +[\\d,]+ +[\\d,]+ +[\\d,]+`, "m"));
  }
});

test("demo ends by recalling a fact that the ledger's view hides", () => {
  const [end = ""] = shown.stdout.split("\n\n").slice(-2);
  expect(end).toMatch(/^ {2}recall, for .*: [\d,]+ tokens in [\d,]+ ms, index included$/m);
  expect(end).toMatch(/^ {4}✓ m-\d{3} │ .*640 pages an hour/m);
  expect(end).toMatch(/^ {2}\d+ of \d+ hidden facts are found by one recall each/m);
});

test("demo fits a screen of 45 lines and 100 columns", () => {
  const lines = shown.stdout.split("\n");
  expect(lines.length).toBeLessThanOrEqual(45);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
});

test("in a terminal, demo redraws a line at every turn and leaves on the screen what it prints elsewhere", async () => {
  const eraseLine = "\r\x1b[K";
  const writes: string[] = [];
  const status = await demo([], { isTTY: true, write: (text: string) => writes.push(text) });
  const redrawn = writes.filter((text) => text.startsWith(eraseLine) && text.endsWith(" of 32,000 tokens"));
  const turns = redrawn.map((text) => /(\S+) +turn +(\d+) \/ 82 {2}█*·* {2}[\d,]+ of/.exec(text)?.slice(1));
  const expected = ["ledger", "summary", "snapshot", "truncation"].flatMap((strategy) =>
    Array.from({ length: 82 }, (_, index) => [strategy, String(index + 1)]),
  );
  expect(turns).toEqual(expected);
  const untimed = (text: string) => text.replace(/in [\d,]+ ms/, "in some ms");
  const screen = untimed(writes.join(""))
    .split("\n")
    .map((line) => line.split(eraseLine).at(-1));
  expect({ status, screen }).toEqual({ status: shown.status, screen: untimed(shown.stdout).split("\n") });
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
  const { status, stdout } = told;
  expect(status).toBe(0);
  const report = JSON.parse(stdout);
  const whole = { overflows: 0, invalidViews: 0, bytesLost: 0, hashAfter: report.hashBefore };
  expect(report).toMatchObject({ ...whole, contextWindow: 32_000, condensingModel: "scripted", facts: 16 });
  expect(report.hashBefore).toMatch(/^[0-9a-f]{64}$/);
  expect(report.runs).toMatchObject(
    ["ledger", "summary", "snapshot", "truncation"].map((strategy) => ({
      ...whole,
      strategy,
      hashBefore: report.hashBefore,
    })),
  );
});

test("demo --json tells of the recall: what was asked, what was hidden, what was found", () => {
  const { recall, hiddenFacts, runs } = JSON.parse(told.stdout);
  expect(recall).toEqual({
    question: "How many feed pages an hour are free?",
    answer: "640 pages an hour",
    isHiddenInView: true,
    isFound: true,
    tokens: expect.any(Number),
    excerpt: expect.stringContaining("640 pages an hour"),
    messageId: "m-003",
  });
  expect(recall.tokens).toBeLessThanOrEqual(1_500);
  expect(hiddenFacts.total).toBe(16 - runs[0].factsVisible);
  expect(hiddenFacts.found).toBeGreaterThan(hiddenFacts.total / 2);
});

test("demo tells the same every time", () => {
  expect(palimpsest("demo", "--json").stdout).toBe(told.stdout);
});

test("demo --up serves the replayed session until it is told to end, and its recall finds the hidden fact", async () => {
  const running = startPalimpsest(["demo", "--json", "--up", "--port", "0"]);
  const output = await running.shows(/Ctrl-C ends this one\.\n/);
  const [, recallUrl = ""] = /curl "(http:\S+recall\S+)"/.exec(output) ?? [];
  expect(await (await fetch(recallUrl)).text()).toContain("640 pages an hour");
  running.kill("SIGTERM");
  expect(await running.ended).toMatchObject({ code: 0, signal: null, stderr: "" });
});

test("help and version are there; what makes no sense exits with 2 and says what would", () => {
  expect(palimpsest("--help")).toMatchObject({ status: 0, stdout: expect.stringContaining("demo") });
  expect(palimpsest("demo", "--help")).toMatchObject({ status: 0, stdout: expect.stringContaining("--json") });
  expect(palimpsest("--version")).toMatchObject({ status: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  expect(palimpsest("dmeo")).toMatchObject({ status: 2, stderr: expect.stringContaining("dmeo") });
  expect(palimpsest("demo", "--port", "70000")).toMatchObject({ status: 2, stderr: expect.stringContaining("70000") });
  expect(palimpsest("demo", "--jsno")).toMatchObject({ status: 2, stderr: expect.stringContaining("--json") });
});

/** A device that is always full. */
const FULL = "/dev/full";

test.skipIf(!existsSync(FULL)).each([["--help"], ["--version"], ["demo", "--json"], ["inspect", "--help"]])(
  "output that cannot be written is told in one line: %s %s",
  (...commandArguments) => {
    const full = openSync(FULL, "w");
    try {
      const given = commandArguments.filter((each) => each !== undefined);
      const { status, stderr } = spawnSync("node", [MAIN, ...given], {
        encoding: "utf8",
        stdio: ["ignore", full, "pipe"],
      });
      expect(status).toBe(1);
      expect(stderr).toMatch(/^palimpsest: The output could not be written \(ENOSPC.*\n$/);
    } finally {
      closeSync(full);
    }
  },
);
