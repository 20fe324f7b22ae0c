import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { testWorkspace, writeFiles } from "../../test/support/workspaces.ts";

test("previews a restore without a checkpoint", async () => {
  const { folder, checkpoints } = testWorkspace({ "a.txt": "one\ntwo\n", "b.txt": "b", "c.bin": "\0\u0001" });
  const { id } = await checkpoints.save();
  writeFiles(folder, { "a.txt": "one\n2\n", "c.bin": "\0\u0002", "d.txt": "d\rdiff --git a b\n" });
  rmSync(join(folder, "b.txt"));
  const changes = await checkpoints.diff(id);
  expect(changes).toMatchObject([
    {
      type: "modified",
      path: "a.txt",
      before: { kind: "file", bytes: 8 },
      after: { bytes: 6 },
      patch: { type: "text" },
    },
    { type: "deleted", path: "b.txt", before: { bytes: 1 }, patch: { type: "text" } },
    { type: "modified", path: "c.bin", patch: { type: "binary" } },
    { type: "added", path: "d.txt", after: { bytes: 17 }, patch: { type: "text" } },
  ]);
  expect(changes[0]?.patch).toHaveProperty("text", expect.stringContaining("\n-two\n+2\n"));
  expect(await checkpoints.list()).toHaveLength(1);
});

test("compares two checkpoints, also a file that became a link", async () => {
  const { folder, checkpoints } = testWorkspace({ a: "file", z: "last" });
  const first = await checkpoints.save();
  rmSync(join(folder, "a"));
  symlinkSync("z", join(folder, "a"));
  writeFiles(folder, { z: "changed" });
  const second = await checkpoints.save();
  const changes = await checkpoints.diff(first.id, second.id);
  expect(changes).toMatchObject([
    { path: "a", before: { kind: "file" }, after: { kind: "link" } },
    { path: "z", patch: { text: expect.stringContaining("+changed") } },
  ]);
  expect(await checkpoints.diff(second.id, second.id)).toEqual([]);
});

test("leaves out patches that nobody would read", async () => {
  const { folder, checkpoints } = testWorkspace();
  const { id } = await checkpoints.save();
  const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}\n`).join("");
  writeFiles(folder, { "one-large.txt": lines(40_000), "small.txt": "s\n" });
  for (let index = 0; index < 30; index += 1) writeFiles(folder, { [`many-${index}.txt`]: lines(20_000) });
  const changes = await checkpoints.diff(id);
  const types = new Map(changes.map(({ path, patch }) => [path, patch.type]));
  expect(types.get("one-large.txt")).toBe("too-large");
  expect(types.get("many-0.txt")).toBe("text");
  expect(types.get("small.txt")).toBe("too-large");
  expect(JSON.stringify(changes).length).toBeLessThan(6_000_000);
});
