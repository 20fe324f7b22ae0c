import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer, type Server } from "node:net";
import { delimiter, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, test, vi } from "vitest";
import { startPalimpsest } from "../../../test/support/palimpsest-process.ts";
import { commandFolders, importHarbour, palimpsest } from "../../../test/support/stored-commands.ts";
import type { Finding } from "../doctor/finding.ts";

const folders = commandFolders();

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function portOf(server: Server): Promise<string> {
  servers.push(server.listen(0, "127.0.0.1"));
  await once(server, "listening");
  const address = server.address();
  return String(typeof address === "object" ? address?.port : "");
}

/** What doctor finds, by its checks. Its default port may be in use on the machine of the test. */
async function examined(...given: readonly string[]) {
  const port = given.includes("--port") ? [] : ["--port", "0"];
  const { status, stdout, stderr } = await palimpsest("doctor", ...given, ...port, "--json");
  const { faults, checks }: { faults: number; checks: readonly Finding[] } = JSON.parse(stdout);
  expect({ status, stderr }).toEqual({ status: faults === 0 ? 0 : 1, stderr: "" });
  expect(checks.filter(({ result }) => result === "fault")).toHaveLength(faults);
  return { status, stdout, of: (name: string) => checks.find(({ check }) => check === name) };
}

/** Puts programs on the PATH, before those of the machine. */
function install(...names: readonly string[]): void {
  const folder = join(folders.folder, "bin");
  mkdirSync(folder);
  for (const name of names) writeFileSync(join(folder, name), "#!/bin/sh\n", { mode: 0o755 });
  vi.stubEnv("PATH", [folder, process.env.PATH].join(delimiter));
}

function fileOf(content: object): string {
  const path = join(folders.folder, "gateway.json");
  writeFileSync(path, JSON.stringify(content));
  return path;
}

test("a machine without faults: a line for each check, and exit code 0", async () => {
  const { status, stdout, stderr } = await palimpsest("doctor", "--port", "0");
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toContain(`  ok     node      Node ${process.versions.node}\n`);
  expect(stdout).toMatch(/^ {2}ok {5}sqlite +SQLite \d+\.\d+\.\d+ with FTS5$/m);
  expect(stdout).toMatch(/^ {2}ok {5}store +.*palimpsest\.db can be made; there is none yet$/m);
  expect(stdout).toMatch(/^ {2}ok {5}packages +installed: .*\bpg\b.*; not installed: /m);
  expect(stdout).toMatch(/\n\n0 faults, \d+ notes?\n$/);
});

describe("the store", () => {
  test("that exists is opened and checked", async () => {
    await importHarbour(folders);
    expect((await examined()).of("store")).toMatchObject({
      result: "ok",
      text: expect.stringMatching(/, 1 session$/),
    });
    const database = new DatabaseSync(join(folders.home, "palimpsest.db"));
    database.exec("DELETE FROM records WHERE id & 0xffffffff = 5");
    database.close();
    expect((await examined()).of("store")).toMatchObject({
      result: "fault",
      text: expect.stringContaining("1 problem. palimpsest store check shows"),
    });
  });

  test("whose folder cannot be written is a fault", async () => {
    // Where a folder should be is a file: not even root can write below it.
    const file = join(folders.folder, "file");
    writeFileSync(file, "");
    const text = expect.stringMatching(
      /cannot be written .*ENOTDIR.* Make it writable, or name another place: --store/,
    );
    for (const given of [[], ["--store", join(file, "data", "sessions.db")]]) {
      if (given.length === 0) vi.stubEnv("PALIMPSEST_HOME", join(file, "data"));
      expect((await examined(...given)).of("store")).toEqual({ check: "store", result: "fault", text });
    }
  });

  test("that is no database is a fault, and left as it is", async () => {
    const notes = join(folders.folder, "notes.txt");
    const text = "not a database, but long enough to be read as one".repeat(20);
    writeFileSync(notes, text);
    expect((await examined("--store", notes)).of("store")).toMatchObject({
      result: "fault",
      text: expect.stringContaining("notes.txt is damaged"),
    });
    expect(readFileSync(notes, "utf8")).toBe(text);
  });

  test("on another machine is not asked, and its password not told", async () => {
    vi.stubEnv("PALIMPSEST_STORE", "postgres://me:hunter2@db.corp/sessions");
    const { of, stdout } = await examined();
    expect(of("store")).toMatchObject({
      result: "note",
      text: expect.stringMatching(/db\.corp\/sessions was not asked/),
    });
    expect(stdout).not.toContain("hunter2");
    const elsewhere = await examined("--store", "postgres://localhost/sessions?host=db.corp");
    expect(elsewhere.of("store")).toMatchObject({ result: "note" });
  });

  test("on a server of this machine is asked", async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections++;
      socket.destroy();
    });
    const { of } = await examined("--store", `postgres://me:hunter2@127.0.0.1:${await portOf(server)}/sessions`);
    expect(of("store")).toMatchObject({ result: "fault", text: expect.not.stringContaining("hunter2") });
    expect(connections).toBeGreaterThan(0);
  });
});

