import { expect, test } from "vitest";
import { type AgentRig, openRig, type Seat } from "./agent-rig.ts";
import { AGENTS } from "./agents/index.ts";
import { installAgent } from "./install-agent.ts";
import { readLog } from "./read-rig.ts";
import type { AgentRun } from "./run-agent.ts";

const NOTES = 6;
/** Agents that start all at once would only wait for each other. */
const AT_ONCE = 3;

test("keeps agents that work at the same time apart, also two of a kind", async ({ skip }) => {
  const rig = await openRig({ contextWindow: 1_000_000, isWindowTold: false });
  const seats = await takeSeats(rig);
  if (seats.length === 0) skip("none of the agents could be installed");
  expect((await runSome(seats)).map(({ exitCode }) => exitCode)).toEqual(seats.map(() => 0));
  // Two that say nothing of who they are and begin with the same words are one conversation until the model answers.
  const ids = seats.map((seat) => seat.sessionIds().at(-1) ?? "");
  expect(new Set(ids).size).toBe(seats.length);
  for (const [index, seat] of seats.entries()) {
    const said = (await readLog(rig, ids[index] ?? "")).texts.join("\n");
    const knownFrom = seats.filter(({ facts }) => facts.some(({ answer }) => said.includes(answer)));
    expect(knownFrom.map(({ path }) => path)).toEqual([seat.path]);
    for (const { answer } of seat.facts) expect(said).toContain(answer);
  }
});

/** Two of each kind. */
async function takeSeats(rig: AgentRig): Promise<readonly Seat[]> {
  const seats: Seat[] = [];
  for (const agent of AGENTS) {
    const installation = await installAgent(agent);
    if (installation.type === "missing") continue;
    const { executable } = installation;
    for (const owner of [`${agent.command}-${seats.length}`, `${agent.command}-${seats.length + 1}`]) {
      seats.push(await rig.seat(agent, { executable, owner, notes: NOTES }));
    }
  }
  return seats;
}

async function runSome(seats: readonly Seat[]): Promise<readonly AgentRun[]> {
  const runs: AgentRun[] = [];
  for (let index = 0; index < seats.length; index += AT_ONCE) {
    runs.push(...(await Promise.all(seats.slice(index, index + AT_ONCE).map((seat) => seat.run({})))));
  }
  return runs;
}
