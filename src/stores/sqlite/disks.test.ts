import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { canMount, smallDisk } from "../../../test/support/temporary-folder.ts";
import type { Store } from "../../core/ports/store.ts";
import { sqliteStore } from "./index.ts";

const BODY = JSON.stringify("x".repeat(40_000));

/** Appends until the disk is full, and gives how many were acknowledged and what the last one met. */
async function fill(store: Store, key: number): Promise<{ acknowledged: number; error: unknown }> {
  for (let acknowledged = 0; acknowledged < 1_000; acknowledged++) {
    try {
      await store.append(key, [{ body: BODY, terms: ["word", `t${acknowledged}`] }]);
    } catch (error) {
      return { acknowledged, error };
    }
  }
  throw new Error("the disk is too large for this test");
}

describe.skipIf(!canMount)("a full disk", () => {
  test("is said, loses nothing acknowledged, and is forgotten when there is room", async () => {
    const { folder } = smallDisk(3_000);
    const ballast = join(folder, "ballast");
    const path = join(folder, "store.db");
    const store = sqliteStore({ path });
    const { key } = await store.open("s");
    writeFileSync(ballast, Buffer.alloc(1_000_000));

    const { acknowledged, error } = await fill(store, key);
    expect(acknowledged).toBeGreaterThan(5);
    expect(error).toMatchObject({
      code: "store-failed",
      message: expect.stringMatching(/disk is full.*store\.db.*Free some space/),
    });
    expect(await store.read(key)).toHaveLength(acknowledged);
    expect(await store.search(["word"])).toHaveLength(acknowledged);

    rmSync(ballast);
    const more = await fill(store, key);
    expect(more.acknowledged).toBeGreaterThan(5);
    expect(await store.read(key)).toHaveLength(acknowledged + more.acknowledged);
    await store.close();

    const again = sqliteStore({ path });
    expect(await again.read(key)).toHaveLength(acknowledged + more.acknowledged);
    await again.close();
  });

  test("is said where the file cannot even be made", async () => {
    const { folder } = smallDisk(64);
    expect(() => writeFileSync(join(folder, "ballast"), Buffer.alloc(64 * 1_024))).not.toThrow();
    const store = sqliteStore({ path: join(folder, "store.db") });
    await expect(store.open("s")).rejects.toMatchObject({ code: "store-failed" });
    rmSync(join(folder, "ballast"));
    await store.close();
  });
});

describe.skipIf(!canMount)("a read-only disk", () => {
  test("is said, with the path and what to do", async () => {
    const disk = smallDisk(2_000);
    const path = join(disk.folder, "store.db");
    const store = sqliteStore({ path });
    const { key } = await store.open("s");
    await store.append(key, [{ body: BODY }]);
    await store.close();
    disk.setReadOnly(true);
    for (const name of ["store.db", "new.db", "new/new.db"]) {
      const other = sqliteStore({ path: join(disk.folder, name) });
      await expect(other.open("s")).rejects.toMatchObject({
        code: "store-failed",
        message: expect.stringMatching(/cannot be written.*Allow the user/),
      });
      await other.close();
    }
    disk.setReadOnly(false);
    const again = sqliteStore({ path });
    expect(await again.read(key)).toHaveLength(1);
    await again.close();
  });
});
