/** A PostgreSQL that stops answering, in the middle of sessions that a gateway keeps inside their window. */
import { expect, onTestFinished, test } from "vitest";
import { createEngine, type Store } from "../../src/index.ts";
import { postgresStore } from "../../src/stores/postgres/index.ts";
import type { ModelServer } from "../../src/testing/index.ts";
import { anthropicKind } from "../support/gateway-anthropic-client.ts";
import type { SdkClient } from "../support/gateway-client.ts";
import { invalidRequests, tooLongRequests } from "../support/gateway-script.ts";
import { findFacts, finish, listSessions, SDK_KINDS, sessionIds, work } from "../support/gateway-sessions.ts";
import { COMPARED_TURNS, COMPARED_WINDOW, firstDifference, undisturbed } from "../support/gateway-undisturbed.ts";
import { type GatewayWorld, startGatewayBefore, startServer } from "../support/gateway-world.ts";
import { interceptStore } from "../support/intercepted-store.ts";
import { until } from "../support/loopback.ts";
import { describeOwnPostgres } from "../support/own-postgres.ts";
import { runSql } from "../support/postgres-database.ts";
import type { PostgresServer } from "../support/postgres-server.ts";
import { isFull, tellFigures } from "./chaos-size.ts";

const STORE_TIMEOUT_MS = 1_000;
const FOLDED = /Ledger of the earlier conversation|tokens hidden/;

let schemas = 0;

/** Sessions of their own on the server, for as many gateways as a test starts. */
function freshPlace({ connectionString }: PostgresServer) {
  schemas += 1;
  const schema = `frozen_${schemas}`;
  return {
    schema,
    open: (): Store => {
      const store = postgresStore({ connectionString, schema });
      // Not waited for: a store that hangs ends when its server does.
      onTestFinished(() => void store.close());
      return store;
    },
  };
}

interface Started extends Pick<GatewayWorld, "gateway" | "turns" | "incidents"> {
  /** What was asked of the store. */
  readonly calls: readonly (keyof Store)[];
}

async function startOn(store: Store, server: ModelServer): Promise<Started> {
  const calls: (keyof Store)[] = [];
  const watched = interceptStore(store, { before: (call) => void calls.push(call) });
  const started = await startGatewayBefore(server, {
    store: watched,
    windows: { all: COMPARED_WINDOW },
    limits: { storeTimeoutMs: STORE_TIMEOUT_MS },
  });
  return { ...started, calls };
}

/** Freezes the server while something is done; it goes on whatever comes of that. */
async function whileFrozen<Value>(server: PostgresServer, act: () => Promise<Value>): Promise<Value> {
  await server.freeze();
  try {
    return await act();
  } finally {
    await server.thaw();
  }
}

/** Resolves when what the gateway has of a session is what the store has, byte for byte. */
async function untilSaved({ gateway }: Started, id: string, fresh: () => Store): Promise<void> {
  const here = JSON.stringify(await (await gateway.engine.session(id)).export());
  await until(async () => {
    const stored = await createEngine({ model: "unknown", store: fresh() }).session(id);
    return JSON.stringify(await stored.export()) === here;
  });
}

function openClient(kind: (typeof SDK_KINDS)[number], url: () => string): SdkClient {
  const client = kind.open({ url });
  client.say("Read all files.");
  return client;
}

const kinds = isFull ? SDK_KINDS : [anthropicKind];
const HALF = COMPARED_TURNS / 2;

