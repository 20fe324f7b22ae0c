import { beforeAll, describe, expect, test } from "vitest";
import {
  makeSqliteSample,
  type ReadLogs,
  readLogs,
  type SqliteSample,
  writeDatabase,
} from "../../../test/support/sqlite-sample.ts";

let sample: SqliteSample;
beforeAll(async () => {
  sample = await makeSqliteSample();
});

/** What may come of damage: the truth, or a clear error. */
function expectTruthOrRefusal(found: ReadLogs, place: string): void {
  for (const [id, log] of found) {
    if (typeof log === "string") expect(["store-damaged", "store-failed", "store-too-new"], place).toContain(log);
    else expect(log, `${place}, session ${id}`).toEqual(sample.logs.get(id));
  }
}

describe("bytes that were overwritten", () => {
  test("give the truth or a clear error, wherever they are", async () => {
    let refusals = 0;
    // A step that shares no factor with the page size meets all parts of a page in turn.
    for (let offset = 0; offset < sample.bytes.length; offset += 1_021) {
      const damaged = Uint8Array.from(sample.bytes).fill(offset % 2 === 0 ? 0 : 0xa5, offset, offset + 24);
      const found = await readLogs(writeDatabase(damaged));
      expectTruthOrRefusal(found, `offset ${offset}`);
      if ([...found.values()].includes("store-damaged")) refusals++;
    }
    expect(refusals).toBeGreaterThan(50);
  });

  test("at the start make it no database at all", async () => {
    const damaged = Uint8Array.from(sample.bytes).fill(0, 0, 16);
    const found = await readLogs(writeDatabase(damaged));
    expect([...found.values()]).toEqual(["store-damaged", "store-damaged", "store-damaged"]);
  });
});

test.each([0.02, 0.1, 0.5, 0.9])("a file cut to %d of its length gives the truth or a clear error", async (share) => {
  const found = await readLogs(writeDatabase(sample.bytes.slice(0, sample.bytes.length * share)));
  expectTruthOrRefusal(found, "cut");
  expect([...found.values()]).toContain("store-damaged");
});
