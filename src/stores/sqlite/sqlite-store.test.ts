import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, test } from "vitest";
import { durableStoreContract, storeContract } from "../../testing/index.ts";
import { sqliteStore } from "./index.ts";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-sqlite-"));
afterAll(() => rmSync(folder, { recursive: true }));

let count = 0;
const open = async () => sqliteStore({ path: join(folder, `${++count}.db`) });
const reopen = async () => sqliteStore({ path: join(folder, `${count}.db`) });

describe("the contract", () => {
  for (const { name, run } of storeContract) test(name, () => run(open));
  for (const { name, run } of durableStoreContract) test(name, () => run({ open, reopen }));
});
