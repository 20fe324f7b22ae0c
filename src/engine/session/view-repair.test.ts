import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { buildTurns, conversationPlan } from "../../../test/properties/conversations.ts";
import { damage, damaged } from "../../../test/properties/damage.ts";
import { LONG_TIMEOUT_MS, longRuns, withKnownCases } from "../../../test/properties/long-runs.ts";
import { STRATEGIES } from "../../../test/properties/standing-runs.ts";
import { assistant, call, result, user } from "../../../test/support/messages.ts";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import { restoreAllMessages } from "../../core/history/restore.ts";
import type { Message } from "../../core/message/message.ts";
import { repairView } from "../../core/message/repair-view.ts";
import { validateView } from "../../core/message/validate-view.ts";
import { runSteps } from "../../core/steps.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import { createEngine } from "../create-engine.ts";
import type { Engine } from "../engine.ts";
import { createViewRepair } from "./view-repair.ts";

const engine = createEngine({ model: "claude-sonnet-4-5", contextWindow: 16_000 });
const many = (from: number, count: number, rows = 300) =>
  Array.from({ length: count }, (_, index) => [
    assistant(call(`p${from + index}`)),
    user(result(`p${from + index}`, `row ${index} `.repeat(rows))),
  ]).flat();

/** Of a session that is told these messages, one after the other: the problems of each view, and whether the log is as it was said. */
async function live(id: string, messages: readonly Message[], host: Engine = engine) {
  const session = await host.session(id);
  const problems: string[] = [];
  let folds = 0;
  for (const message of messages) {
    await session.append(message);
    const isOpen = message.role === "assistant";
    const { messages: view, report } = await session.prepare();
    folds += report.foldIds.length;
    expect(report.promptTokens).toBeLessThanOrEqual(report.allowedTokens);
    for (const { code } of validateView(view)) if (!(isOpen && code === "missing-result")) problems.push(code);
    expect(JSON.stringify(await session.view())).toBe(JSON.stringify(view));
  }
  const said = restoreAllMessages(await session.log()).map(({ role, content }) => ({ role, content }));
  session.close();
  return {
    folds,
    problems,
    isWhole: JSON.stringify(said) === JSON.stringify(messages.map(({ role, content }) => ({ role, content }))),
  };
}

describe.each([1, 60])("prepare gives a view that providers take, of %i turns", (count) => {
  const before = [user("go"), ...many(0, count)];
  const after = [assistant("ok"), user("next"), ...many(1_000, 2)];
  test.each<[string, readonly Message[]]>([
    ["an aborted call", [assistant(call("z")), user("never mind")]],
    ["one of two results missing", [assistant(call("y"), call("z")), user(result("y"))]],
    ["a result without its call", [user(result("z"))]],
    ["a doubled result", [assistant(call("z")), user(result("z")), user(result("z"))]],
    [
      "an empty reply",
      [{ role: "assistant", content: [] }, user("so?"), { role: "assistant", content: "" }, user("hm")],
    ],
    ["a result far from its call", [assistant(call("z")), user("wait"), ...many(2_000, count), user(result("z"))]],
    ["a call with an id that is taken", [assistant(call("p0")), user(result("p0"))]],
  ])("with %s", async (name, damage) => {
    const { problems, isWhole } = await live(`${name} ${count}`, [...before, ...damage, ...after]);
    expect({ problems, isWhole }).toEqual({ problems: [], isWhole: true });
  });
});

test("a pair far apart does not take the log between with it", async () => {
  const session = await engine.session("far");
  await session.append(
    user("go"),
    assistant(call("z")),
    ...many(0, 60),
    user(result("z")),
    assistant("ok"),
    user("next"),
  );
  const { report } = await session.prepare();
  expect(report.foldIds).not.toEqual([]);
  expect(report.promptTokens).toBeGreaterThan(0.2 * report.allowedTokens);
});

/** Work of several times the smallest window comes before what the plan says, so that damage meets folds. */
const damagedCase = fc.record({
  // Models condense from 8,000 on: half of the cases are theirs.
  contextWindow: fc.constantFrom(4_000, 6_000, 8_000, 8_000),
  turnsBefore: fc.integer({ min: 30, max: 40 }),
  plan: conversationPlan,
  damages: fc.array(damage, { minLength: 1, maxLength: 4 }),
});

