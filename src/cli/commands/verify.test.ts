import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { commandFolders, foldHarbour, importHarbour, palimpsest, told } from "../../../test/support/stored-commands.ts";
import { createEngine } from "../../index.ts";
import { sqliteStore } from "../../stores/sqlite/index.ts";
import { recordChecksum } from "../../stores/sqlite/record-checksum.ts";

const folders = commandFolders();
const path = () => join(folders.home, "palimpsest.db");

interface RecordRow {
  readonly version: number;
  readonly body: string;
}

/** Changes a record in the file as a person with an editor would; with a checksum that fits, if wanted. */
function alter(change: (row: RecordRow) => string | undefined, { fixesChecksum }: { readonly fixesChecksum: boolean }) {
  const database = new DatabaseSync(path());
  const rows = database.prepare("SELECT id, at, is_rewrite, checksum, body FROM records ORDER BY id").all();
  let altered = 0;
  for (const { id, at, is_rewrite, checksum, body } of rows) {
    const [key, version] = [Math.floor(Number(id) / 2 ** 32), Number(id) % 2 ** 32];
    const changed = change({ version, body: String(body) });
    if (changed === undefined) continue;
    altered += 1;
    const fields = { sessionKey: key, version, at: Number(at), isRewrite: is_rewrite === 1, body: changed };
    const seal = fixesChecksum ? recordChecksum(fields) : checksum;
    database.prepare("UPDATE records SET body = ?, checksum = ? WHERE id = ?").run(changed, seal ?? "", id ?? 0);
  }
  database.close();
  expect(altered).toBe(1);
}

const replacing = (version: number, from: string, to: string) => (row: RecordRow) => {
  if (row.version !== version) return undefined;
  expect(row.body).toContain(from);
  return row.body.replace(from, to);
};

test("a folded session is intact: messages, records and the head of its chain are printed", async () => {
  await importHarbour(folders);
  await foldHarbour(folders);
  const verified = await told("verify", "harbour");
  expect(verified).toEqual({
    session: "harbour-light",
    type: "intact",
    messages: 27,
    records: 29,
    links: 29,
    head: expect.stringMatching(/^[\w-]{43}$/),
  });
  const { status, stdout } = await palimpsest("verify", "harbour");
  expect(status).toBe(0);
  expect(stdout).toContain("harbour-light: intact\n  messages    27, ");
  expect(stdout).toContain("  records     29 checked, 29 of them linked");
  expect(stdout).toContain(verified.head);
});

test("a head that is none is a slip on the command line, and no damage", async () => {
  await importHarbour(folders);
  const { status, stderr } = await palimpsest("verify", "harbour", "--head", "QfVWNJ");
  expect(status).toBe(2);
  expect(stderr).toContain('--head is "QfVWNJ"; it must be the 43 characters behind chain head');
});

test("restored, rewound, marked and undone, it is still intact", async () => {
  await importHarbour(folders);
  const foldId = await foldHarbour(folders);
  const store = sqliteStore({ path: path() });
  const session = await createEngine({ model: "claude-sonnet-4-5", store }).session("harbour-light");
  await session.mark("u0", { important: true });
  await session.restore(foldId);
  await session.rewind({ toMessage: "m9" });
  await session.update("u8", (messages) => messages.map((message) => ({ ...message, content: "another" })));
  await session.rewind({ undo: true });
  expect(await session.verify()).toMatchObject({ type: "intact", messages: 27 });
  await store.close();
  expect((await palimpsest("verify", "harbour")).status).toBe(0);
});

test("a record that was altered is found by its checksum", async () => {
  await importHarbour(folders);
  alter(replacing(3, "relay K1", "relay K9"), { fixesChecksum: false });
  const { status, stdout } = await palimpsest("verify", "harbour");
  expect({ status, stdout }).toEqual({ status: 1, stdout: expect.stringContaining("harbour-light: damaged") });
  expect(stdout).toContain("record 3 ");
});

test("a record that was altered together with its checksum is found by the chain", async () => {
  await importHarbour(folders);
  alter(replacing(3, "relay K1", "relay K9"), { fixesChecksum: true });
  const { status, stdout } = await palimpsest("verify", "harbour", "--json");
  expect(status).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    type: "damaged",
    records: 3,
    problem: expect.stringContaining("record 4 names"),
  });
});

test("a log whose messages without folds are not what was said is damaged", async () => {
  await importHarbour(folders);
  await foldHarbour(folders);
  const before = (await told("verify", "harbour")).head;
  // The newest patch, which no later record covers; its checksum fits.
  const store = sqliteStore({ path: path() });
  const session = await createEngine({ model: "claude-sonnet-4-5", store }).session("harbour-light");
  await session.restore((await session.folds())[0]?.foldId ?? "");
  await store.close();
  expect((await palimpsest("verify", "harbour", "--head", before)).status).toBe(0);
  alter(
    ({ version, body }) => {
      const record = JSON.parse(body);
      if (record.type !== "patch" || version < 29) return undefined;
      const [first, ...rest] = record.patch.changed;
      const changed = [{ ...first, set: { ...first.set, content: "forged" } }, ...rest];
      return JSON.stringify({ ...record, patch: { ...record.patch, changed } });
    },
    { fixesChecksum: true },
  );
  dropLinksAfterLastPatch();
  const { status, stdout } = await palimpsest("verify", "harbour");
  expect({ status, stdout }).toEqual({ status: 1, stdout: expect.stringContaining("and no update says so") });
});

/** The event behind the patch names the head that the patch had. */
function dropLinksAfterLastPatch(): void {
  alter(
    ({ version, body }) => {
      const { chain: _, ...record } = JSON.parse(body);
      return version > 30 && record.type === "event" ? JSON.stringify(record) : undefined;
    },
    { fixesChecksum: true },
  );
}

test("a head that was kept elsewhere finds what the file alone cannot show: its newest record is another one", async () => {
  await importHarbour(folders);
  const { head } = await told("verify", "harbour");
  alter(replacing(26, "All twelve", "No twelve"), { fixesChecksum: true });
  expect((await palimpsest("verify", "harbour")).status).toBe(0);
  const { status, stdout } = await palimpsest("verify", "harbour", "--head", head);
  expect({ status, stdout }).toEqual({ status: 1, stdout: expect.stringContaining("does not begin with the records") });
});

test("records of an earlier version, which have no links, are checked without them", async () => {
  await importHarbour(folders, "old");
  const database = new DatabaseSync(path());
  for (const { id, at, body } of database.prepare("SELECT id, at, body FROM records").all()) {
    const { chain: _, ...record } = JSON.parse(String(body));
    const [key, version] = [Math.floor(Number(id) / 2 ** 32), Number(id) % 2 ** 32];
    const old = JSON.stringify(record);
    const checksum = recordChecksum({ sessionKey: key, version, at: Number(at), isRewrite: false, body: old });
    database.prepare("UPDATE records SET body = ?, checksum = ? WHERE id = ?").run(old, checksum, id ?? 0);
  }
  database.close();
  expect(await told("verify", "old")).toMatchObject({ type: "intact", records: 26, links: 0 });
});
