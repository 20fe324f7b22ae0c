import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  claudeCodeSession,
  commandFolders,
  foldHarbour,
  importHarbour,
} from "../../../test/support/stored-commands.ts";
import type { Output } from "../terminal/output.ts";
import { checkpoint } from "./checkpoint.ts";
import { compact } from "./compact.ts";
import { condense } from "./condense.ts";
import { evaluate } from "./eval.ts";
import { inspect } from "./inspect.ts";
import { recall } from "./recall.ts";
import { restore } from "./restore.ts";
import { rewind } from "./rewind.ts";
import { sessions } from "./sessions.ts";
import { statement } from "./statement.ts";
import { store } from "./store.ts";
import { verify } from "./verify.ts";

const folders = commandFolders();

type Run = (given: readonly string[], output: Output, notes: Output) => Promise<number>;

interface Drawn {
  readonly name: string;
  readonly run: Run;
  readonly given: (file: string) => readonly string[];
  readonly shows: string;
}

const COMMANDS: readonly Drawn[] = [
  {
    name: "eval",
    run: evaluate,
    given: () => [join(folders.folder, "all")],
    shows: "measuring session 1 of 1: long.jsonl",
  },
  { name: "inspect", run: inspect, given: (file) => [file], shows: "measuring" },
  {
    name: "compact",
    run: (given, output, notes) => compact(given, { output, notes }),
    given: (file) => [file, "--budget", "2k"],
    shows: "folding",
  },
  { name: "recall", run: recall, given: (file) => [file, "relay"], shows: "searching" },
  { name: "sessions", run: sessions, given: () => [], shows: "reading session 1 of 1: harbour-light" },
  { name: "sessions import", run: sessions, given: (file) => ["import", file, "--id", "new"], shows: "importing" },
  { name: "verify", run: verify, given: () => ["harbour"], shows: "verifying record 26 of 26" },
  { name: "statement", run: statement, given: () => ["harbour"], shows: "reading" },
  { name: "condense", run: condense, given: () => ["harbour"], shows: "condensing harbour" },
  { name: "rewind", run: rewind, given: () => ["harbour", "--to-version", "3"], shows: "rewinding harbour" },
  {
    name: "restore",
    run: async (given, output, notes) => {
      await foldHarbour(folders);
      return restore(given, output, notes);
    },
    given: () => ["harbour", "all"],
    shows: "restoring harbour",
  },
  { name: "store vacuum", run: store, given: () => ["vacuum"], shows: "giving space back" },
  {
    name: "sessions delete",
    run: sessions,
    given: () => ["delete", "harbour-light", "--yes"],
    shows: "deleting harbour-light",
  },
  { name: "checkpoint", run: checkpoint, given: () => ["harbour", "--no-files"], shows: "checkpoint of harbour" },
];

/** A session that is long enough to measure. */
function longSession(): string {
  const lines = claudeCodeSession().trimEnd().split("\n");
  const [first = "", ...turns] = lines;
  const again = Array.from({ length: 4 }, (_, round) => turns.map((line) => line.replaceAll("lamp", `lamp${round}`)));
  const renamed = [first, ...again.flat()].map((line, place) => {
    const record = JSON.parse(line);
    const parentUuid = place === 0 ? null : `u${place - 1}`;
    return JSON.stringify({ ...record, uuid: `u${place}`, parentUuid }).replaceAll(
      "toolu_",
      `toolu_${Math.floor((place - 1) / 25)}_`,
    );
  });
  return `${renamed.join("\n")}\n`;
}

async function drawnBy({ run, given }: Drawn, notes: { readonly isTTY: boolean }, flags: readonly string[] = []) {
  await importHarbour(folders);
  const file = join(folders.folder, "session.jsonl");
  mkdirSync(join(folders.folder, "all"), { recursive: true });
  writeFileSync(join(folders.folder, "all", "long.jsonl"), longSession());
  const written: string[] = [];
  const noted: string[] = [];
  const status = await run(
    [...given(file), ...flags],
    { write: (text) => written.push(text) },
    { ...notes, columns: 90, write: (text) => noted.push(text) },
  );
  expect(status).toBe(0);
  return { stdout: written.join(""), noted };
}

test.each(COMMANDS)("$name draws what it does on a terminal, and takes it away", async (command) => {
  const { noted, stdout } = await drawnBy(command, { isTTY: true });
  expect(noted.some((line) => line.startsWith("\r") && line.includes(command.shows))).toBe(true);
  const last = noted.findLastIndex((line) => line.startsWith("\r"));
  expect(noted[last]).toBe("\r\u001b[K");
  expect(stdout).not.toContain("\r");
});

test("sessions export draws what it does, and takes it away before it says what it wrote", async () => {
  const target = join(folders.folder, "out.json");
  const given = () => ["export", "harbour", "--output", target];
  const { noted } = await drawnBy({ name: "", run: sessions, given, shows: "" }, { isTTY: true });
  expect(noted[0]).toContain("exporting harbour");
  expect(noted.slice(-2)).toEqual(["\r\u001b[K", expect.stringContaining("written to")]);
});

test("eval says on a pipe what it does", async () => {
  const given = () => [join(folders.folder, "all")];
  const { noted } = await drawnBy({ name: "", run: evaluate, given, shows: "" }, { isTTY: false });
  expect(noted).toEqual([`palimpsest: measuring the sessions in ${join(folders.folder, "all")} …\n`]);
});

test.each(COMMANDS)("$name draws nothing on a pipe", async (command) => {
  const pipe = await drawnBy(command, { isTTY: false });
  expect(pipe.noted.filter((line) => line.includes("\r") || line.includes("\u001b"))).toEqual([]);
});

test.each(COMMANDS)("$name --json draws nothing", async (command) => {
  const { noted } = await drawnBy(command, { isTTY: true }, ["--json"]);
  expect(noted).toEqual([]);
});
