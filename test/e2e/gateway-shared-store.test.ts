/** Gateways that share a PostgreSQL: whichever of them gets a request, what goes upstream is the same. */
import { expect, test } from "vitest";
import type { RequestActivity } from "../../src/gateway/index.ts";
import type { ModelServer } from "../../src/testing/index.ts";
import type { SdkClient } from "../support/gateway-client.ts";
import { invalidRequests } from "../support/gateway-script.ts";
import { findFacts, finish, listSessions, readLog, SDK_KINDS, work } from "../support/gateway-sessions.ts";
import { COMPARED_TURNS, COMPARED_WINDOW, firstDifference, undisturbed } from "../support/gateway-undisturbed.ts";
import { startGatewayBefore, startServer } from "../support/gateway-world.ts";
import { describePostgres } from "../support/postgres-database.ts";
import { postgresPlace } from "../support/stores.ts";

await describePostgres("two gateways on one PostgreSQL", (connectionString) => {
  async function startTwo() {
    const place = postgresPlace(connectionString);
    const server = await startServer({ contextWindow: COMPARED_WINDOW });
    const options = { windows: { all: COMPARED_WINDOW } };
    const one = await startGatewayBefore(server, { ...options, store: place.open() });
    const other = await startGatewayBefore(server, { ...options, store: place.open() });
    return { server, gateways: [one, other] as const };
  }

  test.each(SDK_KINDS)("that serve one session of $name in turn send the bytes that one would send", async (kind) => {
    const { server, gateways } = await startTwo();
    const client = kind.open({ url: () => gateways[server.requests.length % 2 === 0 ? 0 : 1].gateway.url });
    client.say("Read all files.");
    // The next gateway goes by what the last reply taught once that is written; an API read waits for it.
    const beforeTurn = () =>
      Promise.all(gateways.map(({ gateway }) => fetch(`${gateway.url}/palimpsest/api/sessions?limit=1`)));
    const outputs = await work(client, { name: "shared", turns: COMPARED_TURNS, beforeTurn });
    expect(invalidRequests(server)).toEqual([]);
    const bodies = server.requests.map(({ rawBody }) => rawBody);
    expect(firstDifference(bodies, await undisturbed(kind, { name: "shared", losesStep: false }))).toBe(-1);
    expect(gateways.flatMap(({ turns }) => foldingTurns(turns)).length).toBeGreaterThan(2);
    await expectWhole({ server, gateways }, { client, name: "shared", outputs, turns: COMPARED_TURNS });
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
    const outputs = await work(client, { name: "replayed", turns: 20, isStreaming: () => true, beforeTurn });
    const bodies = server.requests.map(({ rawBody }) => rawBody);
    expect(bodies).toHaveLength(40);
    expect(differingPairs(bodies)).toEqual([]);
    expect(gateways.flatMap(({ turns }) => foldingTurns(turns)).length).toBeGreaterThan(2);
    await expectWhole({ server, gateways }, { client, name: "replayed", outputs, turns: 20 });
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
    await expectWhole({ server, gateways }, { client, name: "twice", outputs, turns: 24 });
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

type StartedGateway = Awaited<ReturnType<typeof startGatewayBefore>>;

interface Shared {
  readonly server: ModelServer;
  readonly gateways: readonly [StartedGateway, StartedGateway];
}

interface Worked {
  readonly client: SdkClient;
  readonly name: string;
  readonly outputs: number;
  readonly turns: number;
}

/** Both gateways have the one session, whole and without duplicates. */
async function expectWhole({ server, gateways }: Shared, { client, name, outputs, turns }: Worked): Promise<void> {
  await finish(client, { server });
  const [{ gateway: one }, { gateway: other }] = gateways;
  const ids = await listSessions(one.url);
  expect(ids).toHaveLength(1);
  expect(await listSessions(other.url)).toEqual(ids);
  const [id = ""] = ids;
  // What the other one was sent last may still be on its way into the store.
  await expect.poll(async () => (await readLog(one.url, id)).length).toBe(1 + 2 * turns);
  const log = await readLog(one.url, id);
  expect(new Set(log).size).toBe(log.length);
  expect(await readLog(other.url, id)).toEqual(log);
  const facts = await findFacts({ gateway: other, server }, { id, name, outputs });
  expect(facts.lost).toEqual([]);
  expect(gateways.flatMap(({ incidents }) => incidents)).toEqual([]);
}

/** A second client with the same conversation. */
function twinOf({ history }: SdkClient, twin: SdkClient): SdkClient {
  twin.history.splice(0, twin.history.length, ...history);
  return twin;
}
