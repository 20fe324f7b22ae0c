import { expect, test } from "vitest";
import { commandFolders, foldHarbour, importHarbour, palimpsest, told } from "../../../test/support/stored-commands.ts";

const folders = commandFolders();

test("restore brings back what a fold hides: one by the beginning of its id, or all", async () => {
  await importHarbour(folders);
  const condenseId = await foldHarbour(folders);
  const unknown = await palimpsest("restore", "harbour", "trunc");
  expect(unknown).toMatchObject({ status: 1, stderr: expect.stringContaining(condenseId) });
  const { status, stdout } = await palimpsest("restore", "harbour", "condense");
  expect(status).toBe(0);
  expect(stdout).toMatch(new RegExp(`^${condenseId} restored: \\d+ messages\nview: [\\d,]+ → [\\d,]+ tokens\n$`));
  expect((await told("sessions", "show", "harbour")).view).toHaveLength(27);
  await foldHarbour(folders);
  const restored = await told("restore", "harbour", "all");
  expect(restored.restored).toHaveLength(1);
  expect(restored.viewTokensAfter).toBeGreaterThan(restored.viewTokensBefore);
  const nothing = await palimpsest("restore", "harbour", "all");
  expect(nothing).toEqual({ status: 0, stdout: "Nothing is folded.\n", stderr: "" });
});

test("rewind shows what changes, with --dry-run without doing it, and --undo takes it back", async () => {
  await importHarbour(folders);
  await foldHarbour(folders);
  const before = await told("sessions", "show", "harbour");
  const dry = await palimpsest("rewind", "harbour", "--to-message", "u4", "--dry-run");
  expect(dry.stdout).toContain("22 messages removed");
  expect(dry.stdout).toContain("Nothing was changed: this was a dry run.");
  expect(await told("sessions", "show", "harbour")).toEqual(before);

  const done = await told("rewind", "harbour", "--to-message", "u4", "--before");
  expect(done).toMatchObject({ session: "harbour-light", isDryRun: false, fromVersion: 29, toVersion: 4 });
  expect(done.removed).toHaveLength(23);
  expect(done.removed[0]).toMatchObject({ version: 5, id: "u4", role: "user" });
  expect(done).toMatchObject({ broughtBack: [], foldsRemoved: [{ kind: "condense" }] });
  expect(await told("sessions", "show", "harbour")).toMatchObject({ messages: 4, folds: [] });

  const undone = await palimpsest("rewind", "harbour", "--undo");
  expect(undone.stdout).toContain("23 messages brought back");
  const after = await told("sessions", "show", "harbour");
  expect({ view: after.view, folds: after.folds }).toEqual({ view: before.view, folds: before.folds });
  const nothing = await palimpsest("rewind", "harbour", "--undo");
  expect(nothing).toEqual({ status: 1, stdout: "", stderr: "There is no rewind to undo." });
});

test.each([
  [[], 2, "--undo; given: none."],
  [["--undo", "--to-version", "1"], 2, "; given: --to-version and --undo."],
  [["--undo", "--before"], 2, "--before goes with --to-message"],
  [["--undo", "--workspace", "."], 2, "--workspace goes with --files"],
  [["--undo", "--yes"], 2, "--yes goes with --files"],
  [["--to-version", "soon"], 2, "whole number"],
  [["--to-version", "27"], 1, "versions 0 to 26"],
  [["--to-message", "nothing"], 1, 'no message "nothing"'],
  [["--to-message", "u1"], 1, 'messages begin with "u1"'],
  [["--to-checkpoint", "c"], 1, "There is none at all"],
  [["--to-version", "1", "--files"], 1, "No checkpoint up to version 1 has files"],
])("rewind %j is refused with %i, says why, and changes nothing", async (given, status, reason) => {
  await importHarbour(folders);
  const refused = await palimpsest("rewind", "harbour", ...given);
  expect(refused).toMatchObject({ status, stdout: "", stderr: expect.stringContaining(reason) });
  expect((await told("sessions")).sessions[0].version).toBe(26);
});

test("recall finds what the folds of a session hide, and with --all what any session says", async () => {
  await importHarbour(folders);
  await importHarbour(folders, "other-harbour");
  const unfolded = await palimpsest("recall", "--session", "harbour", "relay K3");
  expect(unfolded.stdout).toContain('Nothing in what the folds of "harbour-light" hide matches');
  await foldHarbour(folders);
  const hidden = await told("recall", "--session", "harbour", "relay K3");
  expect(Object.keys(hidden)).toEqual(["query", "budgetTokens", "tokens", "hits", "text"]);
  expect(hidden.text).toContain("lamp 3: on, off, relay K3");
  const query = ["recall", "--all", "twelve logs are read"] as const;
  const { hits, tokens, budgetTokens } = await told(...query);
  const found = hits.map((hit: { readonly sessionId: string }) => hit.sessionId);
  expect(new Set(found)).toEqual(new Set(["harbour-light", "other-harbour"]));
  expect(tokens).toBeLessThanOrEqual(budgetTokens);
  expect((await palimpsest(...query)).stdout).toMatch(
    /^session other-harbour · message \S+ · assistant, text · line 1$/m,
  );
});

test("recall says what goes together", async () => {
  const both = await palimpsest("recall", "--all", "--session", "harbour", "relay");
  expect(both).toMatchObject({ status: 2, stderr: expect.stringContaining("not both") });
  const file = await palimpsest("recall", "session.jsonl", "relay", "--store", "x.db");
  expect(file).toMatchObject({ status: 2, stderr: expect.stringContaining("--store goes with --session or --all") });
});
