import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { commandFolders, importHarbour, palimpsest, told } from "../../../test/support/stored-commands.ts";
import { sqliteStore } from "../../stores/sqlite/index.ts";

const folders = commandFolders();
const path = () => join(folders.home, "palimpsest.db");
const DAY_MS = 24 * 60 * 60 * 1_000;

function edit(sql: string): void {
  const database = new DatabaseSync(path());
  database.exec(sql);
  database.close();
}

/** Two sessions, one of them last written to 100 days ago, with a body of a megabyte. */
async function importOldAndNew(): Promise<void> {
  await importHarbour(folders);
  const store = sqliteStore({ path: path() });
  const { key } = await store.open("old");
  const bytes = new Uint8Array(1_000_000).map((_, index) => (index * 7919) % 251);
  await store.append(key, [{ body: "{}", blobs: [{ name: "body", bytes }] }]);
  await store.close();
  edit(`UPDATE sessions SET updated_at = updated_at - ${100 * DAY_MS} WHERE id = 'old'`);
}

describe("store check", () => {
  test("counts what is there", async () => {
    await importOldAndNew();
    const checked = await told("store", "check");
    expect(checked).toMatchObject({ sessions: 2, records: 27, pending: [], problems: [] });
    expect(checked.bytes).toBeGreaterThan(1_000_000);
    const { status, stdout } = await palimpsest("store", "check");
    expect([status, stdout]).toEqual([
      0,
      expect.stringMatching(/^sessions +2\nrecords +27, with request bodies 1\.0 MB$/m),
    ]);
  });

  test("a record that is missing is a problem, and --deep finds one that was changed", async () => {
    await importOldAndNew();
    edit("UPDATE records SET body = replace(body, 'relay', 'delay') WHERE id & 0xffffffff = 3");
    expect((await palimpsest("store", "check")).status).toBe(0);
    const deep = await palimpsest("store", "check", "--deep");
    expect(deep).toMatchObject({ status: 1, stdout: expect.stringContaining("record 3 of the session") });
    edit("DELETE FROM records WHERE id & 0xffffffff = 5");
    const { status, stdout } = await palimpsest("store", "check");
    expect(status).toBe(1);
    expect(stdout).toContain('the session "harbour-light" has 25 records, and its entry says 26');
  });
});

describe("store migrate", () => {
  test("brings a file of an earlier version up to date, once", async () => {
    await importHarbour(folders);
    edit("DROP TABLE saved_states; ALTER TABLE sessions DROP COLUMN is_pinned; PRAGMA user_version = 4");
    const migrated = await told("store", "migrate");
    expect(migrated).toMatchObject({ fromVersion: 4, steps: expect.arrayContaining(["schema 5"]) });
    expect((await palimpsest("store", "migrate")).stdout).toMatch(/^Nothing to do: the schema has version \d+\.\n$/);
    expect(await told("verify", "harbour-light")).toMatchObject({ type: "intact", messages: 26 });
  });
});

describe("store vacuum", () => {
  test("--dry-run says what would go and removes nothing; without it the file shrinks", async () => {
    await importOldAndNew();
    const dry = await palimpsest("store", "vacuum", "--keep", "90d", "--dry-run");
    expect(dry).toMatchObject({ status: 0, stderr: "" });
    expect(dry.stdout).toMatch(
      /^ {2}old {2}1\.0 MB, 100 days old \(age\)\n1 session would be removed, 1\.0 MB\n1 session kept, /,
    );
    expect((await told("store", "check")).sessions).toBe(2);
    const before = statSync(path()).size;
    const removed = await told("store", "vacuum", "--keep", "90d");
    expect(removed).toMatchObject({ dryRun: false, removed: [{ id: "old", reason: "age" }], keptSessions: 1 });
    expect(before - statSync(path()).size).toBeGreaterThan(900_000);
    expect(await told("verify", "harbour-light")).toMatchObject({ type: "intact", messages: 26 });
    expect((await told("store", "check")).problems).toEqual([]);
  });

  test("a pinned session stays until it is pinned no longer", async () => {
    await importOldAndNew();
    expect(await told("pin", "old", "--whole")).toEqual({ session: "old", pinned: true });
    const kept = await palimpsest("store", "vacuum", "--keep-size", "1kB");
    expect(kept.stdout).toMatch(/^0 sessions removed, 0 bytes\n2 sessions kept, /);
    const aged = await palimpsest("store", "vacuum", "--keep", "90d");
    expect(aged.stdout).toContain("  old  stays: it is pinned\n");
    expect((await palimpsest("pin", "old", "--whole", "--off")).stdout).toBe("old is pinned no longer as a whole\n");
    expect((await palimpsest("store", "vacuum", "--keep", "90d")).stdout).toContain("1 session removed");
  });

  test("files of tool outputs go with their session", async () => {
    await importOldAndNew();
    const { folderOffload } = await import("../../checkpoints/folder-offload.ts");
    const folder = join(folders.folder, "outputs");
    mkdirSync(folder);
    const offload = folderOffload({ folder });
    await offload.write({ sessionId: "old", name: "output.txt", text: "x" });
    const file = offload.pathOf({ sessionId: "old", name: "output.txt" });
    expect(existsSync(file)).toBe(true);
    await told("store", "vacuum", "--keep", "90d", "--offload", folder);
    expect(existsSync(file)).toBe(false);
  });

  test("without a retention it only gives space back", async () => {
    await importOldAndNew();
    const { status, stdout } = await palimpsest("store", "vacuum");
    expect([status, stdout]).toEqual([0, "The space of what was deleted is given back.\n"]);
    expect((await told("store", "check")).sessions).toBe(2);
  });
});

test.each<[readonly string[], string]>([
  [["vacuum", "--keep", "ninety"], '--keep is "ninety"; it must be a time of at least an hour'],
  [["vacuum", "--keep", "0d"], '--keep is "0d"'],
  [["vacuum", "--keep-size", "20"], '--keep-size is "20"; it must be a size such as 500MB'],
  [["vacuum", "--dry-run"], "--dry-run needs --keep or --keep-size"],
  [["vacum"], "Did you mean vacuum?"],
  [[], "<action> is missing. It takes check, migrate, vacuum."],
])("refuses store %j", async (given, expected) => {
  const { status, stderr } = await palimpsest("store", ...given);
  expect([status, stderr]).toEqual([2, expect.stringContaining(expected)]);
});

test("a file that is no database is refused, and left as it is", async () => {
  const other = join(folders.folder, "notes.txt");
  writeFileSync(other, "not a database, but long enough to be read as one".repeat(20));
  const { status, stderr } = await palimpsest("store", "check", "--store", other);
  expect([status, stderr]).toEqual([1, expect.stringContaining("notes.txt")]);
});
