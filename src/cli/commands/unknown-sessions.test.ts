import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import {
  type CommandLine,
  commandFolders,
  importHarbour,
  palimpsest,
  told,
} from "../../../test/support/stored-commands.ts";

const folders = commandFolders();

const ON_UNKNOWN: readonly CommandLine[] = [
  ["sessions", "show", "x"],
  ["sessions", "export", "x"],
  ["sessions", "delete", "x", "--yes"],
  ["restore", "x", "all"],
  ["rewind", "x", "--undo"],
  ["checkpoint", "x"],
  ["verify", "x"],
  ["statement", "x"],
  ["condense", "x"],
  ["pin", "x", "u0"],
  ["recall", "--session", "x", "query"],
];

test.each(ON_UNKNOWN.map((line) => ({ line, shown: line.join(" ") })))(
  "$shown fails where there is no such session, and makes neither database nor session",
  async ({ line }) => {
    const none = await palimpsest(...line);
    expect(none).toMatchObject({ status: 1, stdout: "", stderr: expect.stringContaining("There is no database at") });
    expect(existsSync(folders.home)).toBe(false);
    await importHarbour(folders);
    const unknown = await palimpsest(...line);
    expect(unknown).toMatchObject({ status: 1, stdout: "", stderr: expect.stringContaining('no session "x"') });
    expect(unknown.stderr).toContain('"harbour-light"');
    expect((await told("sessions")).sessions).toHaveLength(1);
  },
);

test("several sessions with one beginning are listed", async () => {
  await importHarbour(folders, "lamp-1");
  await importHarbour(folders, "lamp-2");
  const { status, stderr } = await palimpsest("sessions", "show", "lamp");
  expect(status).toBe(1);
  expect(stderr).toContain('2 sessions begin with "lamp": "lamp-2", "lamp-1"');
});

test.each([
  [".", "is a folder", 1],
  ["none.db", "There is no database at", 1],
  ["text.db", "text.db", 1],
  ["mysql://host/x", "--store begins with mysql://", 2],
])("the store %s is refused in words", async (store, reason, status) => {
  writeFileSync(join(folders.folder, "text.db"), "This is no database. ".repeat(100));
  const path = store.includes("://") ? store : join(folders.folder, store);
  expect(await palimpsest("sessions", "--store", path)).toMatchObject({
    status,
    stdout: "",
    stderr: expect.stringContaining(reason),
  });
});

test("a server that is not there is named without the password", async () => {
  const { status, stderr } = await palimpsest("sessions", "--store", "postgres://me:secret@127.0.0.1:1/x");
  expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining("127.0.0.1:1") });
  expect(stderr).not.toContain("secret");
});

test("a damaged session is named in the list, and the others are there", async () => {
  await importHarbour(folders, "whole");
  await importHarbour(folders, "broken");
  const database = new DatabaseSync(join(folders.home, "palimpsest.db"));
  database.exec("UPDATE records SET body = '{}' WHERE id = (SELECT max(id) FROM records)");
  database.close();
  const { status, stdout } = await palimpsest("sessions");
  expect(status).toBe(1);
  expect(stdout).toMatch(/^ {2}broken +damaged /m);
  expect(stdout).toMatch(/^ {2}whole +26 /m);
  expect(await palimpsest("sessions", "show", "broken")).toMatchObject({ status: 1, stdout: "" });
});

test("what makes no sense exits with 2 and says what would", async () => {
  const slip = await palimpsest("sessions", "shwo", "x");
  expect(slip).toMatchObject({ status: 2, stderr: expect.stringContaining("Did you mean show?") });
  const bare = await palimpsest("sessions", "show");
  expect(bare).toMatchObject({ status: 2, stderr: expect.stringContaining("<session> is missing") });
  expect(await palimpsest("sessions", "--limit", "0")).toMatchObject({ status: 2 });
});

test.each(["show", "import", "export", "delete"])("sessions %s has help of its own", async (name) => {
  const { stdout } = await palimpsest("sessions", name, "--help");
  expect(stdout).toMatch(new RegExp(`^Usage: palimpsest sessions ${name} <`));
  expect((await palimpsest("sessions", "--help")).stdout).toContain(`sessions ${name}`);
});
