/** The session store of the Claude Agent SDK, held to what the SDK's types promise, on every store. */
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Store } from "../../src/index.ts";
import {
  type ClaudeSessionEntry,
  type ClaudeSessionStore,
  palimpsestSessionStore,
} from "../../src/integrations/claude-agent-sdk/index.ts";
import { memoryStore } from "../../src/stores/memory/index.ts";
import { postgresStore } from "../../src/stores/postgres/index.ts";
import { sqliteStore } from "../../src/stores/sqlite/index.ts";
import { describePostgres, runSql } from "../support/postgres-database.ts";
import { propertyRuns } from "../support/property-runs.ts";

const KEY = { projectKey: "-home-me-ship", sessionId: "5b0a" };
const AGENT = { ...KEY, subpath: "subagents/agent-7" };

function entry(uuid: string, fields: object = {}): ClaudeSessionEntry {
  return { type: "user", uuid, timestamp: "2026-11-16T10:00:00.000Z", ...fields };
}

const ENTRIES: readonly ClaudeSessionEntry[] = [
  entry("a", { message: { role: "user", content: "Why? \u0000 \ud83d é" }, zebra: 1, alpha: { 2: "b", 1: "a" } }),
  { type: "summary", summary: "No uuid.", leafUuid: "a" },
  { type: "assistant", uuid: "b", message: { content: [{ type: "text", text: "" }] }, cost: 1e-7, none: null },
];

/** `openStore` opens the same one each time. */
function contract(openStore: () => Store): void {
  let store: Store;
  let sessions: ClaudeSessionStore;

  beforeEach(() => {
    store = openStore();
    sessions = palimpsestSessionStore({ store });
  });

  afterEach(async () => {
    for (const { id } of await store.list({ limit: 1_000 })) await store.delete(id);
    await store.close();
  });

  test("gives entries back in order and byte for byte, batch after batch", async () => {
    await sessions.append(KEY, ENTRIES.slice(0, 2));
    await sessions.append(KEY, ENTRIES.slice(2));
    expect(JSON.stringify(await sessions.load(KEY))).toBe(JSON.stringify(ENTRIES));
  });

  test("keeps batches in the order in which they were given, also where nobody waited", async () => {
    const batches = Array.from({ length: 12 }, (_, batch) => [entry(`${batch}.0`), entry(`${batch}.1`)]);
    await Promise.all(batches.map((batch) => sessions.append(KEY, batch)));
    expect(await sessions.load(KEY)).toEqual(batches.flat());
  });

  test("has nothing for a key that was never written, and an empty batch writes none", async () => {
    await sessions.append(KEY, []);
    expect(await sessions.load(KEY)).toBe(null);
    expect(await sessions.listSessions(KEY.projectKey)).toEqual([]);
    expect(await sessions.listSubkeys(KEY)).toEqual([]);
    expect(await store.list()).toEqual([]);
    await sessions.append(KEY, [entry("a")]);
    await sessions.append(KEY, []);
    expect(await sessions.load(KEY)).toEqual([entry("a")]);
    expect(await sessions.load(AGENT)).toBe(null);
    expect(await sessions.listSubkeys(KEY)).toEqual([]);
  });

  test("keeps an entry once, however often its uuid comes, and every entry without one", async () => {
    const other = entry("c");
    await sessions.append(KEY, [...ENTRIES]);
    await sessions.append(KEY, [...ENTRIES, other, other]);
    expect(await sessions.load(KEY)).toEqual([...ENTRIES, ENTRIES[1], other]);
  });

  test("keeps projects, sessions and the transcripts of subagents apart", async () => {
    const keys = [
      KEY,
      AGENT,
      { ...KEY, projectKey: "other" },
      { ...KEY, sessionId: "5b0a/subagents" },
      { ...KEY, sessionId: "5b0a%2Fsubagents" },
      { projectKey: `${KEY.projectKey}/${KEY.sessionId}`, sessionId: "subagents/agent-7" },
    ];
    for (const [at, key] of keys.entries()) await sessions.append(key, [entry("same", { at })]);
    const loaded = await Promise.all(keys.map((key) => sessions.load(key)));
    expect(loaded).toEqual(keys.map((_, at) => [entry("same", { at })]));
  });

  test("lists the sessions of a project, without those of subagents, with the time of the last write", async () => {
    const before = Date.now() - 60_000;
    await sessions.append(KEY, [entry("a")]);
    await sessions.append(AGENT, [entry("b")]);
    await sessions.append({ ...KEY, sessionId: "x/y%" }, [entry("c")]);
    await sessions.append({ ...KEY, projectKey: "other" }, [entry("d")]);
    const listed = await sessions.listSessions(KEY.projectKey);
    expect(listed.map(({ sessionId }) => sessionId).toSorted()).toEqual(["5b0a", "x/y%"]);
    expect(listed.every(({ mtime }) => Number.isInteger(mtime) && mtime > before)).toBe(true);
    expect(await sessions.listSessions("nobody")).toEqual([]);
  });

  test("lists the transcripts of a session's subagents, and not its own", async () => {
    await sessions.append(KEY, [entry("a")]);
    await sessions.append(AGENT, [entry("b")]);
    await sessions.append(AGENT, [entry("c")]);
    await sessions.append({ ...KEY, subpath: "subagents/agent-8" }, [entry("d")]);
    await sessions.append({ ...AGENT, sessionId: "other" }, [entry("e")]);
    expect((await sessions.listSubkeys(KEY)).toSorted()).toEqual(["subagents/agent-7", "subagents/agent-8"]);
  });

  test("deletes a session with its subagents, a subagent alone, and nothing where nothing is", async () => {
    const agent8 = { ...KEY, subpath: "subagents/agent-8" };
    const others = [
      { ...KEY, sessionId: "other" },
      { ...KEY, projectKey: "other" },
    ];
    for (const key of [KEY, AGENT, agent8, ...others]) await sessions.append(key, [entry("a")]);
    await sessions.delete({ ...KEY, sessionId: "never" });
    await sessions.delete(AGENT);
    expect([await sessions.load(AGENT), (await sessions.load(KEY))?.length]).toEqual([null, 1]);
    expect(await sessions.listSubkeys(KEY)).toEqual(["subagents/agent-8"]);
    await sessions.delete(KEY);
    for (const other of others) {
      expect(await sessions.load(other)).toEqual([entry("a")]);
      await sessions.delete(other);
    }
    expect([await sessions.load(KEY), await sessions.load(agent8)]).toEqual([null, null]);
    expect([await sessions.listSessions(KEY.projectKey), await sessions.listSubkeys(KEY)]).toEqual([[], []]);
    await sessions.append(KEY, [entry("a")]);
    expect(await sessions.load(KEY)).toEqual([entry("a")]);
  });

  test("takes the same batches from two writers at once: each entry once, the batches whole", async () => {
    const writers = [sessions, palimpsestSessionStore({ store: openStore() })];
    const batches = Array.from({ length: 8 }, (_, batch) => [0, 1, 2].map((at) => entry(`${batch}.${at}`)));
    await Promise.all(writers.flatMap((writer) => batches.map((batch) => writer.append(KEY, batch))));
    const uuids = ((await sessions.load(KEY)) ?? []).map(({ uuid }) => uuid);
    const triples = batches.map((_, at) => uuids.slice(3 * at, 3 * at + 3).join());
    expect(uuids.length).toBe(24);
    expect(triples.toSorted()).toEqual(batches.map((batch) => batch.map(({ uuid }) => uuid).join()).toSorted());
  });
}

