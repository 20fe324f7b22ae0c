import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { testWorkspace } from "../../test/support/workspaces.ts";
import { workspaceCheckpoints } from "./index.ts";

function fakeGit(folder: string, script: string): string {
  const path = join(folder, "git");
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

test("says what to do where git is missing", async () => {
  const { outside, folder, storageFolder } = testWorkspace();
  const git = join(outside, "no-git");
  await expect(workspaceCheckpoints({ workspace: folder, storageFolder, git }).save()).rejects.toMatchObject({
    code: "checkpoint-failed",
    message: expect.stringMatching(/no-git" cannot be run\. Install git 2\.25 or newer/),
  });
});

test.skipIf(process.platform === "win32").each([
  ["echo git version 2.24.4", "2.24.4"],
  ["echo git version 1.9.0", "1.9.0"],
  ["echo something else", "something else"],
])("refuses git that is too old: %s", async (script, found) => {
  const { outside, folder, storageFolder } = testWorkspace();
  const git = fakeGit(outside, script);
  const saving = workspaceCheckpoints({ workspace: folder, storageFolder, git }).save();
  await expect(saving).rejects.toThrow(`need git 2.25 or newer, and "${git}" says: `);
  await expect(saving).rejects.toThrow(found);
});

test.skipIf(process.platform === "win32")("passes on what git complains about, and which command failed", async () => {
  const { outside, folder, storageFolder } = testWorkspace();
  const git = fakeGit(
    outside,
    'case "$1" in --version) echo git version 2.40.0;; *) echo fatal: disk on fire >&2; exit 128;; esac',
  );
  const saving = workspaceCheckpoints({ workspace: folder, storageFolder, git }).save();
  await expect(saving).rejects.toThrow("git init failed: fatal: disk on fire");
});
