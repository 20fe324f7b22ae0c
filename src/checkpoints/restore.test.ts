import { chmodSync, existsSync, readFileSync, readlinkSync, rmSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fingerprints, testWorkspace, writeFiles } from "../../test/support/workspaces.ts";

test("brings back deleted and changed files and removes those created since", async () => {
  const { folder, checkpoints } = testWorkspace({ "kept.txt": "k", "gone/deep.txt": "g", "changed.txt": "before" });
  const before = fingerprints(folder);
  const { id } = await checkpoints.save();
  rmSync(join(folder, "gone"), { recursive: true });
  writeFiles(folder, { "changed.txt": "after", "new/file.txt": "n" });
  const restored = await checkpoints.restore(id);
  expect(fingerprints(folder)).toEqual(before);
  expect(restored.kept).toEqual([]);
  expect(restored.changed).toEqual([
    { path: "new/file.txt", type: "removed" },
    { path: "changed.txt", type: "written" },
    { path: "gone/deep.txt", type: "written" },
  ]);
});

test("can be undone, and done again", async () => {
  const { folder, checkpoints } = testWorkspace({ "a.txt": "before" });
  const { id } = await checkpoints.save();
  writeFiles(folder, { "a.txt": "after", "b.txt": "new" });
  const after = fingerprints(folder);
  const { savedId } = await checkpoints.restore(id);
  const again = await checkpoints.restore(savedId);
  expect(fingerprints(folder)).toEqual(after);
  await checkpoints.restore(again.savedId);
  expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("before");
  expect(existsSync(join(folder, "b.txt"))).toBe(false);
});

test("brings every byte back, whatever attributes say of line ends, encodings and filters", async () => {
  const { folder, checkpoints } = testWorkspace({
    ".gitattributes":
      "* text=auto eol=lf ident\n*.crlf eol=crlf\n*.lfs filter=lfs diff=lfs merge=lfs -text\n*.utf16 working-tree-encoding=UTF-16\n",
    "mixed.txt": "one\r\ntwo\nthree\r\n$Id$\n",
    "windows.crlf": "one\r\ntwo\r\n",
    "unix.crlf": "one\ntwo\n",
    "large.lfs": "not a pointer",
    "plain.utf16": "plain",
    "binary.bin": "\0\u0001\r\n\u00ff",
  });
  const before = fingerprints(folder);
  const { id } = await checkpoints.save();
  for (const path of Object.keys(before)) writeFiles(folder, { [path]: "overwritten" });
  await checkpoints.restore(id);
  expect(fingerprints(folder)).toEqual(before);
});

test("takes any name", async () => {
  const names = [
    "with space",
    "new\nline",
    'quo"te',
    "it's",
    "back\\slash",
    "-leading",
    "--all",
    "ünï-日本-🦊",
    ":(top)x",
    "*",
  ];
  const { folder, checkpoints } = testWorkspace(
    Object.fromEntries(
      names.flatMap((name) => [
        [name, name],
        [`in ${name}/${name}`, name],
      ]),
    ),
  );
  const before = fingerprints(folder);
  const { id, filesChanged } = await checkpoints.save();
  expect(filesChanged).toBe(names.length * 2);
  for (const name of Object.keys(before)) rmSync(join(folder, name), { recursive: true, force: true });
  expect((await checkpoints.diff(id)).map(({ path }) => path).sort()).toEqual(
    names.flatMap((name) => [name, `in ${name}/${name}`]).sort(),
  );
  await checkpoints.restore(id);
  expect(fingerprints(folder)).toEqual(before);
});

test("keeps the right to execute, private permissions, and links as links", async () => {
  const { folder, checkpoints } = testWorkspace({ "run.sh": "#!", ".env": "KEY=1", "open.txt": "o" });
  chmodSync(join(folder, "run.sh"), 0o755);
  chmodSync(join(folder, ".env"), 0o600);
  symlinkSync("open.txt", join(folder, "link"));
  symlinkSync("nowhere", join(folder, "dangling"));
  const before = fingerprints(folder);
  const { id } = await checkpoints.save();
  for (const path of Object.keys(before)) rmSync(join(folder, path));
  writeFiles(folder, { link: "now a file" });
  await checkpoints.restore(id);
  expect(fingerprints(folder)).toEqual(before);
  chmodSync(join(folder, "run.sh"), 0o640);
  await checkpoints.restore(id);
  expect(statSync(join(folder, "run.sh")).mode & 0o777).toBe(0o750);
  expect(readlinkSync(join(folder, "dangling"))).toBe("nowhere");
});

test("turns a folder back into a file, and a file into a folder", async () => {
  const { folder, checkpoints } = testWorkspace({ one: "a file", "two/file.txt": "in a folder" });
  const before = fingerprints(folder);
  const { id } = await checkpoints.save();
  rmSync(join(folder, "one"));
  rmSync(join(folder, "two"), { recursive: true });
  writeFiles(folder, { "one/file.txt": "in a folder", two: "a file" });
  await checkpoints.restore(id);
  expect(fingerprints(folder)).toEqual(before);
});