describe("memory", () => {
  const shared = memoryStore();
  contract(() => ({ ...shared, close: async () => undefined }));
});

describe("sqlite", () => {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-claude-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const openStore = () => sqliteStore({ path: join(folder, "sessions.db") });
  contract(openStore);

  test("has all of it after a restart, whatever JSON it is", async () => {
    const batch = fc.array(
      fc.record(
        { type: fc.constant("user"), uuid: fc.uuid(), message: fc.jsonValue(), "odd key": fc.jsonValue() },
        { requiredKeys: ["type"] },
      ),
      { maxLength: 4 },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(batch, { maxLength: 4 }), fc.uuid(), async (batches, sessionId) => {
        const key = { ...KEY, sessionId };
        for (const entries of batches) {
          const store = openStore();
          await palimpsestSessionStore({ store }).append(key, entries);
          await store.close();
        }
        const store = openStore();
        const loaded = await palimpsestSessionStore({ store }).load(key);
        await store.close();
        const said = batches.flat();
        expect(JSON.stringify(loaded)).toBe(JSON.stringify(said.length === 0 ? null : said));
      }),
      propertyRuns(10),
    );
  });
});

await describePostgres("postgres", (connectionString) => {
  const schema = `test_${randomUUID()}`;
  afterAll(() => runSql(connectionString, `DROP SCHEMA IF EXISTS "${schema}" CASCADE`));
  contract(() => postgresStore({ connectionString, schema }));
});
