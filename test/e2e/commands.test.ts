import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { countTextTokens } from "../../src/core/tokens/o200k/count-text-tokens.ts";
import { PALIMPSEST_MAIN } from "../support/palimpsest-process.ts";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-commands-"));
const session = join(folder, "session.jsonl");

beforeAll(() => writeFileSync(session, claudeCodeSession(30)));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function palimpsest(...commandArguments: readonly string[]) {
  return palimpsestReading("", ...commandArguments);
}

function palimpsestReading(input: string, ...commandArguments: readonly string[]) {
  const { status, stdout, stderr } = spawnSync("node", [PALIMPSEST_MAIN, ...commandArguments], {
    encoding: "utf8",
    input,
  });
  return { status, stdout, stderr };
}

/** A small session as Claude Code saves it: a goal, then files that are read, one of them again and again. */
function claudeCodeSession(turns: number): string {
  const lines: object[] = [];
  const add = (type: "user" | "assistant", content: unknown, fields: object = {}) => {
    const uuid = `u${lines.length}`;
    const parentUuid = lines.length === 0 ? null : `u${lines.length - 1}`;
    const timestamp = new Date(1_700_000_000_000 + 1_000 * lines.length).toISOString();
    const message = { role: type, content, ...fields };
    lines.push({ type, uuid, parentUuid, sessionId: "s1", cwd: "/app", isSidechain: false, timestamp, message });
  };
  add("user", "Find out why the tide table of Skagen is wrong.");
  for (let turn = 0; turn < turns; turn++) {
    const path = turn % 3 === 0 ? "/app/src/tide.ts" : `/app/src/station-${turn}.ts`;
    const id = `toolu_${turn}`;
    const input = { file_path: path };
    add("assistant", [{ type: "tool_use", id, name: "Read", input }], {
      id: `msg_${turn}`,
      model: "claude-sonnet-4-5",
    });
    const body = `export const level${turn % 3 === 0 ? "" : turn} = ${4_000 + (turn % 3 === 0 ? 0 : turn)}; // metres\n`;
    add("user", [{ type: "tool_result", tool_use_id: id, content: body.repeat(25) }]);
  }
  add("assistant", [{ type: "text", text: "The harbour offset HARBOUR_OFFSET_MM was 4711." }], { id: "msg_end" });
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

describe("eval", () => {
  test("measures every strategy on the sessions of a folder, and draws them", () => {
    const sessions = join(folder, "sessions");
    const plot = join(folder, "plot.svg");
    mkdirSync(sessions);
    writeFileSync(join(sessions, "long.jsonl"), claudeCodeSession(80));
    writeFileSync(join(sessions, "settings.json"), "{}");
    const { status, stdout, stderr } = palimpsest("eval", sessions, "--plot", plot);
    expect({ status, stderr }).toEqual({ status: 0, stderr: `palimpsest: measuring the sessions in ${sessions} …\n` });
    expect(stdout).toMatch(/^everything \(reference\) +\d/m);
    expect(stdout).toMatch(/^keep-last +\d/m);
    expect(stdout).toContain("1 session read; 1 other file passed over.");
    expect(readFileSync(plot, "utf8")).toMatch(/^<svg .*<\/svg>\s*$/s);
    const again = JSON.parse(palimpsest("eval", sessions, "--json").stdout);
    expect(again.rows.length).toBeGreaterThan(5);

    const nowhere = palimpsest("eval", sessions, "--plot", join(folder, "no", "such", "plot.svg"));
    expect(nowhere).toMatchObject({ status: 1, stderr: expect.stringMatching(/Cannot write .*plot\.svg/) });
    expect(nowhere.stdout).toContain("1 session read");
    const over = palimpsest("eval", sessions, "--plot", join(sessions, "long.jsonl"));
    expect(over).toMatchObject({ status: 1, stderr: expect.stringContaining("is one of the sessions") });
  });

  test("says what is missing where nothing can be measured", () => {
    const empty = join(folder, "empty");
    mkdirSync(empty);
    expect(palimpsest("eval", empty)).toMatchObject({ status: 1, stderr: expect.stringContaining("long enough") });
    expect(palimpsest("eval", session)).toMatchObject({ status: 1, stderr: expect.stringContaining("is no folder") });
    expect(palimpsest("eval")).toMatchObject({ status: 2, stderr: expect.stringContaining("<folder> is missing") });
    expect(palimpsest("eval", "--help").stdout).toMatch(/^Usage: palimpsest eval <folder>/);
  });
});

describe("inspect", () => {
  test("shows what fills the context, as plain text where there is no terminal", () => {
    const { status, stdout, stderr } = palimpsest("inspect", session);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).not.toContain("\x1b");
    expect(stdout).toContain("claude-code · claude-sonnet-4-5 · 62 messages · 31 model calls");
    expect(stdout).toMatch(/^ {2}tool results +█+ +[\d,]+ +\d+ % +30 ×$/m);
    expect(stdout).toMatch(/^ +10 +[\d,]+ +[\d,]+ {2}Read src\/tide\.ts$/m);
    expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(110);
  });

  test("--json holds all numbers, and --window says what would be folded", () => {
    const { status, stdout } = palimpsest("inspect", session, "--json", "--window", "12k", "--top", "3");
    expect(status).toBe(0);
    const inspection = JSON.parse(stdout);
    expect(inspection).toMatchObject({ messages: 62, modelCalls: 31, pairs: { calls: 30, answered: 30, open: [] } });
    expect(inspection.biggest).toHaveLength(3);
    expect(inspection.growth.calls).toHaveLength(31);
    expect(inspection.folding).toMatchObject({ contextWindow: 12_000, outcome: "folded" });
    expect(inspection.folding.tokens).toBeLessThanOrEqual(inspection.folding.allowedTokens);
  });

  test("writes a page for browsers, and never over the session", () => {
    const page = join(folder, "report.html");
    const { status, stdout } = palimpsest("inspect", session, "--window", "12k", "--html", page);
    expect([status, stdout]).toEqual([0, expect.stringContaining(`The page is in ${page}.`)]);
    const html = readFileSync(page, "utf8");
    expect(html).toMatch(/^<!doctype html>/);
    expect(html).toContain("default-src 'none'; script-src 'sha256-");
    expect(html).toContain("tide table of Skagen");
    const over = palimpsest("inspect", session, "--html", session);
    expect(over).toMatchObject({ status: 1, stderr: expect.stringContaining("is the session itself") });
    expect(readFileSync(session, "utf8")).toBe(claudeCodeSession(30));
  });

  test("reads standard input, also in pieces, and tells what is half-written", async () => {
    const half = claudeCodeSession(5).slice(0, -30);
    const { status, stdout } = palimpsestReading(half, "inspect", "-", "--json");
    expect(status).toBe(0);
    expect(JSON.parse(stdout).problems).toEqual([{ where: "line 12", reason: "The last line is only half there." }]);

    const process = spawn("node", [PALIMPSEST_MAIN, "inspect", "-"]);
    for (let start = 0; start < half.length; start += 1_000) process.stdin.write(half.slice(start, start + 1_000));
    process.stdin.end();
    const [shown, [code]] = await Promise.all([readAll(process.stdout), once(process, "close")]);
    expect({ code, shown }).toEqual({ code: 0, shown: expect.stringContaining("standard input\n") });
  });
});

