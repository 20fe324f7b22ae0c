import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fingerprints, testWorkspace, writeFiles } from "../../test/support/workspaces.ts";
import { foldersOf, withoutLeftOut } from "./left-out.ts";

test("leaves out what a marker file declares to be a cache or an environment, but not the whole workspace", () => {
  const paths = [
    "a",
    "target/CACHEDIR.TAG",
    "target/debug/x",
    "env/pyvenv.cfg",
    "env/lib/y",
    "targets/z",
    "CACHEDIR.TAG",
  ];
  expect(withoutLeftOut(paths)).toEqual(["a", "targets/z", "CACHEDIR.TAG"]);
});

test("leaves out repositories' own folders, however they are written", () => {
  expect(withoutLeftOut([".git/x", "a/.GIT/x", "a/.git", "b/.github/x", ".gitignore"])).toEqual([
    "b/.github/x",
    ".gitignore",
  ]);
});

test("names the folders of a path from the nearest on", () => {
  expect(foldersOf("a/b/c.txt")).toEqual(["a/b", "a"]);
  expect(foldersOf("c.txt")).toEqual([]);
});

test("neither saves nor removes what tools can fill again, even where rules ask for it", async () => {
  const { folder, checkpoints } = testWorkspace({
    ".gitignore": "!node_modules/\n",
    "src/a.ts": "a",
    ".env": "SECRET=1",
  });
  const { id, filesChanged } = await checkpoints.save();
  expect(filesChanged).toBe(3);
  writeFiles(folder, {
    "node_modules/x/index.js": "x",
    "packages/a/node_modules/y/index.js": "y",
    ".venv/bin/python": "p",
    "my-env/pyvenv.cfg": "home = /usr",
    "my-env/bin/python": "p",
    "src/__pycache__/a.pyc": "c",
    "target/CACHEDIR.TAG": "Signature: 8a477f597d28d172789f06886806bc55",
    "target/debug/a": "binary",
  });
  const before = fingerprints(folder);
  expect(await checkpoints.save()).toMatchObject({ isNew: false });
  expect(await checkpoints.restore(id)).toMatchObject({ changed: [], kept: [] });
  expect(fingerprints(folder)).toEqual(before);
  expect(existsSync(join(folder, "node_modules", "x", "index.js"))).toBe(true);
});
