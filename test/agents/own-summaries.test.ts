import { describe, expect, test } from "vitest";
import type { SummaryTrigger } from "./agent.ts";
import { openRig, type Seat } from "./agent-rig.ts";
import { AGENTS } from "./agents/index.ts";
import { invalidRequests, isRecalledAnywhere, readLog } from "./read-rig.ts";
import type { AgentRun } from "./run-agent.ts";
import { SUMMARY_REQUEST } from "./scripted-model.ts";
import { takeSeat } from "./take-seat.ts";

const NOTES = 25;

describe.each(AGENTS.filter(({ summarises }) => summarises !== undefined))("$name", (agent) => {
  test("loses nothing when it summarises its history itself", async ({ skip }) => {
    const rig = await openRig({ contextWindow: 1_000_000, isWindowTold: false });
    const seat = await takeSeat(rig, agent, { notes: NOTES, skip });
    const runs = await runWithSummary(seat, agent.summarises);
    expect(runs.map(({ exitCode }) => exitCode)).toEqual(runs.map(() => 0));
    expect(invalidRequests(rig)).toEqual([]);
    expect(rig.gateway.stats.total().incidents).toBe(0);
    const [firstId = ""] = seat.sessionIds();
    const { texts } = await readLog(rig, firstId);
    expect(texts.filter((text) => SUMMARY_REQUEST.test(text))).toEqual([]);
    for (const fact of seat.facts) expect(await isRecalledAnywhere(rig, fact), fact.question).toBe(true);
  });
});

async function runWithSummary(seat: Seat, trigger: SummaryTrigger | undefined): Promise<readonly AgentRun[]> {
  if (trigger?.type === "window") return [await seat.run({ believedWindowTokens: trigger.tokens })];
  return [
    await seat.run({}),
    await seat.run({ prompt: trigger?.prompt ?? "", isContinued: true, commands: [] }),
    await seat.run({ prompt: "Read the first one again.", isContinued: true, commands: seat.commands.slice(0, 1) }),
  ];
}
