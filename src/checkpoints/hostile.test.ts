import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fingerprints, testWorkspace, writeFiles } from "../../test/support/workspaces.ts";

test("does not follow links out of the workspace when it saves", async () => {
  const { folder, outside, checkpoints } = testWorkspace({ "a.txt": "a" });
  writeFiles(outside, { "secret.txt": "s" });
  symlinkSync(outside, join(folder, "way-out"));
  symlinkSync(join(outside, "secret.txt"), join(folder, "secret"));
  const { id, filesChanged } = await checkpoints.save();
  expect(filesChanged).toBe(3);
  rmSync(join(folder, "way-out"));
  expect(await checkpoints.diff(id)).toMatchObject([
    { path: "way-out", before: { kind: "link", bytes: outside.length } },
  ]);
});

test("writes nothing through a folder that became a link to elsewhere", async () => {
  const { folder, outside, checkpoints } = testWorkspace({ "sub/a.txt": "a", "sub/deep/b.txt": "b" });
  writeFiles(outside, { "a.txt": "not yours", "deep/b.txt": "not yours either" });
  const [before, elsewhere] = [fingerprints(folder), fingerprints(outside)];
  const { id } = await checkpoints.save();
  rmSync(join(folder, "sub"), { recursive: true });
  symlinkSync(outside, join(folder, "sub"));
  await checkpoints.restore(id);
  expect(fingerprints(outside)).toEqual(elsewhere);
  expect(fingerprints(folder)).toEqual(before);
});

test("writes and removes nothing behind a link that is ignored, and so not saved", async () => {
  const { folder, outside, checkpoints } = testWorkspace({ "sub/a.txt": "a" });
  writeFiles(outside, { "a.txt": "not yours" });
  const elsewhere = fingerprints(outside);
  const { id } = await checkpoints.save();
  rmSync(join(folder, "sub"), { recursive: true });
  symlinkSync(outside, join(folder, "sub"));
  writeFiles(folder, { ".gitignore": "/sub\n" });
  const { kept } = await checkpoints.restore(id);
  expect(kept).toEqual([{ path: "sub/a.txt", reason: "no-folder" }]);
  expect(fingerprints(outside)).toEqual(elsewhere);
  expect(lstatSync(join(folder, "sub")).isSymbolicLink()).toBe(true);
});

test("does not write through a file that became a link", async () => {
  const { folder, outside, checkpoints } = testWorkspace({ "a.txt": "a" });
  writeFiles(outside, { "target.txt": "not yours" });
  const { id } = await checkpoints.save();
  rmSync(join(folder, "a.txt"));
  symlinkSync(join(outside, "target.txt"), join(folder, "a.txt"));
  await checkpoints.restore(id);
  expect(readFileSync(join(outside, "target.txt"), "utf8")).toBe("not yours");
  expect(lstatSync(join(folder, "a.txt")).isFile()).toBe(true);
});

/** Replaces the oldest checkpoint's files by a tree that git itself would never write. */
function tamper(storageFolder: string, entryName: string, mode: string): string {
  const gitFolder = join(storageFolder, "git");
  const git = (args: readonly string[], input: string | Buffer = "") =>
    execFileSync("git", ["--git-dir", gitFolder, ...args], { input, encoding: "utf8" }).trim();
  const blob = git(["hash-object", "-w", "--stdin"], "hostile");
  const tree = (name: string, entryMode: string, object: string) => {
    const entry = Buffer.concat([Buffer.from(`${entryMode} ${name}\0`), Buffer.from(object, "hex")]);
    return git(["hash-object", "-w", "-t", "tree", "--literally", "--stdin"], entry);
  };
  const files = mode === "tree" ? tree(entryName, "40000", tree("x", "100644", blob)) : tree(entryName, mode, blob);
  const [reference = ""] = git(["for-each-ref", "--format=%(refname)", "refs/checkpoints"]).split("\n");
  const details = git(["rev-parse", `${reference}:details.json`]);
  const top = git(["mktree"], `100644 blob ${details}\tdetails.json\n040000 tree ${files}\tfiles\n`);
  const message = git(["log", "-1", "--format=%B", reference]);
  const identity = ["-c", "user.name=x", "-c", "user.email=x@example.invalid"];
  const id = git([...identity, "commit-tree", top], message);
  git(["update-ref", reference, id]);
  return id;
}

const TAMPERED = [
  ["..", "tree"],
  [".git", "tree"],
  [".GIT", "tree"],
  [".", "tree"],
  ["../escaped", "100644"],
  ["/escaped", "100644"],
  ["module", "160000"],
] as const;

test("refuses a tampered checkpoint before it changes a file, whatever entry leads out of the folder", async () => {
  const { folder, storageFolder, outside, checkpoints } = testWorkspace({ "a.txt": "a" });
  mkdirSync(join(folder, ".git"));
  await checkpoints.save();
  writeFiles(folder, { "a.txt": "b" });
  await checkpoints.save();
  const [before, beside] = [fingerprints(folder), readdirSync(join(outside, ".."))];
  for (const [name, mode] of TAMPERED) {
    const id = tamper(storageFolder, name, mode);
    await expect(checkpoints.restore(id), `${name} (${mode})`).rejects.toThrow("is damaged");
    expect(fingerprints(folder), name).toEqual(before);
    expect(readdirSync(join(outside, "..")), name).toEqual(beside);
    expect(existsSync(join(outside, "..", "escaped")), name).toBe(false);
  }
});
