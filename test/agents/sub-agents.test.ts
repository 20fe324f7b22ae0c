import { describe, expect, test } from "vitest";
import { openRig } from "./agent-rig.ts";
import { AGENTS } from "./agents/index.ts";
import { invalidRequests, readLog, readTree } from "./read-rig.ts";
import { takeSeat } from "./take-seat.ts";

const NOTES = 4;

describe.each(AGENTS.filter(({ delegates }) => delegates !== undefined))("$name", (agent) => {
  test("has a session of its own for a sub-agent", async ({ skip }) => {
    const rig = await openRig({ contextWindow: 1_000_000, isWindowTold: false });
    const seat = await takeSeat(rig, agent, { notes: NOTES, skip });
    const [delegatedCommand = "", ...commands] = seat.commands;
    const [delegatedFact, ...facts] = seat.facts.map(({ answer }) => answer);
    const delegated = agent.delegates && { ...agent.delegates, commands: [delegatedCommand] };
    expect(await seat.run({ commands, delegated })).toMatchObject({ exitCode: 0 });
    expect(invalidRequests(rig)).toEqual([]);
    const [mainId = "", subId = "", ...others] = seat.sessionIds();
    expect(others).toEqual([]);
    const main = (await readLog(rig, mainId)).texts.join("\n");
    const delegatedLog = (await readLog(rig, subId)).texts.join("\n");
    for (const fact of facts) expect(main).toContain(fact);
    for (const fact of facts) expect(delegatedLog).not.toContain(fact);
    expect(delegatedLog).toContain(delegatedFact);
    expect(main).not.toContain(delegatedFact);
    const tree = await readTree(rig);
    const sub = tree.find(({ id }) => id === subId);
    if (agent.delegates?.isParentNamed === true) expect(sub).toMatchObject({ parentId: mainId, relation: "sub-agent" });
    // Nothing in its requests says who started it: at most, both have the same key for caches.
    else expect(sub?.relation).not.toBe("sub-agent");
    expect(tree.find(({ id }) => id === mainId)).not.toHaveProperty("parentId");
  });
});
