import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, vi } from "vitest";
import { checkpoint } from "../../src/cli/commands/checkpoint.ts";
import { condense } from "../../src/cli/commands/condense.ts";
import { config } from "../../src/cli/commands/config.ts";
import { doctor } from "../../src/cli/commands/doctor.ts";
import { pin } from "../../src/cli/commands/pin.ts";
import { recall } from "../../src/cli/commands/recall.ts";
import { restore } from "../../src/cli/commands/restore.ts";
import { rewind } from "../../src/cli/commands/rewind.ts";
import { sessions } from "../../src/cli/commands/sessions.ts";
import { statement } from "../../src/cli/commands/statement.ts";
import { store } from "../../src/cli/commands/store.ts";
import { verify } from "../../src/cli/commands/verify.ts";
import { describeFailure, exitCodeOf } from "../../src/cli/terminal/command-error.ts";
import { createEngine } from "../../src/index.ts";
import { sqliteStore } from "../../src/stores/sqlite/index.ts";

const COMMANDS = {
  checkpoint,
  condense,
  config,
  doctor,
  pin,
  recall,
  restore,
  rewind,
  sessions,
  statement,
  store,
  verify,
};

/** A command line without the name of the program. */
export type CommandLine = readonly [keyof typeof COMMANDS, ...string[]];

export interface Ended {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The folders of one test. */
export interface CommandFolders {
  readonly folder: string;
  /** Where the default store is. */
  readonly home: string;
}

/** A folder and a default store for each test of a file, gone after it. */
export function commandFolders(): CommandFolders {
  let folder = "";
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "palimpsest-commands-")));
    vi.stubEnv("PALIMPSEST_HOME", join(folder, "home"));
    vi.stubEnv("PALIMPSEST_STORE", "");
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    get folder() {
      return folder;
    },
    get home() {
      return join(folder, "home");
    },
  };
}

/** Runs a command as the program does, in this process. */
export async function palimpsest(...[name, ...given]: CommandLine): Promise<Ended> {
  const [written, noted]: [string[], string[]] = [[], []];
  const output = { write: (text: string) => written.push(text) };
  const notes = { write: (text: string) => noted.push(text) };
  try {
    const status = await COMMANDS[name](given, output, notes);
    return { status, stdout: written.join(""), stderr: noted.join("") };
  } catch (error) {
    const stderr = describeFailure(error);
    // Whatever goes wrong is told in words.
    expect(stderr).not.toContain("unexpected failure");
    return { status: exitCodeOf(error), stdout: written.join(""), stderr };
  }
}

/** What a command prints with --json. */
export async function told(...given: CommandLine) {
  const { status, stdout, stderr } = await palimpsest(...given, "--json");
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return JSON.parse(stdout);
}

/** A session as Claude Code saves it: twelve logs are read; 26 messages with the ids u0, m1, u2 … m25. */
export function claudeCodeSession(sessionId = "harbour-light"): string {
  const lines: string[] = [];
  const add = (role: "user" | "assistant", content: unknown) => {
    const [uuid, parentUuid] = [`u${lines.length}`, lines.length === 0 ? null : `u${lines.length - 1}`];
    const timestamp = new Date(1_700_000_000_000 + 1_000 * lines.length).toISOString();
    const message =
      role === "user" ? { role, content } : { role, content, id: `m${lines.length}`, model: "claude-sonnet-4-5" };
    lines.push(JSON.stringify({ type: role, uuid, parentUuid, sessionId, isSidechain: false, timestamp, message }));
  };
  add("user", "Find out why the harbour light blinks twice.");
  for (let lamp = 1; lamp <= 12; lamp++) {
    const id = `toolu_${lamp}`;
    add("assistant", [{ type: "tool_use", id, name: "Read", input: { file_path: `lamp-${lamp}.log` } }]);
    const content = `lamp ${lamp}: on, off, relay K${lamp}\n`.repeat(40);
    add("user", [{ type: "tool_result", tool_use_id: id, content }]);
  }
  add("assistant", [{ type: "text", text: `All twelve logs of ${sessionId} are read.` }]);
  return `${lines.join("\n")}\n`;
}

/** Imports such a session into the default store. */
export async function importHarbour({ folder }: CommandFolders, sessionId?: string): Promise<void> {
  const path = join(folder, "session.jsonl");
  writeFileSync(path, claudeCodeSession(sessionId));
  expect(await palimpsest("sessions", "import", path)).toMatchObject({ status: 0, stderr: "" });
}

/** Condenses the session as an agent would, and says one more thing; the id of the fold. */
export async function foldHarbour({ home }: CommandFolders): Promise<string> {
  const store = sqliteStore({ path: join(home, "palimpsest.db") });
  const session = await createEngine({ model: "claude-sonnet-4-5", store }).session("harbour-light");
  const { condenseId = "" } = await session.condense();
  await session.append({ role: "user", content: "Thank you.", id: "thanks" });
  await store.close();
  return condenseId;
}
