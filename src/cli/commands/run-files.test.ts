import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startPalimpsest } from "../../../test/support/palimpsest-process.ts";
import { commandFolders, palimpsest } from "../../../test/support/stored-commands.ts";
import { type ModelServer, startModelServer } from "../../testing/index.ts";
import { rewindAsking } from "./rewind.ts";

const folders = commandFolders();
let server: ModelServer;
beforeEach(async () => {
  server = await startModelServer();
});
afterEach(() => server.close());

const SESSION = "claude-code:11111111-2222-3333-4444-555555555555";

/** An agent that is told three things, and writes each into its file when it has its reply. */
const AGENT = `
import { writeFileSync } from "node:fs";
const messages = [];
for (const said of ["one", "two", "three"]) {
  messages.push({ role: "user", content: said });
  const response = await fetch(process.env.ANTHROPIC_BASE_URL + "/v1/messages", {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": "k", "anthropic-version": "2023-06-01",
      "x-claude-code-session-id": "11111111-2222-3333-4444-555555555555" },
    body: JSON.stringify({ model: "claude-sonnet-4-5", max_tokens: 100, messages,
      tools: [{ name: "read_file", input_schema: { type: "object" } }] }),
  });
  messages.push({ role: "assistant", content: (await response.json()).content });
  writeFileSync("notes.txt", said);
}
console.log("agent done");
`;

/** A folder in which an agent works; its program is beside it. */
function project(name = "project"): string {
  const folder = join(folders.folder, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "notes.txt"), "empty");
  writeFileSync(join(folders.folder, "agent.mjs"), AGENT);
  return folder;
}

function run(folder: string, given: readonly string[] = [], environment: Readonly<Record<string, string>> = {}) {
  const agent = ["--", process.execPath, join(folders.folder, "agent.mjs")];
  // Which of the variables of agents is set follows from the name of the program.
  const pointed = { ANTHROPIC_BASE_URL: server.url };
  return startPalimpsest(["run", ...given, ...agent], { ...pointed, ...environment }, folder).ended;
}

function notes(folder: string): string {
  return readFileSync(join(folder, "notes.txt"), "utf8");
}

