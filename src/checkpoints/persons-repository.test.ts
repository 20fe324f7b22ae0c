import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { fingerprints, personsGit, testWorkspace, writeFiles } from "../../test/support/workspaces.ts";
import { workspaceCheckpoints } from "./index.ts";

/** A repository with everything that git could touch, and that would notice: hooks, filters, a stash, staged changes. */
function busyRepository(folder: string): void {
  personsGit(folder, "init", "-q", "-b", "main");
  writeFiles(folder, { ".gitignore": "*.log\nbuild/\n", ".gitattributes": "*.txt filter=trap\n", "a.txt": "a\r\n" });
  personsGit(folder, "add", ".");
  personsGit(folder, "commit", "-q", "-m", "first");
  personsGit(folder, "branch", "other");
  writeFiles(folder, { "a.txt": "stashed" });
  personsGit(folder, "stash", "-q");
  writeFiles(folder, {
    "staged.txt": "s",
    "debug.log": "ignored",
    "build/out.js": "ignored",
    "info.private": "ignored",
  });
  personsGit(folder, "add", "staged.txt");
  writeFileSync(join(folder, ".git", "info", "exclude"), "*.private\n");
  const trap = join(folder, "..", "outside", "trap");
  const hook = `#!/bin/sh\ntouch '${trap}'\n`;
  for (const name of ["post-index-change", "reference-transaction", "pre-commit", "post-checkout", "pre-auto-gc"]) {
    writeFileSync(join(folder, ".git", "hooks", name), hook);
    chmodSync(join(folder, ".git", "hooks", name), 0o755);
  }
  for (const [name, value] of [
    ["filter.trap.clean", `touch '${trap}'; cat`],
    ["filter.trap.smudge", `touch '${trap}'; cat`],
    ["core.fsmonitor", join(folder, ".git", "hooks", "pre-commit")],
    ["core.autocrlf", "true"],
    ["commit.gpgSign", "true"],
  ]) {
    personsGit(folder, "config", name ?? "", value ?? "");
  }
}

test("leaves the person's repository byte for byte as it is, and runs nothing of it", async () => {
  const { folder, outside, checkpoints } = testWorkspace();
  busyRepository(folder);
  const repository = fingerprints(join(folder, ".git"));
  const { id } = await checkpoints.save();
  writeFiles(folder, { "a.txt": "changed", "new.txt": "n", "debug.log": "more" });
  await checkpoints.diff(id);
  await checkpoints.restore(id);
  await checkpoints.prune({ keep: 1 });
  await checkpoints.remove();
  expect(fingerprints(join(folder, ".git"))).toEqual(repository);
  expect(existsSync(join(outside, "trap"))).toBe(false);
  expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("a\r\n");
});

test("neither saves nor touches ignored files", async () => {
  const { folder, checkpoints } = testWorkspace();
  busyRepository(folder);
  writeFiles(folder, { "sub/.gitignore": "local\n", "sub/local": "ignored", "sub/seen": "s", ".env": "A=1" });
  const { id } = await checkpoints.save();
  writeFiles(folder, {
    "debug.log": "changed",
    "build/out.js": "changed",
    "new.log": "new",
    "info.private": "changed",
  });
  rmSync(join(folder, "sub", "local"));
  expect(await checkpoints.diff(id)).toEqual([]);
  writeFiles(folder, { ".env": "A=2" });
  expect(await checkpoints.restore(id)).toMatchObject({ changed: [{ path: ".env" }] });
  for (const path of ["debug.log", "build/out.js", "info.private"]) {
    expect(readFileSync(join(folder, path), "utf8")).toBe("changed");
  }
  expect(existsSync(join(folder, "new.log"))).toBe(true);
  expect(existsSync(join(folder, "sub", "local"))).toBe(false);
});

test("touches no file that is ignored now, or was ignored then", async () => {
  const { folder, checkpoints } = testWorkspace({ ".gitignore": "data/\n", "data/set": "precious", "x.log": "old" });
  const first = await checkpoints.save();
  writeFiles(folder, { ".gitignore": "*.log\n", "x.log": "new and ignored", "new.txt": "n" });
  const { kept, changed } = await checkpoints.restore(first.id);
  expect(kept).toEqual([
    { path: "data/set", reason: "ignored" },
    { path: "x.log", reason: "unsaved" },
  ]);
  expect(changed.map(({ path }) => path)).toEqual([".gitignore", "new.txt"]);
  expect(readFileSync(join(folder, "data", "set"), "utf8")).toBe("precious");
  expect(readFileSync(join(folder, "x.log"), "utf8")).toBe("new and ignored");
});

