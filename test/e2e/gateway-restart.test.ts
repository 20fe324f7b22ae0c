/** A gateway that is killed, and gateways that share a store: sessions go on with the same bytes. */
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { RequestActivity } from "../../src/gateway/index.ts";
import type { ModelServer } from "../../src/testing/index.ts";
import type { SdkClient, SdkKind } from "../support/gateway-client.ts";
import { invalidRequests } from "../support/gateway-script.ts";
import { findFacts, finish, listSessions, readLog, SDK_KINDS, work } from "../support/gateway-sessions.ts";
import { sliceBody } from "../support/gateway-slices.ts";
import { startGatewayBefore, startServer } from "../support/gateway-world.ts";
import { type PalimpsestProcess, startPalimpsest } from "../support/palimpsest-process.ts";
import { describePostgres } from "../support/postgres-database.ts";
import { postgresPlace } from "../support/stores.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const WINDOW = 16_000;
const TURNS = 40;

interface StartedUp {
  readonly url: string;
  readonly gateway: PalimpsestProcess;
}

async function startUp({ url }: ModelServer, store: string, port: number): Promise<StartedUp> {
  const options = ["--upstream", url, "--window", String(WINDOW), "--store", store, "--port", String(port)];
  const gateway = startPalimpsest(["up", "--json", ...options]);
  onTestFinished(async () => {
    gateway.kill("SIGKILL");
    await gateway.ended;
  });
  const facts: { readonly url: string } = JSON.parse(await gateway.shows(/^\{.*\}\n/));
  return { url: facts.url, gateway };
}

/** The bodies that a gateway sends which nobody disturbs. */
async function undisturbed({ open }: SdkKind, name: string): Promise<readonly string[]> {
  const server = await startServer({ contextWindow: WINDOW });
  const { gateway } = await startGatewayBefore(server, { windows: { all: WINDOW } });
  const client = open({ url: () => gateway.url });
  client.say("Read all files.");
  await work(client, { name, turns: TURNS });
  return server.requests.map(({ rawBody }) => rawBody);
}

/** The first place at which two lists of bodies differ; -1 where they are the same. */
function firstDifference(bodies: readonly string[], expected: readonly string[]): number {
  return bodies.length === expected.length
    ? bodies.findIndex((body, index) => body !== expected[index])
    : Number.POSITIVE_INFINITY;
}

describe("kill -9", () => {
  test.each(SDK_KINDS)("in the middle of a session of $name: it goes on with the same folds", async (kind) => {
    const store = join(temporaryFolder(), "sessions.db");
    const server = await startServer({ contextWindow: WINDOW });
    let { url, gateway } = await startUp(server, store, 0);
    const client = kind.open({ url: () => url });
    client.say("Read all files.");
    const outputs = await work(client, { name: "steady", turns: TURNS / 2 });

    // The step that is under way when it happens is lost, and sent again.
    server.script({ type: "hang" });
    const lost = client.ask(false).then(
      () => "answered",
      () => "failed",
    );
    await expect.poll(() => server.requests.at(-1)?.outcome).toBe("fault");
    gateway.kill("SIGKILL");
    expect(await lost).toBe("failed");
    await gateway.ended;
    ({ url, gateway } = await startUp(server, store, Number(new URL(url).port)));

    const all = await work(client, { name: "steady", turns: TURNS / 2, outputsBefore: outputs });
    expect(invalidRequests(server)).toEqual([]);
    expect(server.requests).toHaveLength(TURNS + 1);
    const bodies = server.requests.map(({ rawBody }) => rawBody);
    expect(bodies[TURNS / 2 + 1]).toBe(bodies[TURNS / 2]);
    expect(bodies[TURNS / 2]).toMatch(/Ledger of the earlier conversation|tokens hidden/);
    const answered = bodies.filter((_, index) => index !== TURNS / 2);
    expect(firstDifference(answered, await undisturbed(kind, "steady"))).toBe(-1);

    await finish(client, { server });
    const [id = ""] = await listSessions(url);
    expect(await listSessions(url)).toHaveLength(1);
    const log = await readLog(url, id);
    expect(new Set(log).size).toBe(log.length);
    const facts = await findFacts({ gateway: { url }, server }, { id, name: "steady", outputs: all });
    expect(facts.lost).toEqual([]);
    expect(facts.recalled).toBeGreaterThan(20);
  });
});

