import { chmodSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { testWorkspace, writeFiles } from "../../test/support/workspaces.ts";
import { workspaceCheckpoints } from "./index.ts";

test("a workspace of more files, or of more bytes, than allowed is refused; what is ignored does not count", async () => {
  const files = { "a.txt": "1234", "b.txt": "5678", "ignored/c.txt": "9".repeat(100), ".gitignore": "ignored\n" };
  const few = testWorkspace(files, { maxFiles: 3, maxTotalBytes: 16 });
  expect(await few.checkpoints.save()).toMatchObject({ filesChanged: 3 });
  writeFiles(few.folder, { "a.txt": "12345" });
  await expect(few.checkpoints.save()).rejects.toThrow(/has more than 16 bytes of files. Add what tools generate/);
  writeFiles(few.folder, { "a.txt": "1", "d.txt": "" });
  await expect(few.checkpoints.save()).rejects.toMatchObject({
    code: "checkpoint-failed",
    message: expect.stringContaining("has more than 3 files"),
  });
});

test("a preview says what restoring does, and changes nothing", async () => {
  const { folder, checkpoints } = testWorkspace({ "kept.txt": "same", "edited.txt": "before", "deleted.txt": "x" });
  const { id } = await checkpoints.save();
  writeFiles(folder, { "edited.txt": "after", "new.txt": "n" });
  rmSync(join(folder, "deleted.txt"));
  const told = await checkpoints.preview(id);
  expect([existsSync(join(folder, "new.txt")), (await checkpoints.list()).length]).toEqual([true, 1]);
  const { changed } = await checkpoints.restore(id);
  expect(new Set(told.map(({ path, type }) => `${type} ${path}`))).toEqual(
    new Set(changed.map(({ path, type }) => `${type} ${path}`)),
  );
  expect(told).toHaveLength(3);
  await expect(checkpoints.preview("0".repeat(40))).rejects.toMatchObject({ code: "not-found" });
});

test.skipIf(process.platform === "win32")("a signal ends a git that hangs", async () => {
  const stop = new AbortController();
  const { outside, folder, storageFolder } = testWorkspace({ "a.txt": "a" });
  const [git, started] = [join(outside, "git"), join(outside, "started")];
  writeFileSync(
    git,
    `#!/bin/sh\ncase "$*" in *--version*) echo git version 2.45.0; exit;; esac\n: > ${started}\nexec sleep 600\n`,
  );
  chmodSync(git, 0o755);
  const saving = workspaceCheckpoints({ workspace: folder, storageFolder, git, signal: stop.signal }).save();
  const failed = expect(saving).rejects.toMatchObject({ code: "checkpoint-failed" });
  await vi.waitFor(() => expect(existsSync(started)).toBe(true), { timeout: 300_000 });
  stop.abort();
  await failed;
});