describe("compact", () => {
  test.each(["ledger", "ladder", "mask", "truncate"])("by %s prints a view that is not over the budget", (strategy) => {
    const { status, stdout } = palimpsest("compact", session, "--budget", "2000", "--strategy", strategy, "--json");
    expect(status).toBe(0);
    const view = JSON.parse(stdout);
    expect(Object.keys(view)).toEqual(["budgetTokens", "tokens", "folds", "messages", "text"]);
    expect(view.budgetTokens).toBe(2_000);
    expect(view.tokens).toBeLessThanOrEqual(2_000);
    expect(countTextTokens(view.text)).toBeLessThanOrEqual(2_000);
    expect(view.folds.length).toBeGreaterThan(0);
    expect(view.text).toContain("HARBOUR_OFFSET_MM was 4711");
  });

  test("prints the view alone, and tells the person beside it what came of it", () => {
    const { status, stdout, stderr } = palimpsest("compact", session, "--budget", "2k");
    expect(status).toBe(0);
    expect(stdout).toMatch(/^Find out why the tide table of Skagen is wrong\.$/m);
    expect(stderr).toMatch(/^[\d,]+ of 2,000 tokens · \d+ folds?: .+\n$/);
  });

  test.each(["claude-code", "codex", "roo", "anthropic", "openai"])("writes %s, which inspect reads", (format) => {
    const path = join(folder, `view-${format}`);
    const { status, stdout, stderr } = palimpsest(
      "compact",
      session,
      "--budget",
      // Enough for a call in the newest messages: texts alone are the same in several formats.
      "4k",
      "--to",
      format,
      "--output",
      path,
    );
    expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
    expect(stderr).toContain(`written to ${path}`);
    const inspection = JSON.parse(palimpsest("inspect", path, "--json").stdout);
    expect(inspection).toMatchObject({ format, problems: [] });
    expect(inspection.tokens).toBeLessThanOrEqual(4_000);
  });

  test("with --to and --json, messages are in that format", () => {
    const { stdout } = palimpsest("compact", session, "--budget", "2k", "--to", "gemini", "--json");
    const { messages } = JSON.parse(stdout);
    expect(messages[0].role).toBe("user");
    expect(messages[0].parts[0]).toEqual({ text: expect.stringContaining("tide table") });
  });

  test("a budget that nothing fits in fails, and names one that does", () => {
    const { status, stdout, stderr } = palimpsest("compact", session, "--budget", "5");
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    const enough = /Pass --budget (\d+) or more/.exec(stderr)?.[1] ?? "";
    expect(stderr).toContain(session);
    expect(palimpsest("compact", session, "--budget", enough).status).toBe(0);
  });

  test("never writes over the session that it reads, nor where it cannot", () => {
    const before = readFileSync(session, "utf8");
    const over = palimpsest("compact", session, "--budget", "2k", "--output", join(folder, ".", "session.jsonl"));
    expect(over).toMatchObject({ status: 1, stderr: expect.stringContaining("Name another file") });
    expect(readFileSync(session, "utf8")).toBe(before);
    const nowhere = palimpsest("compact", session, "--budget", "2k", "--output", join(folder, "no/such/folder"));
    expect(nowhere).toMatchObject({ status: 1, stderr: expect.stringContaining("Cannot write") });
  });
});

