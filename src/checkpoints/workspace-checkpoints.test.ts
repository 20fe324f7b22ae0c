import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fingerprints, testWorkspace, writeFiles } from "../../test/support/workspaces.ts";
import { workspaceCheckpoints } from "./index.ts";

const UNKNOWN_ID = "0123456789012345678901234567890123456789";

describe("saving", () => {
  test("names what was saved, when, and how much of it had changed", async () => {
    let clockMs = 1_700_000_000_123;
    const { folder, checkpoints } = testWorkspace({ "a.txt": "a", "b/c.txt": "c" }, { now: () => clockMs });
    const first = await checkpoints.save({ message: "before\nthe refactoring: «ü»" });
    expect(first).toMatchObject({ at: 1_700_000_000_123, filesChanged: 2, isNew: true, skipped: [] });
    clockMs += 1;
    writeFiles(folder, { "a.txt": "changed" });
    const second = await checkpoints.save();
    expect(second).toMatchObject({ at: 1_700_000_000_124, message: "", filesChanged: 1 });
    const { isNew: _first, ...firstListed } = first;
    const { isNew: _second, ...secondListed } = second;
    expect(await checkpoints.list()).toEqual([secondListed, firstListed]);
    expect(firstListed.message).toBe("before\nthe refactoring: «ü»");
  });

  test("makes no new checkpoint where nothing has changed", async () => {
    const { folder, checkpoints } = testWorkspace({ "a.txt": "a" });
    const first = await checkpoints.save();
    writeFiles(folder, { "a.txt": "a" });
    expect(await checkpoints.save()).toMatchObject({ id: first.id, isNew: false, filesChanged: 0 });
    expect(await checkpoints.list()).toHaveLength(1);
  });

  test("gives the same files at the same time the same id on every machine", async () => {
    const ids = [1, 2].map(async () => {
      const { checkpoints } = testWorkspace({ "a.txt": "a" }, { now: () => 1_700_000_000_000 });
      return (await checkpoints.save({ message: "one" })).id;
    });
    expect(new Set(await Promise.all(ids)).size).toBe(1);
  });

  test("notices a change of the same size a moment later", async () => {
    const { folder, checkpoints } = testWorkspace({ "a.txt": "one" });
    const { id } = await checkpoints.save();
    for (const content of ["two", "six", "ten"]) {
      writeFiles(folder, { "a.txt": content });
      expect(await checkpoints.save()).toMatchObject({ isNew: true, filesChanged: 1 });
    }
    await checkpoints.restore(id);
    expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("one");
  });

  test("works on a folder without files", async () => {
    const { folder, checkpoints } = testWorkspace();
    const { id } = await checkpoints.save();
    writeFiles(folder, { "a.txt": "a" });
    expect(await checkpoints.diff(id)).toMatchObject([{ type: "added", path: "a.txt" }]);
    await checkpoints.restore(id);
    expect(fingerprints(folder)).toEqual({});
  });
});

describe("refusing", () => {
  test("says which checkpoint it does not know, before it changes anything", async () => {
    const { folder, storageFolder, checkpoints } = testWorkspace({ "a.txt": "a" });
    for (const id of [UNKNOWN_ID, "--all", "HEAD", ""]) {
      await expect(checkpoints.restore(id)).rejects.toMatchObject({ code: "not-found" });
      await expect(checkpoints.diff(id)).rejects.toMatchObject({ code: "not-found" });
    }
    expect(existsSync(storageFolder)).toBe(false);
    const { id } = await checkpoints.save();
    writeFiles(folder, { "b.txt": "b" });
    await expect(checkpoints.restore(UNKNOWN_ID)).rejects.toMatchObject({ code: "not-found" });
    await expect(checkpoints.diff(id, UNKNOWN_ID)).rejects.toThrow(UNKNOWN_ID);
    expect(await checkpoints.list()).toHaveLength(1);
  });

  test("has nothing to list, prune or remove before the first checkpoint", async () => {
    const { storageFolder, checkpoints } = testWorkspace();
    expect(await checkpoints.list()).toEqual([]);
    expect(await checkpoints.diskUse()).toEqual({ bytes: 0 });
    expect(await checkpoints.prune({ keep: 1 })).toEqual({ removed: [], freedBytes: 0 });
    await checkpoints.remove();
    expect(existsSync(storageFolder)).toBe(false);
  });

  test("names the argument that is wrong", async () => {
    const { folder, storageFolder, checkpoints } = testWorkspace();
    expect(() => workspaceCheckpoints({ workspace: "", storageFolder })).toThrow("workspace");
    expect(() => workspaceCheckpoints({ workspace: folder, storageFolder, maxFileBytes: -1 })).toThrow("maxFileBytes");
    expect(() => workspaceCheckpoints({ workspace: folder, storageFolder, maxFiles: -1 })).toThrow("maxFiles");
    expect(() => workspaceCheckpoints({ workspace: folder, storageFolder, maxTotalBytes: Number.NaN })).toThrow(
      "maxTotalBytes",
    );
    const noSignal = Object.assign({ workspace: folder, storageFolder }, JSON.parse('{ "signal": 5 }'));
    expect(() => workspaceCheckpoints(noSignal)).toThrow("signal");
    await expect(checkpoints.prune({ keep: -1 })).rejects.toMatchObject({ code: "invalid-argument" });
  });
});

test("removes the storage folder with all that is ours in it", async () => {
  const { storageFolder, checkpoints } = testWorkspace({ "a.txt": "a" });
  await checkpoints.save();
  expect((await checkpoints.diskUse()).bytes).toBeGreaterThan(0);
  await checkpoints.remove();
  expect(existsSync(storageFolder)).toBe(false);
  mkdirSync(storageFolder);
  expect(await checkpoints.save()).toMatchObject({ isNew: true });
});
