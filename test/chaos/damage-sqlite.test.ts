import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { sqliteStore } from "../../src/stores/sqlite/index.ts";
import { editDatabase, writeDatabase } from "../support/sqlite-sample.ts";
import { inTemporaryFolder, temporaryFolder } from "../support/temporary-folder.ts";
import { sized, tellFigures } from "./chaos-size.ts";
import { type Finding, findKnownSession, KNOWN_ID, type KnownStates, makeKnownSession } from "./known-session.ts";
import { turnOf } from "./turns.ts";

interface Sample {
  readonly bytes: Uint8Array;
  readonly states: KnownStates;
  /** Log and view as they must be found. */
  readonly known: string;
}

let sample: Sample;
beforeAll(() =>
  inTemporaryFolder(async (folder) => {
    const path = join(folder, "store.db");
    const store = sqliteStore({ path });
    const states = await makeKnownSession(store);
    await store.close();
    sample = { bytes: readFileSync(path), states, known: [...states.values()].at(-1) ?? "" };
  }),
);

const REFUSALS = ["store-damaged", "store-failed", "store-too-new"];

/** The truth, or a clear refusal; anything else is named. */
function wrongness(finding: Finding, known: string): string | undefined {
  if (finding.type === "refused") return REFUSALS.includes(finding.code) ? undefined : finding.reason;
  return finding.bytes === known ? undefined : `another log or view, at version ${finding.version}`;
}

describe("a session in a SQLite file with overwritten bytes", () => {
  test("is what it was, or is refused", async () => {
    const wrong: string[] = [];
    let refusals = 0;
    let looks = 0;
    // Prime steps meet all parts of a page in turn.
    for (let offset = 0; offset < sample.bytes.length; offset += sized({ full: 211, short: 6_007 })) {
      const damaged = Uint8Array.from(sample.bytes);
      if (offset % 2 === 0) damaged.fill(0, offset, offset + 16);
      else damaged[offset] = (damaged[offset] ?? 0) ^ 0xff;
      const path = writeDatabase(damaged);
      const finding = await findKnownSession({ type: "sqlite", path });
      const reason = wrongness(finding, sample.known);
      if (reason !== undefined) wrong.push(`offset ${offset}: ${reason}`);
      if (finding.type === "refused") refusals++;
      else wrong.push(...(await wrongnessAfterAppend(path, offset)));
      looks++;
    }
    expect(wrong).toEqual([]);
    expect(refusals).toBeGreaterThan(0);
    tellFigures("overwritten bytes, SQLite", { looks, refusals, right: looks - refusals, wrong: wrong.length });
  });

  /** Where it could be read it may be written to: then all of it is there, with what was added. */
  async function wrongnessAfterAppend(path: string, offset: number): Promise<readonly string[]> {
    const place = { type: "sqlite", path } as const;
    const written = await findKnownSession(place, (session) => session.append(...turnOf("more", 0)));
    if (written.type === "refused") return REFUSALS.includes(written.code) ? [] : [written.reason];
    const reason = wrongness(await findKnownSession(place), written.bytes);
    const [log] = JSON.parse(sample.known);
    const isWhole = written.bytes.startsWith(JSON.stringify([log]).slice(0, -2));
    return reason === undefined && isWhole
      ? []
      : [`offset ${offset}, after an append: ${reason ?? "something is lost"}`];
  }

  test.each([0.1, 0.5, 0.9, 0.99])("is refused where the file was cut to %d of its length", async (share) => {
    const path = writeDatabase(sample.bytes.slice(0, sample.bytes.length * share));
    expect(await findKnownSession({ type: "sqlite", path })).toMatchObject({ type: "refused", code: "store-damaged" });
  });

  test("is a state that it once had where the damage is in the log that SQLite writes ahead", async () => {
    const folder = temporaryFolder();
    const open = sqliteStore({ path: join(folder, "store.db") });
    const states = await makeKnownSession(open);
    const copy = join(folder, "copy.db");
    const versions = new Set<number>();
    const ahead = readFileSync(join(folder, "store.db-wal"));
    for (let share = 0; share < 1; share += sized({ full: 0.005, short: 0.1 })) {
      copyFileSync(join(folder, "store.db"), copy);
      const at = Math.floor(ahead.length * share);
      writeFileSync(`${copy}-wal`, Uint8Array.from(ahead).fill(0xa5, at, at + 8));
      writeFileSync(`${copy}-shm`, "");
      const finding = await findKnownSession({ type: "sqlite", path: copy });
      // SQLite takes what lies behind the damage for a write that was never finished.
      if (finding.type === "refused") expect(REFUSALS).toContain(finding.code);
      else if (states.has(finding.version)) {
        versions.add(finding.version);
        expect(finding.bytes === states.get(finding.version), `version ${finding.version}`).toBe(true);
      }
    }
    expect(versions.size).toBeGreaterThan(3);
    await open.close();
  });
});