describe("recall", () => {
  test("prints excerpts with the ids of their messages", () => {
    const { status, stdout } = palimpsest("recall", session, "harbour offset");
    expect(status).toBe(0);
    expect(stdout).toContain("message msg_end · assistant, text · line 1");
    expect(stdout).toContain("  The harbour offset HARBOUR_OFFSET_MM was 4711.");
  });

  test("--json holds hits and what an agent would get, within the budget", () => {
    const { status, stdout } = palimpsest("recall", session, "station level", "--budget", "400", "--json");
    expect(status).toBe(0);
    const answer = JSON.parse(stdout);
    expect(answer).toMatchObject({ query: "station level", budgetTokens: 400 });
    expect(answer.hits.length).toBeGreaterThan(0);
    expect(countTextTokens(answer.text)).toBe(answer.tokens);
    expect(answer.tokens).toBeLessThanOrEqual(400);
  });

  test("tells what is not there from what does not fit; neither is a failure", () => {
    const absent = palimpsest("recall", session, "zeppelin");
    expect(absent).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^Nothing in .* matches "zeppelin"\.\n$/),
    });
    const tight = palimpsest("recall", session, "harbour", "--budget", "5");
    expect(tight).toMatchObject({ status: 0, stdout: expect.stringContaining("No match fits in 5 tokens") });
  });
});

