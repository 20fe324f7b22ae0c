/** Four gateways on one PostgreSQL: requests of a session to each in turn, or always to the same. */
import { randomUUID } from "node:crypto";
import pg from "pg";
import { type Child, startChild } from "../gateway/child.ts";
import { type Client, connect } from "../gateway/client.ts";
import { startConversation } from "../gateway/conversations.ts";
import { findPostgres } from "../stores/postgres-server.ts";
import { milliseconds, quantile, ratio, row } from "../stores/times.ts";
import type { FleetSettings } from "./fleet-process.ts";

const GATEWAYS = 4;
const AGENTS = 24;
const STEPS = 20;
const ROUNDS = 2;
const CONVERSATION = { model: "claude-sonnet-4-5", bytes: 32_000, resultBytes: 2_000 };
/** Small enough that sessions are folded on their way. */
const WINDOW_TOKENS = 16_000;

interface Run {
  readonly times: number[];
  cpuMs: number;
}

const BALANCERS = {
  "in turn": (_agent: number, step: number) => step % GATEWAYS,
  sticky: (agent: number) => agent % GATEWAYS,
};

export async function benchStickySessions(): Promise<void> {
  const server = await findPostgres();
  if (server === undefined) return console.log("\nNo PostgreSQL can be started here: it is not measured.");
  const schema = `bench_${randomUUID()}`;
  const upstream = await startChild("upstream-process.ts");
  const { connectionString } = server;
  const settings: FleetSettings = { upstreamUrl: upstream.url, connectionString, schema, windowTokens: WINDOW_TOKENS };
  const gateways: Child[] = [];
  for (let each = 0; each < GATEWAYS; each++)
    gateways.push(await startChild("../scale/fleet-process.ts", { settings }));
  const clients = gateways.map(({ url }) => connect(url));
  console.log(
    `\n${AGENTS} agents at once on ${GATEWAYS} gateways over one PostgreSQL, ${STEPS} requests each from ${CONVERSATION.bytes / 1_000} KB on, with folds; times in ms`,
  );
  const runs = { "in turn": { times: [], cpuMs: 0 }, sticky: { times: [], cpuMs: 0 } } satisfies Record<string, Run>;
  // once for what a process does only once, then in turns
  await drive(clients, BALANCERS.sticky);
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of ["in turn", "sticky"] as const) {
      const before = await cpuOf(gateways);
      const run: Run = runs[name];
      run.times.push(...(await drive(clients, BALANCERS[name])));
      run.cpuMs += (await cpuOf(gateways)) - before;
    }
  }
  print(runs);
  for (const client of clients) await client.close();
  for (const child of [...gateways, upstream]) await child.end();
  const admin = new pg.Client({ connectionString });
  await admin.connect();
  await admin.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
  await admin.end();
  await server.remove();
}

async function drive(clients: readonly Client[], choose: (agent: number, step: number) => number): Promise<number[]> {
  const times = await Promise.all(
    Array.from({ length: AGENTS }, async (_, agent) => {
      const conversation = startConversation(CONVERSATION);
      const own: number[] = [];
      for (let step = 0; step < STEPS; step++) {
        const client = clients[choose(agent, step)];
        if (client !== undefined) own.push((await client.send(conversation.next())).milliseconds);
      }
      // the first request of a session is the same for both
      return own.slice(1);
    }),
  );
  return times.flat();
}

async function cpuOf(gateways: readonly Child[]): Promise<number> {
  const all = await Promise.all(gateways.map((gateway) => gateway.ask("cpu")));
  return all.reduce<number>((sum, each) => sum + Number(each), 0);
}

function print(runs: Readonly<Record<keyof typeof BALANCERS, Run>>): void {
  console.log(row("", "p50", "p90", "p99", "CPU/request"));
  const numbers = ({ times, cpuMs }: Run) => [
    ...[0.5, 0.9, 0.99].map((share) => quantile(times, share)),
    cpuMs / (ROUNDS * AGENTS * STEPS),
  ];
  const [inTurn, sticky] = [numbers(runs["in turn"]), numbers(runs.sticky)];
  console.log(row("in turn", ...inTurn.map(milliseconds)));
  console.log(row("sticky", ...sticky.map(milliseconds)));
  console.log(
    row("  sticky of in turn", ...sticky.map((value, index) => ratio(value / (inTurn[index] ?? Number.NaN)))),
  );
}