test("a damaged log that SQLite writes ahead never gives an older state in silence", async () => {
  const folder = temporaryFolder();
  const path = join(folder, "store.db");
  const open = sqliteStore({ path });
  const states = await makeKnownSession(open);
  const newest = [...states.values()].at(-1);
  const copy = join(folder, "copy.db");
  const ahead = readFileSync(`${path}-wal`);
  let [looks, refusals] = [0, 0];
  for (let share = 0; share < 1; share += sized({ full: 0.005, short: 0.1 })) {
    for (const part of ["", "-heads"]) copyFileSync(path + part, copy + part);
    const at = Math.floor(ahead.length * share);
    writeFileSync(`${copy}-wal`, Uint8Array.from(ahead).fill(0xa5, at, at + 8));
    writeFileSync(`${copy}-shm`, "");
    const finding = await findKnownSession({ type: "sqlite", path: copy });
    if (finding.type === "refused") expect(finding.code, finding.reason).toBe("store-damaged");
    else expect(finding.bytes === newest, `version ${finding.version}, damage at ${at}`).toBe(true);
    if (finding.type === "refused") refusals++;
    looks++;
  }
  expect(refusals).toBeGreaterThan(looks / 2);
  tellFigures("damaged log, SQLite", { looks, refusals, right: looks - refusals });
  await open.close();
});

const record = (version: number) => `id = ((SELECT key FROM sessions WHERE id = '${KNOWN_ID}') << 32) + ${version}`;

test.each([
  ["words of a message", `UPDATE records SET body = replace(body, 'end', 'END') WHERE ${record(9)}`],
  ["a message taken out", `DELETE FROM records WHERE ${record(9)}`],
  ["the newest record taken out", "DELETE FROM records WHERE id = (SELECT max(id) FROM records)"],
  ["a fold turned into a message", `UPDATE records SET is_rewrite = 1 - is_rewrite WHERE ${record(12)}`],
  ["a session that says it is shorter", "UPDATE sessions SET version = version - 1"],
  ["a session that says it was never folded", "UPDATE sessions SET rewrite_version = 0"],
  ["a record in another's place", `UPDATE records SET id = id + 1000 WHERE ${record(30)}`],
])("%s, edited by hand, is found when the session is opened", async (_, sql) => {
  const path = writeDatabase(sample.bytes);
  editDatabase(path, sql);
  expect(await findKnownSession({ type: "sqlite", path })).toMatchObject({ type: "refused", code: "store-damaged" });
});

test("a schema from the future is refused", async () => {
  const path = writeDatabase(sample.bytes);
  editDatabase(path, "PRAGMA user_version = 99");
  expect(await findKnownSession({ type: "sqlite", path })).toMatchObject({ code: "store-too-new" });
});

test.each([
  ["no JSON", "{"],
  ["JSON that is no record", '"text"'],
  ["a kind of record from the future", '{"type":"teleport"}'],
  ["a message without a role", '{"type":"message","message":{"content":"x"}}'],
  [
    "a fold of messages that are not there",
    '{"type":"patch","patch":{"removed":[],"changed":[{"index":9999,"set":{},"unset":[]}],"inserted":[]}}',
  ],
  [
    "a stand-in without a place",
    '{"type":"patch","patch":{"removed":[],"changed":[],"inserted":[{"message":{"role":"user","content":"x"}}]}}',
  ],
  ["a rewind to a version of the future", '{"type":"rewind","toVersion":99999,"isUndo":false}'],
  ["a rewind to half a version", '{"type":"rewind","toVersion":2.5,"isUndo":false}'],
  ["a rewind to before the beginning", '{"type":"rewind","toVersion":-3,"isUndo":false}'],
])("%s, which the store keeps as it keeps anything, is refused by the session", async (_, body) => {
  const path = writeDatabase(sample.bytes);
  const store = sqliteStore({ path });
  await store.append((await store.open(KNOWN_ID)).key, [{ body, isRewrite: true }]);
  await store.close();
  expect(await findKnownSession({ type: "sqlite", path })).toMatchObject({ type: "refused", code: "store-damaged" });
});
