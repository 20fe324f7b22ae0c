import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { editDatabase } from "../../../test/support/sqlite-sample.ts";
import { damageStoreContract, durableStoreContract, type StoredPlace, storeContract } from "../../testing/index.ts";
import { sqliteStore } from "./index.ts";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-sqlite-"));
afterAll(() => rmSync(folder, { recursive: true }));

let count = 0;
const open = async () => sqliteStore({ path: join(folder, `${++count}.db`) });
const reopen = async () => sqliteStore({ path: join(folder, `${count}.db`) });

async function damage(place: StoredPlace): Promise<void> {
  editDatabase(join(folder, `${count}.db`), damageSql(place));
}

function damageSql(place: StoredPlace): string {
  const set = "SET body = substr(body, 1, 2) || 'x' || substr(body, 4)";
  switch (place.type) {
    case "record":
      return `UPDATE records ${set} WHERE id = (${place.sessionKey} << 32) + ${place.version}`;
    case "checkpoint":
      return `UPDATE checkpoints ${set} WHERE session_key = ${place.sessionKey} AND id = '${place.id}'`;
    case "session":
      return `UPDATE sessions SET rewrite_version = rewrite_version + 1 WHERE key = ${place.sessionKey}`;
  }
}

describe("the contract", () => {
  for (const { name, run } of storeContract) test(name, () => run(open));
  for (const { name, run } of durableStoreContract) test(name, () => run({ open, reopen }));
  for (const { name, run } of damageStoreContract) test(name, () => run({ open, damage }));
});

test("a record with more blobs than one transaction takes has all of them, and others write in between", async () => {
  const store = await open();
  const [session, other] = [await store.open("large"), await store.open("other")];
  const bytes = new Uint8Array([1, 2, 3]);
  const blobs = Array.from({ length: 2_000 }, (_, index) => ({ name: `b${index}`, bytes }));
  const order: string[] = [];
  const large = store.append(session.key, [{ body: "{}" }, { body: "{}", blobs }]).then(() => order.push("large"));
  const small = store.append(other.key, [{ body: "{}" }]).then(() => order.push("small"));
  bytes.fill(0);
  await Promise.all([large, small]);
  expect(order).toEqual(["small", "large"]);
  const names = blobs.map(({ name }) => name);
  const kept = await store.readBlobs(session.key, names);
  expect(kept.map(({ name }) => name)).toEqual(names);
  expect(kept.every(({ bytes: each }) => each.join() === "1,2,3")).toBe(true);
  await store.close();
});