test("follows the rules of the repository around it, unless those ignore all of it", async () => {
  const { folder, storageFolder } = testWorkspace();
  personsGit(folder, "init", "-q");
  writeFiles(folder, {
    ".gitignore": "*.log\nscratch/\n",
    "package/a.txt": "a",
    "package/a.log": "ignored",
    "scratch/b.txt": "b",
  });
  const inside = workspaceCheckpoints({ workspace: join(folder, "package"), storageFolder });
  expect(await inside.save()).toMatchObject({ filesChanged: 1 });
  const ignored = workspaceCheckpoints({ workspace: join(folder, "scratch"), storageFolder: `${storageFolder}-2` });
  expect(await ignored.save()).toMatchObject({ filesChanged: 1 });
});

test("knows what a worktree ignores", async () => {
  const { folder, outside, storageFolder } = testWorkspace({ "a.txt": "a" });
  personsGit(folder, "init", "-q");
  personsGit(folder, "add", ".");
  personsGit(folder, "commit", "-q", "-m", "first");
  const worktree = join(outside, "worktree");
  personsGit(folder, "worktree", "add", "-q", worktree);
  writeFileSync(join(folder, ".git", "info", "exclude"), "*.private\n");
  writeFiles(worktree, { "b.private": "ignored" });
  const checkpoints = workspaceCheckpoints({ workspace: worktree, storageFolder });
  expect(await checkpoints.save()).toMatchObject({ filesChanged: 1 });
});

test("works inside a hook, where the environment names another repository", async () => {
  const { folder, outside, checkpoints } = testWorkspace({ "a.txt": "a" });
  mkdirSync(join(outside, "repository"));
  personsGit(join(outside, "repository"), "init", "-q");
  const other = join(outside, "repository", ".git");
  const before = fingerprints(other);
  const variables = {
    GIT_DIR: other,
    GIT_WORK_TREE: outside,
    GIT_INDEX_FILE: join(other, "index"),
    GIT_OBJECT_DIRECTORY: join(other, "objects"),
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "core.autocrlf",
    GIT_CONFIG_VALUE_0: "input",
    GIT_AUTHOR_DATE: "nonsense",
  };
  Object.assign(process.env, variables);
  onTestFinished(() => {
    for (const name of Object.keys(variables)) delete process.env[name];
  });
  const { id } = await checkpoints.save();
  writeFiles(folder, { "a.txt": "b\r\n" });
  await checkpoints.restore(id);
  expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("a");
  expect(fingerprints(other)).toEqual(before);
});

test("saves the files of repositories inside as plain files, and leaves their .git alone", async () => {
  const { folder, outside, checkpoints } = testWorkspace({ "a.txt": "a" });
  mkdirSync(join(outside, "library"));
  for (const repository of [folder, join(outside, "library")]) personsGit(repository, "init", "-q");
  writeFiles(join(outside, "library"), { "library.txt": "l" });
  personsGit(join(outside, "library"), "add", ".");
  personsGit(join(outside, "library"), "commit", "-q", "-m", "first");
  personsGit(folder, "submodule", "add", "-q", join(outside, "library"), "modules/library");
  personsGit(folder, "clone", "-q", join(outside, "library"), "deep/clone");
  writeFiles(folder, { "deep/clone/.gitignore": "*.tmp\n", "deep/clone/x.tmp": "ignored", "deep/clone/new.txt": "n" });
  personsGit(folder, "init", "-q", "deep/clone/inner");
  writeFiles(folder, { "deep/clone/inner/i.txt": "i" });
  const before = fingerprints(folder);
  const { id, filesChanged } = await checkpoints.save();
  expect(filesChanged).toBe(7);
  writeFiles(folder, { "modules/library/library.txt": "changed", "deep/clone/since.txt": "s" });
  rmSync(join(folder, "deep", "clone", "inner", "i.txt"));
  rmSync(join(folder, "deep", "clone", "library.txt"));
  const { changed } = await checkpoints.restore(id);
  expect(changed).toHaveLength(4);
  expect(fingerprints(folder)).toEqual(before);
});
