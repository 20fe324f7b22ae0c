/** A gateway that is killed: its sessions go on with the same bytes. */
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { ModelServer } from "../../src/testing/index.ts";
import { invalidRequests } from "../support/gateway-script.ts";
import { findFacts, finish, listSessions, readLog, SDK_KINDS, work } from "../support/gateway-sessions.ts";
import {
  COMPARED_TURNS,
  COMPARED_WINDOW,
  firstDifference,
  loseStep,
  undisturbed,
} from "../support/gateway-undisturbed.ts";
import { startServer } from "../support/gateway-world.ts";
import { type PalimpsestProcess, startPalimpsest, unhurried } from "../support/palimpsest-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const HALF = COMPARED_TURNS / 2;

interface StartedUp {
  readonly url: string;
  readonly gateway: PalimpsestProcess;
}

async function startUp({ url }: ModelServer, store: string, port: number): Promise<StartedUp> {
  const options = ["--upstream", url, "--window", String(COMPARED_WINDOW), "--store", store, "--port", String(port)];
  const gateway = startPalimpsest(["up", "--json", ...options, ...unhurried()]);
  onTestFinished(async () => {
    gateway.kill("SIGKILL");
    await gateway.ended;
  });
  const facts: { readonly url: string } = JSON.parse(await gateway.shows(/^\{.*\}\n/));
  return { url: facts.url, gateway };
}

test.each(SDK_KINDS)("kill -9 in the middle of a session of $name: it goes on with the same folds", async (kind) => {
  const store = join(temporaryFolder(), "sessions.db");
  const server = await startServer({ contextWindow: COMPARED_WINDOW });
  let { url, gateway } = await startUp(server, store, 0);
  const client = kind.open({ url: () => url });
  client.say("Read all files.");
  const outputs = await work(client, { name: "steady", turns: HALF });

  // The step that is under way when it happens is lost, and sent again.
  const lost = loseStep(client, server);
  await lost.isUnderWay;
  gateway.kill("SIGKILL");
  expect(await lost.outcome).toBe("failed");
  await gateway.ended;
  ({ url, gateway } = await startUp(server, store, Number(new URL(url).port)));

  const all = await work(client, { name: "steady", turns: HALF, outputsBefore: outputs });
  expect(invalidRequests(server)).toEqual([]);
  expect(server.requests).toHaveLength(COMPARED_TURNS + 1);
  const bodies = server.requests.map(({ rawBody }) => rawBody);
  expect(bodies[HALF + 1]).toBe(bodies[HALF]);
  expect(bodies[HALF]).toMatch(/Ledger of the earlier conversation|tokens hidden/);
  expect(firstDifference(bodies, await undisturbed(kind, { name: "steady", losesStep: true }))).toBe(-1);

  await finish(client, { server });
  const [id = ""] = await listSessions(url);
  expect(await listSessions(url)).toHaveLength(1);
  const log = await readLog(url, id);
  expect(new Set(log).size).toBe(log.length);
  const facts = await findFacts({ gateway: { url }, server }, { id, name: "steady", outputs: all });
  expect(facts.lost).toEqual([]);
  expect(facts.recalled).toBeGreaterThan(20);
});
