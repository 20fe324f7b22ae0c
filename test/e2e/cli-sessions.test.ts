import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { describePostgres, runSql } from "../support/postgres-database.ts";
import { claudeCodeSession, commandFolders, foldHarbour } from "../support/stored-commands.ts";

// The built program: each start of it takes half as long as one of the sources.
const MAIN = resolve(import.meta.dirname, "../../dist/cli/main.js");
const folders = commandFolders();

interface RunOptions {
  readonly input?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** The real program, in the folder of the test. */
function palimpsestWith({ input = "", environment = {} }: RunOptions, ...given: readonly string[]) {
  const env = { ...process.env, ...environment };
  const options = { encoding: "utf8", input, cwd: folders.folder, env } as const;
  const { status, stdout, stderr } = spawnSync("node", [MAIN, ...given], options);
  return { status, stdout, stderr };
}

function palimpsest(...given: readonly string[]) {
  return palimpsestWith({}, ...given);
}

test("a transcript becomes a session that is shown, rewound, restored, exported and deleted", async () => {
  const imported = palimpsestWith({ input: claudeCodeSession() }, "sessions", "import", "-");
  expect(imported).toMatchObject({ status: 0, stderr: "" });
  expect(imported.stdout).toMatch(/^standard input \(claude-code\) is now the session "harbour-light": 26 messages/);
  const condenseId = await foldHarbour(folders);
  expect(palimpsest("sessions").stdout).toMatch(/^ {2}harbour-light +27 +[\d,]+ +1 +0 {2}just now$/m);
  expect(palimpsest("rewind", "harbour", "--to-version", "10").stdout).toContain("17 messages removed");
  expect(palimpsest("rewind", "harbour", "--undo").stdout).toContain("17 messages brought back");
  expect(palimpsest("recall", "--session", "harbour", "relay K3").stdout).toContain("relay K3");
  expect(palimpsest("restore", "harbour", "all").stdout).toContain(`${condenseId} restored`);

  const exported = palimpsest("sessions", "export", "harbour", "--output", "export.json");
  expect(exported).toEqual({ status: 0, stdout: "", stderr: '"harbour-light" written to export.json as palimpsest\n' });
  const file = readFileSync(join(folders.folder, "export.json"), "utf8");
  const copied = palimpsestWith({ input: file }, "sessions", "import", "-", "--id", "copy", "--json");
  expect(JSON.parse(copied.stdout)).toMatchObject({ id: "copy", format: "palimpsest", messages: 27 });

  expect(palimpsest("sessions", "delete", "copy")).toMatchObject({ status: 2, stdout: "" });
  expect(palimpsest("sessions", "delete", "copy", "--yes")).toMatchObject({ status: 0, stderr: "" });
  const { sessions } = JSON.parse(palimpsest("sessions", "--json").stdout);
  expect(sessions).toMatchObject([{ id: "harbour-light", messages: 27, folds: 0 }]);
});

test("the current folder is the workspace of a checkpoint, and of the rewind to it", () => {
  writeFileSync(join(folders.folder, "session.jsonl"), claudeCodeSession());
  // The store is not part of the workspace.
  const environment = { PALIMPSEST_HOME: `${folders.folder}-home` };
  const here = (...given: readonly string[]) => palimpsestWith({ environment }, ...given);
  try {
    expect(here("sessions", "import", "session.jsonl", "--id", "s")).toMatchObject({ status: 0 });
    expect(here("checkpoint", "s")).toMatchObject({ status: 0, stderr: "" });
    writeFileSync(join(folders.folder, "session.jsonl"), "spoiled");
    expect(here("rewind", "s", "--to-checkpoint", "c", "--files", "--yes").stdout).toContain("written  session.jsonl");
    expect(readFileSync(join(folders.folder, "session.jsonl"), "utf8")).toBe(claudeCodeSession());
  } finally {
    rmSync(environment.PALIMPSEST_HOME, { recursive: true, force: true });
  }
});

test("what fails is told in one line, without a trace, and with an exit code that means something", () => {
  const store = join(folders.folder, "is-a-folder");
  mkdirSync(store);
  const refused = palimpsest("sessions", "--store", store);
  expect(refused).toEqual({
    status: 1,
    stdout: "",
    stderr: expect.stringMatching(/^palimpsest: .* is a folder\..*\n$/),
  });
  expect(palimpsest("restore", "nobody", "all")).toMatchObject({ status: 1, stdout: "" });
  expect(palimpsest("rewind", "nobody")).toMatchObject({ status: 2, stdout: "" });
  const { stdout } = palimpsest("--help");
  for (const name of ["sessions", "restore", "rewind", "checkpoint"]) {
    expect(stdout).toMatch(new RegExp(`^ {2}${name} `, "m"));
  }
});

await describePostgres("sessions on PostgreSQL", (connectionString) => {
  test("are imported, rewound, kept and deleted by the same commands", async () => {
    const name = `cli_${process.pid}_${Date.now()}`;
    await runSql(connectionString, `CREATE DATABASE ${name}`);
    const url = new URL(connectionString);
    url.pathname = `/${name}`;
    const on = (...given: readonly string[]) =>
      palimpsestWith({ environment: { PALIMPSEST_STORE: url.href } }, ...given);
    try {
      writeFileSync(join(folders.folder, "session.jsonl"), claudeCodeSession());
      expect(on("sessions", "import", "session.jsonl")).toMatchObject({ status: 0, stderr: "" });
      expect(on("rewind", "harbour", "--to-version", "3").stdout).toContain("23 messages removed");
      expect(on("rewind", "harbour", "--undo").stdout).toContain("23 messages brought back");
      expect(on("checkpoint", "harbour", "--no-files")).toMatchObject({ status: 0, stderr: "" });
      expect(on("recall", "--all", "relay K3").stdout).toContain("relay K3");
      expect(on("sessions", "delete", "harbour-light", "--yes")).toMatchObject({ status: 0 });
      expect(JSON.parse(on("sessions", "--json").stdout).sessions).toEqual([]);
      expect(existsSync(join(folders.home, "palimpsest.db"))).toBe(false);
    } finally {
      await runSql(connectionString, `DROP DATABASE ${name} WITH (FORCE)`);
    }
  });
});