describe("whatever is damaged in a conversation, every view is valid, and the log comes back byte for byte", () => {
  test.each(Object.entries(STRATEGIES))("%s", { timeout: LONG_TIMEOUT_MS }, async (_, open) => {
    const tally = { cases: 0, folded: 0 };
    await fc.assert(
      fc.asyncProperty(damagedCase, async ({ contextWindow, turnsBefore, plan, damages }) => {
        const said = [user("go"), ...many(0, turnsBefore, 80), ...buildTurns(plan)];
        const messages = damages.reduce(damaged, said).map(({ role, content }) => ({ role, content }));
        const small = open({ model: "scripted", contextWindow, maxTokens: 400, now: () => 0 });
        const { folds, ...found } = await live("task", messages, small);
        expect(found).toEqual({ problems: [], isWhole: true });
        tally.cases += 1;
        if (folds > 0) tally.folded += 1;
      }),
      withKnownCases(longRuns(24), { of: damagedCase, count: 4 }),
    );
    expect(tally.cases).toBeGreaterThanOrEqual(4);
    expect(tally.folded).toBeGreaterThanOrEqual(0.8 * tally.cases);
  });
});

const stateOf = (view: readonly Message[]) => ({
  messages: view,
  view,
  rewriteVersion: 0,
  appendedMessages: 0,
  lastFold: undefined,
  hiddenResults: () => new Set<string>(),
});
const characters = (content: Message["content"]) => JSON.stringify(content).length;
/** How a view of a growing session ends: whole, with calls that still run, or with white space that providers refuse. */
const ending = fc.constantFrom<readonly Message[]>(
  [],
  [assistant(call("open"))],
  [assistant(call("open"), call("open"))],
  [assistant("Done. \n")],
  [assistant("Wait."), assistant(call("open")), user(result("open")), user("and?"), user(result("open"))],
);

test("however a view grows, it is repaired as it would be at one look", () => {
  fc.assert(
    fc.property(conversationPlan, fc.array(damage, { maxLength: 1 }), ending, (plan, damages, end) => {
      const whole = [...damages.reduce(damaged, buildTurns(plan)), ...end];
      const { repaired } = createViewRepair(characters);
      for (const length of whole.keys()) {
        const view = whole.slice(0, length + 1);
        const expected = repairView(view);
        const added = countMessagesTokens(expected, characters) - countMessagesTokens(view, characters);
        expect(repaired(stateOf(view))).toEqual({ messages: expected, addedTokens: Math.max(0, added) });
      }
    }),
    PROPERTY_RUNS,
  );
});

test("a long view is repaired alike after it was looked at in steps", () => {
  fc.assert(
    fc.property(conversationPlan, fc.array(damage, { maxLength: 2 }), ending, (plan, damages, end) => {
      const state = stateOf([...damages.reduce(damaged, buildTurns(plan)), ...end]);
      const repair = createViewRepair(characters, { stepMessages: 3 });
      runSteps(repair.lookAhead(state));
      expect(repair.repaired(state)).toEqual(createViewRepair(characters).repaired(state));
    }),
    PROPERTY_RUNS,
  );
});

describe("in a view whose older turns are sound, only the last turn is looked at", () => {
  const before = [user("go"), ...many(0, 50)];
  const cases: [string, readonly Message[]][] = [
    ["a call that still runs", [assistant(call("z"))]],
    ["white space at the end", [assistant("done \n")]],
    ["an aborted call", [assistant(call("z")), user("never mind")]],
  ];
  test.each(cases)("where it ends with %s", (_, end) => {
    const counted: Message["content"][] = [];
    const { repaired } = createViewRepair((content) => {
      counted.push(content);
      return characters(content);
    });
    repaired(stateOf(before));
    const view = [...before, ...end];
    const { messages } = repaired(stateOf(view));
    expect(messages).toEqual(repairView(view));
    expect(before.filter(({ content }) => counted.includes(content)).length).toBe(0);
  });

  test("it is the very same view where nothing needs a stand-in", () => {
    const view = [...before, assistant(call("z"))];
    expect(createViewRepair(characters).repaired(stateOf(view)).messages).toBe(view);
  });
});
