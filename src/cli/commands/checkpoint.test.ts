import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { commandFolders, importHarbour, palimpsest, told } from "../../../test/support/stored-commands.ts";

const folders = commandFolders();

function makeWorkspace(name = "workspace"): string {
  const workspace = join(folders.folder, name);
  mkdirSync(workspace);
  return workspace;
}

function contentOf(workspace: string): Readonly<Record<string, string>> {
  const names = readdirSync(workspace);
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(workspace, name), "utf8")]));
}

function byPath(changes: readonly { readonly path: string; readonly type: string }[]) {
  return Object.fromEntries(changes.map(({ path, type }) => [path, type]));
}

test("a checkpoint keeps log and files, shows what changed since, and rewind moves both there and back", async () => {
  await importHarbour(folders);
  const workspace = makeWorkspace();
  const here = ["--workspace", workspace] as const;
  writeFileSync(join(workspace, "light.ts"), "const blinks = 2;\n");
  writeFileSync(join(workspace, "notes.md"), "K7?\n");
  const first = await palimpsest("checkpoint", "harbour", ...here);
  expect(first.stdout).toMatch(/^checkpoint-26-\d+: 26 messages at version 26, 2 changed files\n$/);
  const kept = contentOf(workspace);

  writeFileSync(join(workspace, "light.ts"), "const blinks = 1;\n");
  rmSync(join(workspace, "notes.md"));
  writeFileSync(join(workspace, "relay.ts"), "export {};\n");
  const changed = contentOf(workspace);
  const { stdout: list } = await palimpsest("checkpoint", "harbour", "--list");
  expect(list).toMatch(/^ +26 +26 {2}yes +just now {2}manual {2}checkpoint-26-\d+$/m);
  const { stdout: diff } = await palimpsest("checkpoint", "harbour", "--diff", "checkpoint-26", ...here);
  expect(diff).toMatch(/^3 files changed since checkpoint-26-/);
  expect(diff).toContain("-const blinks = 2;\n+const blinks = 1;");

  const target = ["--to-checkpoint", "checkpoint-26", "--files", ...here] as const;
  const expected = { "light.ts": "written", "notes.md": "written", "relay.ts": "removed" };
  expect(byPath((await told("rewind", "harbour", ...target, "--dry-run")).files.changed)).toEqual(expected);
  expect(contentOf(workspace)).toEqual(changed);
  expect(byPath((await told("rewind", "harbour", ...target, "--yes")).files.changed)).toEqual(expected);
  expect(contentOf(workspace)).toEqual(kept);
  const undone = await palimpsest("rewind", "harbour", "--undo", "--files", "--yes", ...here);
  expect(undone.stdout).toContain("3 files changed");
  expect(contentOf(workspace)).toEqual(changed);
});

test("disk use of the files is told and freed, and goes with the session", async () => {
  await importHarbour(folders);
  const workspace = makeWorkspace();
  const here = ["--workspace", workspace] as const;
  for (const text of ["one", "two", "three"]) {
    writeFileSync(join(workspace, "a.txt"), text);
    const saved = await told("checkpoint", "harbour", ...here, "--keep", "2");
    expect(saved).toMatchObject({ type: "saved", files: { changed: 1, skipped: [] } });
  }
  expect((await told("checkpoint", "harbour", "--list")).checkpoints).toHaveLength(2);
  expect((await told("checkpoint", "harbour", "--disk")).bytes).toBeGreaterThan(0);
  expect((await palimpsest("checkpoint", "harbour", "--disk")).stdout).toMatch(/take [\d.]+ kB\.\n$/);
  const pruned = await told("checkpoint", "harbour", ...here, "--prune", "1");
  expect(pruned).toMatchObject({ type: "pruned", withoutFiles: [expect.stringMatching(/^checkpoint-/)] });
  expect(pruned.removed).toHaveLength(2);
  const storage = join(folders.home, "checkpoints");
  expect(readdirSync(storage)).toEqual([expect.stringMatching(/^harbour-light-[0-9a-f]{12}$/)]);
  expect(await palimpsest("sessions", "delete", "harbour-light", "--yes")).toMatchObject({ status: 0 });
  expect(readdirSync(storage)).toEqual([]);
});

test("a home folder and another workspace are refused in words; the log alone needs none", async () => {
  await importHarbour(folders);
  vi.stubEnv("HOME", folders.folder);
  const refused = await palimpsest("checkpoint", "harbour", "--workspace", folders.folder);
  expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining("it is or holds the home folder") });
  const alone = await palimpsest("checkpoint", "harbour", "--no-files");
  expect(alone).toMatchObject({ status: 0, stdout: expect.stringContaining("no files") });
  const { checkpoint } = await told("checkpoint", "harbour", "--workspace", makeWorkspace("one"));
  const other = await palimpsest("checkpoint", "harbour", "--workspace", makeWorkspace("two"));
  expect(other).toMatchObject({ status: 1, stderr: expect.stringContaining("keeps checkpoints of") });
  const { checkpoints } = await told("checkpoint", "harbour", "--list");
  expect(checkpoints[0]).toEqual(checkpoint);
  const bare = await palimpsest("checkpoint", "harbour", "--diff", checkpoints[1].id);
  expect(bare).toMatchObject({ status: 1, stderr: expect.stringContaining("has no files") });
});

test.each([
  ["--list", "--disk"],
  ["--list", "--keep", "3"],
  ["--disk", "--no-files"],
  ["--prune", "0"],
])("checkpoint %s %s makes no sense", async (...given) => {
  await importHarbour(folders);
  expect(await palimpsest("checkpoint", "harbour", ...given)).toMatchObject({ status: 2, stdout: "" });
});