describe("palimpsest run", () => {
  test("keeps the files of the current folder at each turn: rewind --files shows what it would do, asks, and undoes", async () => {
    const folder = project();
    expect(await run(folder)).toMatchObject({ code: 0, stdout: "agent done\n" });
    expect(notes(folder)).toBe("three");
    const target = [SESSION, "--files", "--workspace", folder];
    const dry = await palimpsest("rewind", ...target, "--to-message", "m2", "--dry-run");
    expect(dry.stdout).toContain("written  notes.txt");
    const unasked = await palimpsest("rewind", ...target, "--to-message", "m2");
    expect(unasked).toMatchObject({ status: 2, stderr: expect.stringMatching(/1 file in this folder.*Add --yes/) });
    const asked: string[] = [];
    const told: string[] = [];
    const answering = (agrees: boolean) => ({
      output: { write: (text: string) => told.push(text) },
      notes: { write: (text: string) => told.push(text) },
      ask: async (question: string) => {
        asked.push(question);
        return agrees;
      },
    });
    expect(await rewindAsking([...target, "--to-message", "m2"], answering(false))).toBe(1);
    expect([notes(folder), told.at(-1)]).toEqual(["three", "Nothing was changed.\n"]);
    expect(await rewindAsking([...target, "--to-message", "m2"], answering(true))).toBe(0);
    expect(asked).toEqual(["Write or remove 1 file?", "Write or remove 1 file?"]);
    expect(told.join("")).toContain("written  notes.txt");
    expect(notes(folder)).toBe("one");
    expect((await palimpsest("rewind", ...target, "--undo", "--yes")).status).toBe(0);
    expect(notes(folder)).toBe("three");
  });

  test("keeps none with --no-checkpoints, nor where the file of --config says so", async () => {
    const folder = project();
    expect(await run(folder, ["--no-checkpoints"])).toMatchObject({ code: 0 });
    const config = join(folders.folder, "config.json");
    writeFileSync(config, JSON.stringify({ checkpoints: false }));
    expect(await run(folder, ["--config", config])).toMatchObject({ code: 0 });
    expect(existsSync(join(folders.home, "checkpoints"))).toBe(false);
    const rewound = await palimpsest("rewind", SESSION, "--to-version", "0", "--files", "--workspace", folder);
    expect(rewound).toMatchObject({ status: 1, stderr: expect.stringContaining("No checkpoint up to version 0") });
  });

  test.skipIf(process.platform === "win32")(
    "says once that a home folder is not kept, and runs the agent",
    async () => {
      const folder = project("person");
      const { code, stdout, stderr } = await run(folder, [], { HOME: folder });
      expect([code, stdout]).toEqual([0, "agent done\n"]);
      expect(stderr.match(/not kept/g)).toHaveLength(1);
      expect(stderr).toContain("it is or holds the home folder. Choose a project's folder");
      expect(existsSync(join(folders.home, "checkpoints"))).toBe(false);
    },
  );

  test.skipIf(process.platform === "win32")("says once that there is no git, and runs the agent", async () => {
    const folder = project();
    const programs = join(folders.folder, "programs");
    mkdirSync(programs);
    symlinkSync(process.execPath, join(programs, "node"));
    const { code, stdout, stderr } = await run(folder, [], { PATH: programs });
    expect([code, stdout, stderr.match(/not kept/g)?.length]).toEqual([0, "agent done\n", 1]);
    expect(stderr).toContain("Checkpoints need git");
  });

  test.skipIf(process.platform === "win32")("ends with its agent, also where git hangs", async () => {
    const folder = project();
    const programs = join(folders.folder, "programs");
    mkdirSync(programs);
    const script = '#!/bin/sh\ncase "$*" in *--version*) echo git version 2.45.0; exit;; esac\nexec sleep 3600\n';
    writeFileSync(join(programs, "git"), script, { mode: 0o755 });
    const config = join(folders.folder, "config.json");
    writeFileSync(config, JSON.stringify({ limits: { checkpointTimeoutMs: 200 } }));
    const environment = { PATH: `${programs}:${process.env.PATH}` };
    const { code, stdout, stderr } = await run(folder, ["--config", config], environment);
    expect([code, stdout]).toEqual([0, "agent done\n"]);
    expect(stderr).toContain("3 requests");
    expect(stderr).toContain("3 incidents");
  });

  test("keeps none where the sessions themselves are gone in the end", async () => {
    const folder = project();
    expect(await run(folder, ["--store", "memory"])).toMatchObject({ code: 0 });
    expect(existsSync(join(folders.home, "checkpoints"))).toBe(false);
  });
});

describe("palimpsest up", () => {
  test("keeps the files of a folder that it is told, and the API rewinds them", async () => {
    const folder = project();
    const given = ["up", "--port", "0", "--json", "--upstream", server.url, "--checkpoints", folder];
    const gateway = startPalimpsest(given);
    const { url } = JSON.parse(await gateway.shows(/\n/));
    const agent = startPalimpsest(
      [
        "run",
        "--no-checkpoints",
        "--anthropic-upstream",
        url,
        "--",
        process.execPath,
        join(folders.folder, "agent.mjs"),
      ],
      { ANTHROPIC_BASE_URL: url, PALIMPSEST_STORE: "memory" },
      folder,
    );
    expect(await agent.ended).toMatchObject({ code: 0 });
    const response = await fetch(`${url}/palimpsest/api/sessions/${encodeURIComponent(SESSION)}/rewind`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ toVersion: 0, files: true }),
    });
    expect(await response.json()).toMatchObject({ files: { changed: [{ path: "notes.txt", type: "written" }] } });
    expect(notes(folder)).toBe("empty");
    expect(readdirSync(join(folders.home, "checkpoints"))).toHaveLength(1);
    gateway.kill("SIGTERM");
    expect(await gateway.ended).toMatchObject({ code: 0 });
  });

  test.each([
    [["--checkpoints", "/"], 1, "root of a file system"],
    [["--checkpoints", "no-such-folder"], 1, "does not exist"],
    [["--checkpoints", ".", "--store", "memory"], 2, "need sessions that last"],
  ])("%j is refused with %i", async (given, code, reason) => {
    const { ended } = startPalimpsest(["up", "--port", "0", ...given]);
    expect(await ended).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(reason) });
  });
});
