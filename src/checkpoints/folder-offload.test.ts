import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { untyped } from "../../test/support/sessions.ts";
import { canMount, smallDisk, temporaryFolder } from "../../test/support/temporary-folder.ts";
import { folderOffload } from "./folder-offload.ts";

const FILE = { sessionId: "task", name: "t0-abc.txt" };

describe("a file in a folder", () => {
  test("is where its path says, whole, and nobody else may read it", async () => {
    const folder = join(temporaryFolder(), "not", "there", "yet");
    const files = folderOffload({ folder });
    const text = "line\r\n\0 é 😀 \uFEFF".repeat(100);
    await files.write({ ...FILE, text });
    const path = files.pathOf(FILE);
    expect(readFileSync(path, "utf8")).toBe(text);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    expect(readdirSync(dirname(path))).toEqual([FILE.name]);
  });

  test("can be written again, also by many at once", async () => {
    const files = folderOffload({ folder: temporaryFolder() });
    await Promise.all(Array.from({ length: 20 }, () => files.write({ ...FILE, text: "same" })));
    const path = files.pathOf(FILE);
    expect([readFileSync(path, "utf8"), readdirSync(dirname(path))]).toEqual(["same", [FILE.name]]);
  });

  test.each(["../up", "a/../../b", "..", "/etc", "C:\\x", "", "\0", "a".repeat(3_000), "é"])(
    "stays in the folder for the session %j",
    async (sessionId) => {
      const folder = temporaryFolder();
      const files = folderOffload({ folder });
      const path = files.pathOf({ ...FILE, sessionId });
      expect(relative(folder, path)).toMatch(/^[A-Za-z0-9_-]*-[0-9a-f]{12}[\\/]t0-abc\.txt$/);
      await files.write({ ...FILE, sessionId, text: "inside" });
      expect(readFileSync(path, "utf8")).toBe("inside");
    },
  );

  test("is another for sessions that differ in case or in a slash alone", () => {
    const files = folderOffload({ folder: temporaryFolder() });
    const paths = ["a/b", "a_b", "A_b", "a\\b"].map((sessionId) => files.pathOf({ ...FILE, sessionId }).toLowerCase());
    expect(new Set(paths).size).toBe(4);
  });

  test.each(["../x.txt", "a/b.txt", "..", ".hidden", "", "a\0", "a\nb"])(
    "is refused under the name %j",
    async (name) => {
      const files = folderOffload({ folder: temporaryFolder() });
      expect(() => files.pathOf({ ...FILE, name })).toThrow("name is");
      await expect(files.write({ ...FILE, name, text: "x" })).rejects.toThrow("name is");
    },
  );

  test("is not written through a link that leads out of the folder", async () => {
    const [folder, elsewhere] = [temporaryFolder(), temporaryFolder()];
    const files = folderOffload({ folder });
    symlinkSync(elsewhere, dirname(files.pathOf(FILE)));
    await expect(files.write({ ...FILE, text: "x" })).rejects.toThrow(/could not be written.*is a link to/);
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  test("replaces a link of its name, and not what the link leads to", async () => {
    const folder = temporaryFolder();
    const files = folderOffload({ folder });
    const target = join(folder, "target");
    writeFileSync(target, "untouched");
    mkdirSync(dirname(files.pathOf(FILE)));
    symlinkSync(target, files.pathOf(FILE));
    await files.write({ ...FILE, text: "new" });
    expect([readFileSync(target, "utf8"), readFileSync(files.pathOf(FILE), "utf8")]).toEqual(["untouched", "new"]);
  });

  test.runIf(canMount)("is whole or not there where the disk is full, and the error says so", async () => {
    const files = folderOffload({ folder: smallDisk(64).folder });
    await expect(files.write({ ...FILE, text: "x".repeat(200_000) })).rejects.toMatchObject({
      code: "offload-failed",
      message: expect.stringMatching(/could not be written to .*ENOSPC/),
    });
    expect(readdirSync(dirname(files.pathOf(FILE)))).toEqual([]);
  });
});

test("removing a session deletes its files and no others", async () => {
  const folder = temporaryFolder();
  const files = folderOffload({ folder });
  await files.write({ ...FILE, text: "gone" });
  await files.write({ ...FILE, sessionId: "other", text: "stays" });
  await files.remove("task");
  await files.remove("never there");
  expect(readdirSync(folder)).toEqual([relative(folder, dirname(files.pathOf({ ...FILE, sessionId: "other" })))]);
});

test.each([
  [undefined, "options"],
  [{}, "options.folder"],
  [{ folder: "" }, "options.folder"],
  [{ folder: "a\nb" }, "options.folder"],
  [{ folder: "x", minTokens: Number.NaN }, "options.minTokens"],
  [{ folder: "x", timeoutMs: 0 }, "options.timeoutMs"],
])("%j is refused by name", (options, name) => {
  expect(() => folderOffload(untyped(options))).toThrow(name);
});
