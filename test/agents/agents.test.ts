import { describe, expect, test } from "vitest";
import type { FaultName } from "./agent.ts";
import { openRig } from "./agent-rig.ts";
import { AGENTS } from "./agents/index.ts";
import { invalidRequests, isRecallable, readLog } from "./read-rig.ts";
import { FINAL_TEXT } from "./scripted-model.ts";
import { takeSeat } from "./take-seat.ts";

const WIDE = { contextWindow: 1_000_000, isWindowTold: false };
const FAULTS: readonly FaultName[] = ["429", "500", "529", "cut"];
const NOTES = 25;
const FEW_NOTES = 4;

describe.each(AGENTS)("$name", (agent) => {
  test("sends what it would send without a gateway, as one session", async ({ skip }) => {
    const rig = await openRig(WIDE);
    const seat = await takeSeat(rig, agent, { notes: NOTES, skip });
    const run = await seat.run({});
    expect(run).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(FINAL_TEXT) });
    const sent = rig.server.requests.map(({ rawBody }) => rawBody);
    // Side calls run at the same time as others.
    expect(sent.toSorted()).toEqual(seat.recorder.exchanges.map(({ body }) => body).toSorted());
    expect(sent.length).toBeGreaterThan(NOTES);
    expect(invalidRequests(rig)).toEqual([]);
    expect(await rig.sessionIds()).toEqual(seat.sessionIds());
    expect(seat.sessionIds()).toHaveLength(1);
  });

  test.for([
    { isWindowTold: true, callsAtOnce: 1 },
    { isWindowTold: true, callsAtOnce: 3 },
    { isWindowTold: false, callsAtOnce: 1 },
  ])(
    "ends its work in a window that is too small for it (told: $isWindowTold, calls at once: $callsAtOnce)",
    async ({ isWindowTold, callsAtOnce }, { skip }) => {
      const rig = await openRig({ contextWindow: agent.tightWindowTokens, isWindowTold });
      const seat = await takeSeat(rig, agent, { notes: NOTES, skip });
      const run = await seat.run({ callsAtOnce });
      expect(seat.recorder.exchanges.filter(({ status }) => status !== 200)).toEqual([]);
      expect(run).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(FINAL_TEXT) });
      expect(invalidRequests(rig)).toEqual([]);
      const { incidents, folds } = rig.gateway.stats.total();
      expect(incidents).toBe(0);
      expect(folds).toBeGreaterThan(0);
      const [sessionId = ""] = seat.sessionIds();
      for (const fact of seat.facts) expect(await isRecallable(rig, sessionId, fact), fact.question).toBe(true);
    },
  );

  test("goes on with the same session when it is continued", async ({ skip }) => {
    if (agent.canContinue === false) skip("it continues only where a person sits in front of it");
    const rig = await openRig(WIDE);
    const seat = await takeSeat(rig, agent, { notes: FEW_NOTES, skip });
    const commands = agent.canContinueAfterTools ? seat.commands : [];
    await seat.run({ commands });
    const [sessionId = ""] = seat.sessionIds();
    const before = await readLog(rig, sessionId);
    const run = await seat.run({ isContinued: true, prompt: "Now read all of them once more." });
    expect(run).toMatchObject({ exitCode: 0 });
    expect(invalidRequests(rig)).toEqual([]);
    expect(seat.sessionIds()).toEqual([sessionId]);
    const after = await readLog(rig, sessionId);
    expect(after.texts.slice(1, before.texts.length)).toEqual(before.texts.slice(1));
    expect(after.callIds.length).toBe(commands.length + FEW_NOTES);
  });

  test("is continued where its history is folded", async ({ skip }) => {
    if (agent.canContinue === false) skip("it continues only where a person sits in front of it");
    if (!agent.canContinueAfterTools) skip("what it sends then is refused without a gateway too");
    const rig = await openRig({ contextWindow: agent.tightWindowTokens, isWindowTold: true });
    const seat = await takeSeat(rig, agent, { notes: NOTES, skip });
    await seat.run({});
    const folded = rig.gateway.stats.total().folds;
    const run = await seat.run({ isContinued: true, prompt: "Now read all of them once more." });
    expect(folded).toBeGreaterThan(0);
    expect(run).toMatchObject({ exitCode: 0 });
    expect(seat.recorder.exchanges.filter(({ status }) => status !== 200)).toEqual([]);
    expect(invalidRequests(rig)).toEqual([]);
    const [sessionId = "", ...others] = seat.sessionIds();
    expect(others).toEqual([]);
    const { callIds } = await readLog(rig, sessionId);
    expect(new Set(callIds).size).toBe(2 * NOTES);
  });

  test.for(FAULTS.filter((name) => !agent.givesUpOn.includes(name)))(
    "writes nothing twice when it tries again after a fault: %s",
    async (name, { skip }) => {
      const rig = await openRig(WIDE);
      const seat = await takeSeat(rig, agent, { notes: FEW_NOTES, skip });
      const run = await seat.run({ fault: { atStep: 2, name } });
      expect(run).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(FINAL_TEXT) });
      expect(rig.server.requests.filter(({ outcome }) => outcome === "fault")).toHaveLength(1);
      expect(invalidRequests(rig)).toEqual([]);
      const [sessionId = "", ...others] = seat.sessionIds();
      expect(others).toEqual([]);
      const { callIds, texts } = await readLog(rig, sessionId);
      expect(callIds).toHaveLength(FEW_NOTES);
      expect(new Set(callIds).size).toBe(FEW_NOTES);
      for (const { answer } of seat.facts) expect(texts.filter((text) => text.includes(answer))).toHaveLength(1);
    },
  );

  test.for(agent.givesUpOn)("is told of a fault as it is: %s", async (name, { skip }) => {
    const rig = await openRig(WIDE);
    const seat = await takeSeat(rig, agent, { notes: FEW_NOTES, skip });
    const run = await seat.run({ fault: { atStep: 2, name } });
    expect(run.stdout).not.toContain(FINAL_TEXT);
    if (agent.exitsWithFailure !== false) expect(run.exitCode).not.toBe(0);
    expect(rig.gateway.stats.total().incidents).toBe(0);
  });
});