describe("the port", () => {
  const other = { result: "fault", text: expect.stringContaining("another program listens on 127.0.0.1:") };

  test("in use by another program is a fault", async () => {
    const silent = await portOf(createServer((socket) => socket.destroy()));
    expect((await examined("--port", silent)).of("port")).toMatchObject(other);
    const web = await portOf(createHttpServer((_, response) => response.end('{"version":"1"}')));
    expect((await examined("--config", fileOf({ port: Number(web) }), "--port", web)).of("port")).toMatchObject(other);
  });

  test.each([
    [[], /^a gateway \(\d+\.\d+\.\d+.*\) answers at http:/],
    [["--token", "sixteen-letters-or-more"], /^a gateway that asks for its token answers at http:/],
  ])("in use by a gateway of ours (%j) is ok", async (given, text) => {
    const gateway = startPalimpsest(["up", "--json", "--port", "0", "--store", "memory", ...given]);
    const { url } = JSON.parse(await gateway.shows(/\n/));
    const { of } = await examined("--port", new URL(url).port);
    gateway.kill("SIGTERM");
    await gateway.ended;
    expect(of("port")).toEqual({ check: "port", result: "ok", text: expect.stringMatching(text) });
  });
});

test.each([
  ["gateway.corp", "note", "was not tried"],
  ["192.0.2.1", "fault", "up cannot listen on 192.0.2.1:0 (EADDRNOTAVAIL)"],
])("the address %s of a file is a %s", async (host, result, text) => {
  vi.stubEnv("PALIMPSEST_TOKEN", "sixteen-letters-or-more");
  const { of } = await examined("--config", fileOf({ host }));
  expect(of("port")).toMatchObject({ result, text: expect.stringContaining(text) });
});

describe("agents and git", () => {
  test("on the PATH are told with whether run can connect them", async () => {
    install("claude", "cline", "codex");
    vi.stubEnv("OPENAI_API_KEY", "");
    vi.stubEnv("ANTHROPIC_BASE_URL", undefined);
    const { of } = await examined();
    expect(of("agent claude")).toMatchObject({ result: "ok", text: "palimpsest run -- claude connects Claude Code" });
    expect(of("agent codex")).toMatchObject({ result: "note", text: expect.stringContaining("OPENAI_API_KEY") });
    expect(of("agent cline")).toMatchObject({
      result: "note",
      text: expect.stringMatching(/^run cannot connect Cline/),
    });
    vi.stubEnv("ANTHROPIC_BASE_URL", "ftp://llm.corp");
    expect((await examined()).of("agent claude")).toMatchObject({
      result: "fault",
      text: expect.stringContaining("ANTHROPIC_BASE_URL"),
    });
  });

  test("that are missing are notes: run works without both", async () => {
    vi.stubEnv("PATH", folders.folder);
    const { of } = await examined();
    expect(of("agents")).toMatchObject({ result: "note", text: expect.stringContaining("claude, codex") });
    expect(of("git")).toMatchObject({ result: "note", text: expect.stringContaining("Install git") });
  });
});

test("keys are named, and never shown", async () => {
  vi.stubEnv("OPENAI_API_KEY", "hunter2");
  const { of, stdout } = await examined();
  expect(of("keys")).toMatchObject({ result: "ok", text: expect.stringMatching(/^set: .*\bOPENAI_API_KEY\b/) });
  expect(stdout).not.toContain("hunter2");
});

describe("settings", () => {
  test("of a wrong file are a fault, and the other checks go on", async () => {
    const wrong = await examined("--config", fileOf({ prot: 1 }));
    expect(wrong.of("config")).toMatchObject({
      result: "fault",
      text: expect.stringContaining("prot is no setting. Did you mean port?"),
    });
    expect(wrong.of("store")).toMatchObject({ result: "ok" });
    expect((await examined("--config", join(folders.folder, "none.json"))).status).toBe(1);
    expect((await examined("--config", fileOf({ store: "memory" }))).of("config")).toMatchObject({ result: "ok" });
  });

  test("of a wrong environment are one fault", async () => {
    vi.stubEnv("PALIMPSEST_STORE", "ftp://x");
    const { stdout } = await examined("--config", fileOf({}));
    expect(stdout.match(/\$PALIMPSEST_STORE begins with/g)).toHaveLength(1);
  });

  test("that name a model without its key are a fault", async () => {
    vi.stubEnv("ANTHROPIC_API_KEY", "");
    const file = fileOf({ condenseWith: "anthropic/claude-haiku-4-5" });
    expect((await examined("--config", file)).of("condenser")).toMatchObject({
      result: "fault",
      text: expect.stringContaining("Set ANTHROPIC_API_KEY"),
    });
  });

  test("of its own command line are refused", async () => {
    for (const given of [
      ["--store", "ftp://x"],
      ["--port", "http"],
      ["--prot", "1"],
    ]) {
      expect(await palimpsest("doctor", ...given)).toMatchObject({ status: 2, stdout: "" });
    }
  });
});