await describePostgres("two gateways on one PostgreSQL", (connectionString) => {
  async function startTwo() {
    const place = postgresPlace(connectionString);
    const server = await startServer({ contextWindow: WINDOW });
    const options = { windows: { all: WINDOW } };
    const one = await startGatewayBefore(server, { ...options, store: place.open() });
    const other = await startGatewayBefore(server, { ...options, store: place.open() });
    return { server, gateways: [one, other] as const };
  }

  test.each(SDK_KINDS)("that serve one session of $name in turn send the bytes that one would send", async (kind) => {
    const { server, gateways } = await startTwo();
    const client = kind.open({ url: () => gateways[server.requests.length % 2 === 0 ? 0 : 1].gateway.url });
    client.say("Read all files.");
    const outputs = await work(client, { name: "shared", turns: TURNS });
    expect(invalidRequests(server)).toEqual([]);
    const bodies = server.requests.map(({ rawBody }) => rawBody);
    expect(firstDifference(bodies, await undisturbed(kind, "shared"))).toBe(-1);
    expect(gateways.flatMap(({ turns }) => foldingTurns(turns)).length).toBeGreaterThan(2);
    await expectWhole({ server, gateways }, { client, name: "shared", outputs });
  });

  test.each(SDK_KINDS)("show each other's folds of $name: a step sent again has the same bytes", async ({ open }) => {
    const { server, gateways } = await startTwo();
    let turn = 0;
    const client = open({ url: () => gateways[turn % 2 === 0 ? 0 : 1].gateway.url });
    const other = open({ url: () => gateways[turn % 2 === 0 ? 1 : 0].gateway.url });
    client.say("Read all files.");
    const beforeTurn = async (now: number) => {
      turn = now;
      await twinOf(client, other).ask(true);
    };
    const outputs = await work(client, { name: "replayed", turns: 30, isStreaming: () => true, beforeTurn });
    const bodies = server.requests.map(({ rawBody }) => rawBody);
    expect(bodies).toHaveLength(60);
    expect(differingPairs(bodies)).toEqual([]);
    expect(gateways.flatMap(({ turns }) => foldingTurns(turns)).length).toBeGreaterThan(2);
    await expectWhole({ server, gateways }, { client, name: "replayed", outputs });
  });

  test.each(SDK_KINDS)("that get the same steps of $name at once keep one log and one view", async ({ open }) => {
    const { server, gateways } = await startTwo();
    const client = open({ url: () => gateways[0].gateway.url });
    const other = open({ url: () => gateways[1].gateway.url });
    client.say("Read all files.");
    let twin: Promise<unknown> = Promise.resolve();
    const beforeTurn = async () => {
      await twin;
      twin = twinOf(client, other).ask(true);
    };
    const outputs = await work(client, { name: "twice", turns: 24, isStreaming: () => true, beforeTurn });
    await twin;
    expect(invalidRequests(server)).toEqual([]);
    const bodies = server.requests.map(({ rawBody }) => rawBody);
    expect(bodies).toHaveLength(48);
    expect(differingPairs(bodies)).toEqual([]);
    expect(gateways.flatMap(({ turns }) => foldingTurns(turns)).length).toBeGreaterThan(2);
    await expectWhole({ server, gateways }, { client, name: "twice", outputs });
    const [id = ""] = await listSessions(gateways[0].gateway.url);
    expect(await readLog(gateways[0].gateway.url, id)).toHaveLength(1 + 2 * 24);
  });
});

/** Which turns made folds. */
function foldingTurns(turns: readonly RequestActivity[]): readonly number[] {
  return turns.flatMap(({ foldIds }, turn) => (foldIds.length > 0 ? [turn] : []));
}

/** Which of the steps that were each sent twice had other bytes the second time. */
function differingPairs(bodies: readonly string[]): readonly number[] {
  return bodies.flatMap((body, index) => (index % 2 === 1 && body !== bodies[index - 1] ? [(index - 1) / 2] : []));
}

interface Shared {
  readonly server: ModelServer;
  readonly gateways: readonly Awaited<ReturnType<typeof startGatewayBefore>>[];
}

/** Both gateways have the one session, whole and without duplicates. */
async function expectWhole(
  { server, gateways }: Shared,
  { client, name, outputs }: { readonly client: SdkClient; readonly name: string; readonly outputs: number },
): Promise<void> {
  await finish(client, { server });
  for (const { gateway, incidents } of gateways) {
    const ids = await listSessions(gateway.url);
    expect(ids).toHaveLength(1);
    const log = await readLog(gateway.url, ids[0] ?? "");
    expect(new Set(log).size).toBe(log.length);
    const facts = await findFacts({ gateway, server }, { id: ids[0] ?? "", name, outputs });
    expect(facts.lost).toEqual([]);
    expect(incidents).toEqual([]);
  }
}

/** A second client with the same conversation. */
function twinOf({ history }: SdkClient, twin: SdkClient): SdkClient {
  twin.history.splice(0, twin.history.length, ...history);
  return twin;
}