describe("bad calls", () => {
  const notes = join(folder, "notes.txt");
  const subfolder = join(folder, "sub");
  beforeAll(() => {
    writeFileSync(notes, "milk, eggs\n");
    mkdirSync(subfolder);
  });

  test.each([
    [["inspect"], 2, "<file> is missing"],
    [["inspect", "x", "--jsno"], 2, "Did you mean --json?"],
    [["inspect", "x", "--from", "codx"], 2, "Did you mean codex?"],
    [["inspct", "x"], 2, "Did you mean inspect?"],
    [
      ["banana"],
      2,
      'no command "banana". The commands are run, up, config, doctor, inspect, compact, recall, sessions, condense, pin, mcp, restore, rewind, checkpoint, verify, statement, store, eval, demo.',
    ],
    [["compact", "x"], 2, "--budget is missing"],
    [["compact", "x", "--budget", "lots"], 2, '--budget is "lots"'],
    [["compact", "x", "--budget", "8k", "--strategy", "legder"], 2, "Did you mean ledger?"],
    [["compact", "x", "--budget", "8k", "--to", "antropic"], 2, "Did you mean anthropic?"],
    [["recall", "x"], 2, "<query> is missing"],
    [["statement"], 2, "<session> is missing"],
    [["recall", "x", "  "], 2, "<query> is empty"],
    [["inspect", join(folder, "missing.jsonl")], 1, "missing.jsonl: there is no such file"],
    [["inspect", subfolder], 1, "it is a folder"],
    [["inspect", notes], 1, "notes.txt: The content is of no format that we know"],
    [["inspect", "-"], 1, "standard input: The file is empty"],
  ])("%j exits with %i and says %s", (commandArguments, status, reason) => {
    const ended = palimpsest(...commandArguments);
    expect(ended).toMatchObject({ status, stdout: "" });
    expect(ended.stderr).toContain(reason);
    expect(ended.stderr).not.toMatch(/^ +at /m);
  });

  test.each([
    ["run", "--no-checkpoints"],
    ["run", "--no-recall"],
    ["mcp", "--session ID"],
    ["up", "--checkpoints FOLDER"],
    ["up", "--recall-tool"],
    ["run", "--recall-tool"],
    ["up", "--keep-requests WHICH"],
    ["rewind", "--yes"],
    ["statement", "--all"],
  ])("%s --help tells of %s", (command, option) => {
    expect(palimpsest(command, "--help").stdout).toMatch(new RegExp(`^  ${option} +\\S`, "m"));
  });

  test.each(["inspect", "compact", "recall"])("%s --help says what help says about it", (command) => {
    const { status, stdout } = palimpsest(command, "--help");
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringMatching(/^Usage: palimpsest \w+ <file>/) });
    expect(palimpsest("help", command).stdout).toBe(stdout);
    expect(palimpsest("--help").stdout).toMatch(new RegExp(`^  ${command} +\\S`, "m"));
  });

  test.each([
    [`inspect "$1"`, "head -n 1"],
    [`inspect "$1" --json`, "true"],
    [`compact "$1" --budget 2k 2>&1`, "true"],
    [`recall "$1" level --budget 4000`, "true"],
  ])("%s ends quietly when its reader, %s, has seen enough", (command, reader) => {
    const pipeline = `exec 3>&2; { node "$0" ${command}; echo "exit code $?" >&3; } | ${reader}`;
    const { stderr } = spawnSync("sh", ["-c", pipeline, PALIMPSEST_MAIN, session], { encoding: "utf8" });
    expect(stderr.endsWith("exit code 0\n")).toBe(true);
    expect(stderr).not.toContain("EPIPE");
  });
});
