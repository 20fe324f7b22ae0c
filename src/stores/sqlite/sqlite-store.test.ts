import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, test } from "vitest";
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
