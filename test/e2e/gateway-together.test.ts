/** Several agents at once on one gateway: each has its own session, and nothing of one is in another. */
import { expect, test } from "vitest";
import { sized } from "../chaos/chaos-size.ts";
import type { SdkClient, SdkKind } from "../support/gateway-client.ts";
import { invalidRequests } from "../support/gateway-script.ts";
import { findFacts, finish, listSessions, readLog, SDK_KINDS, work } from "../support/gateway-sessions.ts";
import { type GatewayWorld, startWorld } from "../support/gateway-world.ts";

const WINDOW = 16_000;
const TURNS = sized({ full: 20, short: 10 });

interface Worker {
  readonly name: string;
  readonly client: SdkClient;
}

/** Two of the agents have the same kind twice. */
function openWorkers({ url }: GatewayWorld, question: (name: string) => string): readonly Worker[] {
  const kinds: readonly SdkKind[] = [...SDK_KINDS, ...SDK_KINDS.slice(0, 2)];
  return kinds.map(({ open }, index) => {
    const client = open({ url });
    const name = `worker${index}`;
    client.say(question(name));
    return { name, client };
  });
}

/** Which workers a text is from. */
function workersIn(text: string): readonly string[] {
  return [...new Set(text.match(/\bworker\d(?=gate\d+x is|-\d)/g))];
}

test.each([
  { what: "with questions of their own", question: (name: string) => `You are ${name}. Read all files.` },
  { what: "with the same question", question: () => "Read all files." },
])("six sessions of four kinds run at once $what, and stay apart", async ({ question }) => {
  const world = await startWorld({ server: { contextWindow: WINDOW }, gateway: { windows: { all: WINDOW } } });
  const workers = openWorkers(world, question);
  const outputs = await Promise.all(workers.map(({ name, client }) => work(client, { name, turns: TURNS })));
  for (const { client } of workers) await finish(client, world);
  expect(invalidRequests(world.server)).toEqual([]);
  expect(world.incidents).toEqual([]);
  expect(world.sent.map(({ status }) => status)).toEqual(Array.from({ length: 6 * TURNS + 6 }, () => 200));
  for (const { rawBody } of world.server.requests) expect(workersIn(rawBody).length).toBeLessThanOrEqual(1);

  const ids = await listSessions(world.gateway.url);
  const owners = await Promise.all(
    ids.map(async (id) => ({ id, names: workersIn((await readLog(world.gateway.url, id)).join("\n")) })),
  );
  for (const { names } of owners) expect(names.length).toBeLessThanOrEqual(1);
  for (const [index, { name }] of workers.entries()) {
    const own = owners.filter(({ names }) => names.includes(name));
    expect(own).toHaveLength(1);
    const facts = await findFacts(world, { id: own[0]?.id ?? "", name, outputs: outputs[index] ?? 0 });
    expect(facts.lost).toEqual([]);
  }
});
