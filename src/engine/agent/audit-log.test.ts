import { describe, expect, test } from "vitest";
import { callsTools, reads, testAgent, testClock } from "../../../test/support/agents.ts";
import { memoryStore } from "../../stores/memory/index.ts";
import { type AuditRecord, createAuditLog } from "./audit-log.ts";

const DAY_MS = 86_400_000;
const warning = (at: number): AuditRecord => ({ type: "warning", at, policyId: "mine", reason: String(at) });
const logWith = (options: Partial<Parameters<typeof createAuditLog>[0]> = {}) =>
  createAuditLog({ isEnabled: true, retentionDays: 90, now: () => 0, onRecord: undefined, records: [], ...options });

test("records stand in the order in which things happened", async () => {
  const told: AuditRecord[] = [];
  const { engine } = testAgent([reads("a")], { onAudit: (record) => told.push(record) });
  await engine.executeTask("Go on.");
  const audit = await engine.audit();
  expect(audit.map(({ type }) => type)).toEqual(["phase", "tools", "call", "phase"]);
  expect(audit[2]).toMatchObject({ callId: "a", toolName: "read_file", outcome: "success", durationMs: 0 });
  expect(told).toEqual(audit);
});

test("records older than the retention are gone", () => {
  const clock = testClock(0);
  const log = logWith({ now: clock.now });
  log.add(warning(0));
  clock.advance(60 * DAY_MS);
  log.add(warning(clock.now()));
  clock.advance(30 * DAY_MS);
  expect(log.records()).toHaveLength(2);
  clock.advance(1);
  expect(log.records()).toEqual([warning(60 * DAY_MS)]);
});

test("a record is gone after the retention also where one that is younger stands before it", () => {
  const clock = testClock(0);
  const log = logWith({ now: clock.now, records: [warning(20), warning(10)] });
  log.add(warning(30));
  clock.advance(90 * DAY_MS + 15);
  expect(log.records()).toEqual([warning(20), warning(30)]);
});

test("records of a checkpoint that are older than the retention do not come back with the session", async () => {
  const store = memoryStore();
  const clock = testClock();
  await testAgent([reads("a")], { store, clock }).engine.executeTask("Go on.");
  clock.advance(91 * DAY_MS);
  const { engine } = testAgent([reads("b")], { store, clock });
  expect(await engine.audit()).toEqual([]);
  await engine.executeTask("Go on.");
  const [last] = await (await engine.session()).checkpoints({ limit: 1 });
  expect(JSON.stringify(last?.state)).not.toContain('"callId":"a"');
});

describe("what the agent decides", () => {
  const script = [callsTools([["a", "read_file", { path: "a.ts" }]], "I decided to use SQLite. The weather is fine.")];
  const decisions = async (audit: { readonly logDecisions?: boolean } = {}) => {
    const { engine } = testAgent(script, { initialState: { audit } });
    const { state } = await engine.executeTask("Go on.");
    expect(state.l3_memory.episodic).toContainEqual(expect.objectContaining({ type: "decision" }));
    return (await engine.audit()).filter(({ type }) => type === "decision");
  };

  test("is recorded like its calls, before them", async () => {
    expect(await decisions()).toEqual([{ type: "decision", at: 1_000_000, content: "I decided to use SQLite." }]);
    const { engine } = testAgent(script);
    await engine.executeTask("Go on.");
    const types = (await engine.audit()).map(({ type }) => type);
    expect(types).toEqual(["phase", "tools", "decision", "call", "phase"]);
  });

  test("is not recorded where the state says so", async () => {
    expect(await decisions({ logDecisions: false })).toEqual([]);
  });
});

test("no more than ten thousand are held", () => {
  const log = logWith();
  for (let at = 0; at < 10_050; at++) log.add(warning(at));
  expect(log.records()).toHaveLength(10_000);
  expect(log.records()[0]).toEqual(warning(50));
});

test("nothing is recorded where the state says so", async () => {
  const { engine } = testAgent([reads("a")], { initialState: { audit: { isEnabled: false } } });
  await engine.executeTask("Go on.");
  expect(await engine.audit()).toEqual([]);
});

test("someone who is told and throws changes nothing", async () => {
  const { engine } = testAgent([reads("a")], {
    onAudit: () => {
      throw new Error("The disk is full.");
    },
  });
  expect(await engine.executeTask("Go on.")).toMatchObject({ type: "completed" });
});

test("records come back with the session", async () => {
  const store = memoryStore();
  const first = testAgent([reads("a")], { store });
  await first.engine.executeTask("Go on.");
  const second = testAgent([], { store });
  const kept = (await second.engine.audit()).map(({ type }) => type);
  expect(kept).toEqual(["phase", "tools", "call", "phase"]);
});
