import { randomBytes } from "node:crypto";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fingerprints, testWorkspace, writeFiles } from "../../test/support/workspaces.ts";

test("forgets all but the newest, gives their disk space back, and keeps the others whole", async () => {
  const { folder, checkpoints } = testWorkspace({ "a.txt": "always here" });
  const saved: { readonly id: string; readonly files: Readonly<Record<string, string>> }[] = [];
  for (let round = 0; round < 4; round += 1) {
    writeFileSync(join(folder, "large.bin"), randomBytes(500_000));
    writeFiles(folder, { "round.txt": String(round) });
    saved.push({ id: (await checkpoints.save()).id, files: fingerprints(folder) });
  }
  const before = await checkpoints.diskUse();
  const { removed, freedBytes } = await checkpoints.prune({ keep: 2 });
  const after = await checkpoints.diskUse();
  expect(removed).toEqual([saved[1]?.id, saved[0]?.id]);
  expect(Math.abs(before.bytes - after.bytes - freedBytes)).toBeLessThan(10_000);
  expect(freedBytes).toBeGreaterThan(900_000);
  expect((await checkpoints.list()).map(({ id }) => id)).toEqual([saved[3]?.id, saved[2]?.id]);
  expect(await checkpoints.save()).toMatchObject({ isNew: false });
  for (const { id, files } of saved.slice(2)) {
    await checkpoints.restore(id);
    expect(fingerprints(folder)).toEqual(files);
  }
  await expect(checkpoints.restore(removed[0] ?? "")).rejects.toMatchObject({ code: "not-found" });
});

test("can forget everything, and begin again", async () => {
  const { folder, checkpoints } = testWorkspace();
  writeFileSync(join(folder, "large.bin"), randomBytes(300_000));
  await checkpoints.save();
  expect((await checkpoints.prune({ keep: 0 })).freedBytes).toBeGreaterThan(250_000);
  expect(await checkpoints.list()).toEqual([]);
  const { id, isNew } = await checkpoints.save();
  expect(isNew).toBe(true);
  const files = fingerprints(folder);
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
  await checkpoints.restore(id);
  expect(fingerprints(folder)).toEqual(files);
});