await describeOwnPostgres("PostgreSQL that is frozen", (server) => {
  test.each(kinds)(
    "a session of $name goes on, folded, and is all there afterwards and after a restart",
    async (kind) => {
      const place = freshPlace(server);
      const model = await startServer({ contextWindow: COMPARED_WINDOW });
      let world = await startOn(place.open(), model);
      const client = openClient(kind, () => world.gateway.url);
      let outputs = await work(client, { name: "steady", turns: 4 });
      const [id = ""] = sessionIds(world);

      const asked = await whileFrozen(server, async () => {
        const before = world.calls.length;
        outputs = await work(client, { name: "steady", turns: HALF - 4, outputsBefore: outputs });
        return world.calls.slice(before);
      });
      // All of that was answered while nothing answered us. What was under way at first was waited for; the rest were probes.
      expect(asked.filter((call) => call !== "find").length).toBeLessThanOrEqual(2);
      expect(world.incidents).toEqual(["store: StoreLate"]);
      expect(model.requests.slice(4).some(({ rawBody }) => FOLDED.test(rawBody))).toBe(true);
      await untilSaved(world, id, place.open);

      await world.gateway.close();
      const [first, ...later] = world.turns.slice(4).map(({ addedMs }) => addedMs);
      tellFigures("frozen PostgreSQL", {
        firstMs: first ?? 0,
        laterAtMostMs: Math.max(...later),
        requests: later.length + 1,
      });
      world = await startOn(place.open(), model);
      outputs = await work(client, { name: "steady", turns: HALF, outputsBefore: outputs });
      const bodies = model.requests.map(({ rawBody }) => rawBody);
      expect(firstDifference(bodies, await undisturbed(kind, { name: "steady", losesStep: false }))).toBe(-1);
      await finish(client, { server: model });
      expect(tooLongRequests(model)).toEqual([]);
      expect(invalidRequests(model)).toEqual([]);
      expect(await listSessions(world.gateway.url)).toEqual([id]);
      expect((await findFacts({ ...world, server: model }, { id, name: "steady", outputs })).lost).toEqual([]);
    },
  );

  test("a session that begins meanwhile is written when the server goes on", async () => {
    const place = freshPlace(server);
    const model = await startServer({ contextWindow: COMPARED_WINDOW });
    const world = await startOn(place.open(), model);
    await work(
      openClient(anthropicKind, () => world.gateway.url),
      { name: "before", turns: 1 },
    );
    const client = openClient(anthropicKind, () => world.gateway.url);
    client.say("And tell me what they mean.");
    await whileFrozen(server, () => work(client, { name: "begun", turns: HALF }));
    expect(tooLongRequests(model)).toEqual([]);
    const id = sessionIds(world).at(-1) ?? "";
    await untilSaved(world, id, place.open);
    expect(world.incidents).toEqual(["store: StoreLate"]);
  });

  test("a session that the gateway could not read is set apart, says so, and nothing of either is lost", async () => {
    const place = freshPlace(server);
    const model = await startServer({ contextWindow: COMPARED_WINDOW });
    let world = await startOn(place.open(), model);
    const client = openClient(anthropicKind, () => world.gateway.url);
    let outputs = await work(client, { name: "apart", turns: HALF });
    const [id = ""] = sessionIds(world);
    await untilSaved(world, id, place.open);
    await world.gateway.close();

    const stored = await createEngine({ model: "unknown", store: place.open() }).session(id);
    const before = JSON.stringify(await stored.export());
    world = await startOn(place.open(), model);
    await whileFrozen(server, async () => {
      outputs = await work(client, { name: "apart", turns: 6, outputsBefore: outputs });
    });
    await until(() => world.incidents.includes("store: set apart: RecordsUnsaved"));
    const again = await createEngine({ model: "unknown", store: place.open() }).session(id);
    expect(JSON.stringify(await again.export())).toBe(before);
    const newId = `${id}~unsaved-1`;
    const apart = await createEngine({ model: "unknown", store: place.open() }).session(newId);
    expect(await apart.events()).toContainEqual(expect.objectContaining({ type: "set_apart", fromSessionId: id }));

    const sent = model.requests.length;
    await work(client, { name: "apart", turns: 2, outputsBefore: outputs });
    expect(sessionIds(world).at(-1)).toBe(newId);
    expect(tooLongRequests(model)).toEqual([]);
    expect(invalidRequests(model)).toEqual([]);
    expect(model.requests).toHaveLength(sent + 2);
    const facts = await findFacts({ ...world, server: model }, { id: newId, name: "apart", outputs });
    expect(facts.lost).toEqual([]);
  });

  test("a lock on one session costs the others nothing, and what that one missed is written when it is released", async () => {
    const place = freshPlace(server);
    const model = await startServer({ contextWindow: COMPARED_WINDOW });
    const world = await startOn(place.open(), model);
    const [one, other] = ["one", "other"].map((name) =>
      anthropicKind.open({ url: () => world.gateway.url, headers: { "x-palimpsest-session": name } }),
    );
    if (one === undefined || other === undefined) throw new Error("no clients");
    one.say("Read all files.");
    other.say("Read all files.");
    await work(one, { name: "one", turns: 2 });
    await work(other, { name: "other", turns: 2 });
    // A transaction that sleeps with the session's row until it is ended.
    const locking = runSql(
      server.connectionString,
      `BEGIN; SELECT 1 FROM "${place.schema}".sessions WHERE id = 'one' FOR UPDATE; SELECT pg_sleep(600); COMMIT`,
    ).catch(() => undefined);
    const holders = `SELECT pid FROM pg_stat_activity WHERE query LIKE '%pg_sleep%' AND pid <> pg_backend_pid()`;
    await until(async () => (await runSql(server.connectionString, holders)).length === 1);
    await work(one, { name: "one", turns: 6, outputsBefore: 2 });
    await until(async () => (await fetch(`${world.gateway.url}/palimpsest/api/health`)).ok);
    await work(other, { name: "other", turns: 6, outputsBefore: 2 });
    await untilSaved(world, "other", place.open);
    expect(world.incidents).toEqual(["store: StoreLate"]);
    await runSql(server.connectionString, `SELECT pg_terminate_backend(pid) FROM (${holders}) AS holder`);
    await locking;
    await untilSaved(world, "one", place.open);
  });

  test("a server that refuses connections is done without, too", async () => {
    const place = freshPlace(server);
    const model = await startServer({ contextWindow: COMPARED_WINDOW });
    const world = await startOn(place.open(), model);
    const client = openClient(anthropicKind, () => world.gateway.url);
    const outputs = await work(client, { name: "refused", turns: 4 });
    const [id = ""] = sessionIds(world);
    await server.stop();
    try {
      await work(client, { name: "refused", turns: HALF, outputsBefore: outputs });
    } finally {
      await server.start();
    }
    expect(tooLongRequests(model)).toEqual([]);
    expect(world.incidents).toEqual(["store: store-failed"]);
    await untilSaved(world, id, place.open);
  });
});
