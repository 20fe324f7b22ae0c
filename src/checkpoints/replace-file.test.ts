import { chmodSync, existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { testWorkspace } from "../../test/support/workspaces.ts";
import type { FileToWrite } from "./plan-restore.ts";
import { removeFile, writeFile } from "./replace-file.ts";

const DONE = { type: "done" };
const UNSAVED = { type: "kept", reason: "unsaved" };
const NEXT_YEAR_MS = Date.now() + 365 * 24 * 3_600_000;

function file(path: string, more: Partial<FileToWrite> = {}): FileToWrite {
  return { path, kind: "file", object: "", isSaved: true, permissions: undefined, ...more };
}

test("leaves a file alone that changed after the present was saved", () => {
  const { folder: workspace } = testWorkspace({ "a.txt": "typed this moment" });
  const longAgo = { workspace, savedMs: Date.now() - 60_000 };
  expect(writeFile(longAgo, file("a.txt"), Buffer.from("old"))).toEqual(UNSAVED);
  expect(removeFile(longAgo, "a.txt")).toEqual(UNSAVED);
  expect(readFileSync(join(workspace, "a.txt"), "utf8")).toBe("typed this moment");
  expect(writeFile({ workspace, savedMs: NEXT_YEAR_MS }, file("a.txt"), Buffer.from("old"))).toEqual(DONE);
});

test("keeps what a person allows others to do with a file that it replaces", () => {
  const { folder: workspace } = testWorkspace({ "a.txt": "a" });
  chmodSync(join(workspace, "a.txt"), 0o640);
  const saved = { workspace, savedMs: NEXT_YEAR_MS };
  const permissions = () => statSync(join(workspace, "a.txt")).mode & 0o777;
  writeFile(saved, file("a.txt"), Buffer.from("b"));
  expect(permissions()).toBe(0o640);
  writeFile(saved, file("a.txt", { kind: "executable" }), Buffer.from("b"));
  expect(permissions()).toBe(0o750);
  writeFile(saved, file("a.txt", { permissions: 0o600 }), Buffer.from("b"));
  expect(permissions()).toBe(0o600);
});

test("removes the folders that it empties, and no others", () => {
  const { folder: workspace } = testWorkspace({ "one/two/a.txt": "a", "one/b.txt": "b" });
  mkdirSync(join(workspace, "one", "empty"));
  const saved = { workspace, savedMs: NEXT_YEAR_MS };
  expect(removeFile(saved, "one/two/a.txt")).toEqual(DONE);
  expect(existsSync(join(workspace, "one", "two"))).toBe(false);
  expect(removeFile(saved, "one/b.txt")).toEqual(DONE);
  expect(existsSync(join(workspace, "one", "empty"))).toBe(true);
  expect(removeFile(saved, "one/b.txt")).toEqual(DONE);
});
