/** Many agents on four gateways behind a round-robin, while gateways are killed and PostgreSQL is restarted. */
import { expect, test } from "vitest";
import { createEngine, restoreAllMessages } from "../../src/index.ts";
import { postgresStore } from "../../src/stores/postgres/index.ts";
import { factOf, invalidRequests } from "../support/gateway-script.ts";
import { startServer } from "../support/gateway-world.ts";
import { describeOwnPostgres } from "../support/own-postgres.ts";
import { tellFigures } from "./chaos-size.ts";
import { type FleetAgent, letAgentsFinish, letAgentsWork, unstableRequests } from "./fleet-agents.ts";
import { startFleet } from "./fleet-world.ts";

const GATEWAYS = 4;
/** The number is 100; a machine of two cores takes some minutes for it. */
const AGENTS = Number(process.env.PALIMPSEST_FLEET_AGENTS ?? 16);
const TURNS = 16;
const WINDOW = 16_000;

await describeOwnPostgres("a fleet of gateways", (postgres) => {
  test(`${AGENTS} agents at once lose nothing, mix nothing and see the same bytes`, async () => {
    const server = await startServer({ contextWindow: WINDOW });
    const { connectionString } = postgres;
    const upstream = server.url;
    const fleet = await startFleet({ gateways: GATEWAYS, upstream, connectionString, windowTokens: WINDOW });
    const outages: number[] = [];
    const without = async (end: () => Promise<void>) => {
      const start = performance.now();
      await end();
      await postgres.start();
      outages.push(Math.round(performance.now() - start));
    };
    const restart = () => without(postgres.stop);
    const crash = () => without(postgres.crash);
    const faults = [() => fleet.kill(0), restart, () => fleet.kill(1), () => fleet.kill(2), crash, () => fleet.kill(3)];
    let played = Promise.resolve();
    let next = 0;
    const agents = await letAgentsWork({
      url: fleet.url,
      agents: AGENTS,
      turns: TURNS,
      // by progress, and one after the other: the last ones come while agents still work
      onTurn: (done) => {
        const due = Math.floor((done / (AGENTS * TURNS)) * (faults.length + 1));
        for (; next < Math.min(due, faults.length); next++) played = played.then(faults[next]);
      },
    });
    await played;
    expect(next).toBe(faults.length);
    await letAgentsFinish(agents);
    await fleet.stop();

    const requests = server.requests.length;
    expect(invalidRequests(server)).toEqual([]);
    const found = await readSessions(connectionString);
    expect(found.damaged).toEqual([]);
    expect(found.logs.filter(({ events }) => events.includes("set_apart"))).toEqual([]);
    expect(sessionsOfSeveral(found.logs, agents)).toEqual([]);
    expect(found.logs.filter(({ text }) => namesIn(text, agents).length === 0)).toEqual([]);
    expect(found.logs).toHaveLength(AGENTS);
    expect(found.logs.flatMap(({ id, text }) => (namesIn(text, agents).length > 1 ? [id] : []))).toEqual([]);
    const lost = agents.flatMap((agent) => lostOf(agent, found.logs));
    expect(lost).toEqual([]);
    const unstable = agents.flatMap((agent) => unstableRequests(agent, server));
    const folded = server.requests.filter(({ rawBody }) => /hidden in fold/.test(rawBody)).length;
    tellFigures("a fleet behind a round-robin", {
      ...{ gateways: GATEWAYS, agents: AGENTS, turns: AGENTS * TURNS, requests, folded },
      ...{ repeats: agents.reduce((sum, each) => sum + each.repeats, 0), sessions: found.logs.length },
      ...{ outagesMs: outages.join(" and "), lost: lost.length, unstable: unstable.length },
    });
    expect(folded).toBeGreaterThan(AGENTS);
    expect(unstable).toEqual([]);
  });
});

interface FoundLog {
  readonly id: string;
  /** All that was said, as JSON. */
  readonly text: string;
  /** What happened to the session, by type. */
  readonly events: readonly string[];
}

async function readSessions(connectionString: string) {
  const store = postgresStore({ connectionString });
  const engine = createEngine({ model: "claude-haiku-4-5", store });
  const logs: FoundLog[] = [];
  const damaged: string[] = [];
  for (const { id } of await engine.sessions({ limit: 10_000 })) {
    const session = await engine.session(id);
    if ((await session.verify()).type !== "intact") damaged.push(id);
    const events = (await session.events()).map(({ type }) => type);
    logs.push({ id, text: JSON.stringify(restoreAllMessages(await session.log())), events });
    session.close();
  }
  await store.close();
  return { logs, damaged };
}

/** The sessions of each agent that has not just one, with what tells where the others came from. */
function sessionsOfSeveral(logs: readonly FoundLog[], agents: readonly FleetAgent[]): readonly (readonly string[])[] {
  const own = agents.map(({ name }) => logs.filter(({ text }) => text.includes(`I am ${name}.`)));
  return own.flatMap((sessions) =>
    sessions.length === 1
      ? []
      : [sessions.map(({ id, events, text }) => `${id}: ${text.length} characters; ${events.join(", ")}`)],
  );
}

function namesIn(text: string, agents: readonly FleetAgent[]): readonly string[] {
  return agents.flatMap(({ name }) => (text.includes(`I am ${name}.`) || text.includes(`"${name}-`) ? [name] : []));
}

/** What its tools said and its log does not have, or has twice. Of several logs, the best counts: an outage may have set one apart. */
function lostOf({ name, outputs }: FleetAgent, logs: readonly FoundLog[]): readonly string[] {
  const expected = Array.from({ length: outputs }, (_, output) => factOf(name, output).text);
  const own = logs.filter(({ text }) => text.includes(`I am ${name}.`));
  const best = own.map(({ text }) => expected.filter((fact) => text.split(fact).length !== 2));
  return best.toSorted((one, other) => one.length - other.length)[0] ?? [`${name} has no session`];
}
