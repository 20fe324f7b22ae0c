import { spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PALIMPSEST_MAIN, runPalimpsest, startPalimpsest } from "../support/palimpsest-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const shown = runPalimpsest("demo");
const told = runPalimpsest("demo", "--json");

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

test.each([
  ["--help", "true", 0],
  ["dmeo 2>&1", "true", 2],
])("%s ends quietly when its reader, %s, has seen enough", (command, reader, status) => {
  const pipeline = `exec 3>&2; { node "$0" ${command}; echo "exit code $?" >&3; } | ${reader}`;
  const { stderr } = spawnSync("sh", ["-c", pipeline, PALIMPSEST_MAIN], { encoding: "utf8" });
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

test("demo --up serves the replayed session until it is told to end, and its recall finds the hidden fact", async () => {
  const running = startPalimpsest(["demo", "--json", "--up", "--port", "0"]);
  const output = await running.shows(/Ctrl-C ends this one\.\n/);
  const [, recallUrl = ""] = /curl "(http:\S+recall\S+)"/.exec(output) ?? [];
  expect(await (await fetch(recallUrl)).text()).toContain("640 pages an hour");
  // The dashboard has something to show on every screen: prices, and requests that can be compared.
  const read = async (path: string) =>
    JSON.parse(await (await fetch(new URL(`/palimpsest/api/sessions/demo${path}`, recallUrl))).text());
  expect(await read("/statement")).toMatchObject({
    unpriced: 0,
    coldCalls: 0,
    folds: [{ costUsd: expect.any(Number) }, {}],
  });
  const { requests }: { requests: readonly { foldIds: readonly string[] }[] } = await read("/requests?limit=100");
  const folded = requests.findIndex(({ foldIds }) => foldIds.length > 0);
  expect(await read(`/requests/${folded - 1}/diff/${folded}`)).toMatchObject({
    cause: "us",
    sharedBytes: expect.any(Number),
  });
  running.kill("SIGTERM");
  expect(await running.ended).toMatchObject({ code: 0, signal: null, stderr: "" });
});

test.each([
  ["up", "incidents"],
  ["run", "nothing"],
  ["condense", "nothing"],
])("%s --help says what it logs by default: %s", (command, what) => {
  expect(runPalimpsest(command, "--help").stdout).toMatch(
    new RegExp(`^  --log-level LEVEL.*\\(default: ${what}\\)$`, "m"),
  );
});

test("help and version are there; what makes no sense exits with 2 and says what would", () => {
  expect(runPalimpsest("--help")).toMatchObject({ status: 0, stdout: expect.stringContaining("demo") });
  expect(runPalimpsest("demo", "--help")).toMatchObject({ status: 0, stdout: expect.stringContaining("--json") });
  expect(runPalimpsest("--version")).toMatchObject({ status: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  expect(runPalimpsest("dmeo")).toMatchObject({ status: 2, stderr: expect.stringContaining("dmeo") });
  expect(runPalimpsest("demo", "--port", "70000")).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("70000"),
  });
  expect(runPalimpsest("demo", "--jsno")).toMatchObject({ status: 2, stderr: expect.stringContaining("--json") });
});

/** A device that is always full. */
const FULL = "/dev/full";

const SESSION_TEXT = JSON.stringify([
  { role: "user", content: "How many lamps are lit?" },
  { role: "assistant", content: "All twelve." },
]);

test
  .skipIf(!existsSync(FULL))
  .each([
    [["--help"]],
    [["--version"]],
    [["inspect", "--help"]],
    [["inspect", "session.json"]],
    [["inspect", "session.json", "--json"]],
  ])("output that cannot be written is told in one line: %j", (given) => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "session.json"), SESSION_TEXT);
  const full = openSync(FULL, "w");
  try {
    const { status, stderr } = spawnSync("node", [PALIMPSEST_MAIN, ...given], {
      cwd: folder,
      encoding: "utf8",
      stdio: ["ignore", full, "pipe"],
    });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^palimpsest: The output could not be written \(ENOSPC.*\n$/);
  } finally {
    closeSync(full);
  }
});
