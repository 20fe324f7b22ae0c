/** A SQLite store that others hold, or whose disk is full, under sessions that have to be folded. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { createEngine, type Store } from "../../src/index.ts";
import { memoryStore } from "../../src/stores/memory/index.ts";
import { sqliteStore } from "../../src/stores/sqlite/index.ts";
import { openAnthropic } from "../support/gateway-anthropic-client.ts";
import { invalidRequests, tooLongRequests } from "../support/gateway-script.ts";
import { sessionIds, work } from "../support/gateway-sessions.ts";
import { COMPARED_WINDOW } from "../support/gateway-undisturbed.ts";
import { type GatewayWorld, startGatewayBefore, startWorld } from "../support/gateway-world.ts";
import { interceptStore } from "../support/intercepted-store.ts";
import { until } from "../support/loopback.ts";
import { canMount, smallDisk, temporaryFolder } from "../support/temporary-folder.ts";

const STORE_TIMEOUT_MS = 300;

function startSmall(store: Store): Promise<GatewayWorld> {
  return startWorld({
    server: { contextWindow: COMPARED_WINDOW },
    gateway: { store, windows: { all: COMPARED_WINDOW }, limits: { storeTimeoutMs: STORE_TIMEOUT_MS } },
  });
}

function openSqlite(path: string): Store {
  const store = sqliteStore({ path });
  onTestFinished(() => store.close());
  return store;
}

/** Resolves when a session is in the store as the gateway has it. */
async function untilSaved({ gateway }: GatewayWorld, id: string, store: Store): Promise<void> {
  const here = JSON.stringify(await (await gateway.engine.session(id)).export());
  await until(async () => {
    const session = await createEngine({ model: "unknown", store }).session(id);
    return JSON.stringify(await session.export()) === here;
  });
}

/** Works until the session was folded, with the fault in the middle. */
async function workThrough(world: GatewayWorld, fault: { readonly begin: () => void; readonly end: () => void }) {
  const client = openAnthropic({ url: world.url });
  client.say("Read all files.");
  const outputs = await work(client, { name: "outage", turns: 4 });
  fault.begin();
  try {
    await work(client, { name: "outage", turns: 16, outputsBefore: outputs });
  } finally {
    fault.end();
  }
  expect(tooLongRequests(world.server)).toEqual([]);
  expect(invalidRequests(world.server)).toEqual([]);
  expect(world.server.requests.at(-1)?.rawBody).toMatch(/Ledger of the earlier conversation|tokens hidden/);
  const [id = "", ...others] = sessionIds(world);
  expect(others).toEqual([]);
  return id;
}

test("a database that another process writes to without end", async () => {
  const path = join(temporaryFolder(), "sessions.db");
  const world = await startSmall(openSqlite(path));
  const other = new DatabaseSync(path);
  onTestFinished(() => other.close());
  const id = await workThrough(world, {
    begin: () => other.exec("BEGIN IMMEDIATE"),
    end: () => other.exec("ROLLBACK"),
  });
  expect(new Set(world.incidents)).toEqual(new Set(["store: StoreLate"]));
  await untilSaved(world, id, openSqlite(path));
});

describe.skipIf(!canMount)("a disk that is full", () => {
  test("holds all of it when there is room again", async () => {
    const { folder } = smallDisk(4_000);
    const path = join(folder, "sessions.db");
    const ballast = join(folder, "ballast");
    const world = await startSmall(openSqlite(path));
    const id = await workThrough(world, {
      begin: () => {
        try {
          writeFileSync(ballast, Buffer.alloc(8_000_000));
        } catch {
          // it is full
        }
      },
      end: () => rmSync(ballast),
    });
    expect(world.incidents.length).toBeGreaterThan(0);
    await untilSaved(world, id, openSqlite(path));
  });
});

describe("a store that fails at every call", () => {
  test.each([
    [
      "throws",
      (): never => {
        throw new Error("The disk is gone.");
      },
    ],
    ["hangs", () => new Promise<void>(() => {})],
  ])("and %s: a prompt that is too long is folded all the same", async (_, before) => {
    const world = await startSmall(interceptStore(memoryStore(), { before }));
    const client = openAnthropic({ url: world.url });
    client.say("Read all files.");
    await work(client, { name: "never", turns: 20 });
    expect(tooLongRequests(world.server)).toEqual([]);
    expect(invalidRequests(world.server)).toEqual([]);
    expect(sessionIds(world)).toHaveLength(1);
    const [said] = world.incidents;
    expect(world.incidents).toEqual([said]);
    await world.gateway.close();
    expect(world.incidents.at(-1)).toMatch(/^store: \d+ records of 1 sessions were not written: RecordsUnsaved$/);
  });
});

test("two gateways on one store: what both said while one could not reach it is there, each in a session of its own", async () => {
  const shared = memoryStore();
  const waiting: (() => void)[] = [];
  let isStuck = false;
  const before = () => (isStuck ? new Promise<void>((resolve) => waiting.push(resolve)) : undefined);
  const cutOff = await startSmall(interceptStore(shared, { before }));
  const other = await startGatewayBefore(cutOff.server, { store: shared, windows: { all: COMPARED_WINDOW } });
  const headers = { "x-palimpsest-session": "shared" };
  const client = openAnthropic({ url: cutOff.url, headers });
  client.say("Read all files.");
  const outputs = await work(client, { name: "both", turns: 4 });
  const twin = openAnthropic({ url: () => other.gateway.url, headers });
  twin.history.push(...client.history);

  isStuck = true;
  const here = await work(client, { name: "here", turns: 14, outputsBefore: outputs });
  twin.say("Now only the tests.");
  await work(twin, { name: "there", turns: 3, outputsBefore: outputs });
  await other.gateway.close();
  isStuck = false;
  for (const answer of waiting.splice(0)) answer();
  await until(() => cutOff.incidents.includes("store: set apart: RecordsUnsaved"));

  const engine = createEngine({ model: "unknown", store: shared });
  const [theirs, ours] = ["shared", "shared~unsaved-1"].map(async (id) =>
    JSON.stringify(await (await engine.session(id)).log()),
  );
  expect(await theirs).toContain("Now only the tests.");
  expect(await theirs).not.toContain("passcode of heregate");
  expect(await ours).toContain(`passcode of heregate${here - 3}x`);
  expect(await ours).not.toContain("Now only the tests.");

  await work(client, { name: "here", turns: 2, outputsBefore: here });
  expect(sessionIds(cutOff)).toEqual(["shared", "shared~unsaved-1"]);
  expect(tooLongRequests(cutOff.server)).toEqual([]);
  expect(invalidRequests(cutOff.server)).toEqual([]);
});
