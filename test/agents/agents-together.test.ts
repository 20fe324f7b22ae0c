import { expect, test } from "vitest";
import { type AgentRig, openRig, type Seat } from "./agent-rig.ts";
import { AGENTS } from "./agents/index.ts";
import { installAgent } from "./install-agent.ts";
import { readLog } from "./read-rig.ts";

const NOTES = 6;

test("keeps agents that work at the same time apart, also two of a kind", async ({ skip }) => {
  const rig = await openRig({ contextWindow: 1_000_000, isWindowTold: false });
  const seats = await takeSeats(rig);
  if (seats.length === 0) skip("none of the agents could be installed");
  const runs = await Promise.all(seats.map((seat) => seat.run({})));
  expect(runs.map(({ exitCode }) => exitCode)).toEqual(seats.map(() => 0));
  expect(new Set(seats.flatMap((seat) => seat.sessionIds())).size).toBe(seats.length);
  for (const seat of seats) {
    const [sessionId = ""] = seat.sessionIds();
    const said = (await readLog(rig, sessionId)).texts.join("\n");
    const known = seats.filter(({ facts }) => facts.some(({ answer }) => said.includes(answer)));
    expect(known).toEqual([seat]);
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
