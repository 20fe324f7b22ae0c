import { linkSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tellFigures } from "../../test/chaos/chaos-size.ts";
import { testWorkspace } from "../../test/support/workspaces.ts";

async function durationMs(action: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await action();
  return performance.now() - startMs;
}

test("saves 20,000 files, and tells how long that takes, and again when none changed", async () => {
  const { folder, checkpoints } = testWorkspace();
  // Ten names for each of 2,000 files: making as many files would take most of the test's time.
  for (let outer = 0; outer < 200; outer += 1) {
    mkdirSync(join(folder, `folder-${outer}`));
    for (let inner = 0; inner < 100; inner += 1) {
      const path = join(folder, `folder-${outer}`, `${inner}.txt`);
      if (outer < 20) writeFileSync(path, `${outer} ${inner}\n`);
      else linkSync(join(folder, `folder-${outer % 20}`, `${inner}.txt`), path);
    }
  }
  const firstMs = await durationMs(() => checkpoints.save());
  const [first] = await checkpoints.list();
  expect(first?.filesChanged).toBe(20_000);
  const againMs = [await durationMs(() => checkpoints.save()), await durationMs(() => checkpoints.save())];
  tellFigures("checkpoints of 20,000 files", {
    "first ms": Math.round(firstMs),
    "unchanged ms": Math.round(Math.min(...againMs)),
  });
  expect(await checkpoints.list()).toHaveLength(1);
  rmSync(join(folder, "folder-7"), { recursive: true });
  const { changed } = await checkpoints.restore(first?.id ?? "");
  expect(changed).toHaveLength(100);
  // As single objects of a block each they would take 8 MB.
  expect((await checkpoints.diskUse()).bytes).toBeLessThan(5_000_000);
});
