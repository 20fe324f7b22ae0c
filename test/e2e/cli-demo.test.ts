/** What takes a whole demo each time; `cli.test.ts` has what one demo shows. */
import { spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { demo } from "../../src/cli/commands/demo.ts";
import { demoSession } from "../../src/cli/demo/session/demo-session.ts";
import { PALIMPSEST_MAIN, runPalimpsest, startPalimpsest } from "../support/palimpsest-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

test("in a terminal, demo redraws a line at every turn and leaves on the screen what it prints elsewhere", async () => {
  const shown = runPalimpsest("demo");
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
  ["demo", "head -n 2"],
  ["demo", "true"],
  ["demo --json", "true"],
])("%s ends quietly when its reader, %s, has seen enough", (command, reader) => {
  const pipeline = `exec 3>&2; { node "$0" ${command}; echo "exit code $?" >&3; } | ${reader}`;
  const { stderr } = spawnSync("sh", ["-c", pipeline, PALIMPSEST_MAIN], { encoding: "utf8" });
  expect(stderr).toBe("exit code 0\n");
});

/** A device that is always full. */
const FULL = "/dev/full";

test.skipIf(!existsSync(FULL))("demo tells in one line that its output cannot be written", () => {
  const full = openSync(FULL, "w");
  try {
    const { status, stderr } = spawnSync("node", [PALIMPSEST_MAIN, "demo", "--json"], {
      encoding: "utf8",
      stdio: ["ignore", full, "pipe"],
    });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^palimpsest: The output could not be written \(ENOSPC.*\n$/);
  } finally {
    closeSync(full);
  }
});

test("demo tells the same every time", () => {
  expect(runPalimpsest("demo", "--json").stdout).toBe(runPalimpsest("demo", "--json").stdout);
});

test("demo --up prints the dashboard's address before anything else, and it answers while the demo runs", async () => {
  const running = startPalimpsest(["demo", "--up", "--port", "0"]);
  const begun = await running.shows(/\n/);
  const [, dashboard = ""] = /^The dashboard: (http:\S+\/palimpsest\/)\n/.exec(begun) ?? [];
  expect(await (await fetch(dashboard)).text()).toContain("<!doctype html>");
  const output = await running.shows(/Ctrl-C ends this one\.\n/);
  expect(output).toContain(`The dashboard: ${dashboard}#/session/demo/strata`);
  running.kill("SIGTERM");
  expect(await running.ended).toMatchObject({ code: 0, signal: null, stderr: "" });
});

test("demo --html leaves the page that inspect --html writes of the same session, and says where", async () => {
  const folder = temporaryFolder();
  const [left, inspected, file] = ["left.html", "inspected.html", "demo.json"].map((name) => join(folder, name));
  if (left === undefined || inspected === undefined || file === undefined) throw new Error("three paths");
  expect(runPalimpsest("demo", "--html", left)).toMatchObject({ status: 0, stdout: expect.stringContaining(left) });
  writeFileSync(file, JSON.stringify(demoSession()));
  expect(runPalimpsest("inspect", file, "--window", "32k", "--html", inspected)).toMatchObject({ status: 0 });
  const dataIn = (path: string) => {
    const [, data = ""] = /id="report-data">([^<]*)</.exec(readFileSync(path, "utf8")) ?? [];
    return JSON.parse(data);
  };
  const { name: _, format: _1, ...session } = dataIn(inspected);
  expect(dataIn(left)).toMatchObject(session);
  expect(session.messages).toBe(demoSession().length);
});
