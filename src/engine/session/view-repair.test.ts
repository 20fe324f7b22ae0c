import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { buildTurns, conversationPlan } from "../../../test/properties/conversations.ts";
import { type Damage, damage, damaged } from "../../../test/properties/damage.ts";
import { longRuns } from "../../../test/properties/long-runs.ts";
import { assistant, call, result, user } from "../../../test/support/messages.ts";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import { restoreAllMessages } from "../../core/history/restore.ts";
import type { Message } from "../../core/message/message.ts";
import { repairView } from "../../core/message/repair-view.ts";
import { validateView } from "../../core/message/validate-view.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import { createEngine } from "../create-engine.ts";
import { createViewRepair } from "./view-repair.ts";

const engine = createEngine({ model: "claude-sonnet-4-5", contextWindow: 16_000 });
const many = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => [
    assistant(call(`p${from + index}`)),
    user(result(`p${from + index}`, `row ${index} `.repeat(300))),
  ]).flat();

/** Of a session that is told these messages, one after the other: the problems of each view, and whether the log is as it was said. */
async function live(id: string, messages: readonly Message[]) {
  const session = await engine.session(id);
  const problems: string[] = [];
  for (const message of messages) {
    await session.append(message);
    const isOpen = message.role === "assistant";
    const { messages: view, report } = await session.prepare();
    expect(report.promptTokens).toBeLessThanOrEqual(report.allowedTokens);
    for (const { code } of validateView(view)) if (!(isOpen && code === "missing-result")) problems.push(code);
    expect(JSON.stringify(await session.view())).toBe(JSON.stringify(view));
  }
  const said = restoreAllMessages(await session.log()).map(({ role, content }) => ({ role, content }));
  session.close();
  return {
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

test("whatever is damaged in a conversation, every view is valid, and the log comes back byte for byte", {
  timeout: 600_000,
}, async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      conversationPlan,
      fc.array(damage, { minLength: 1, maxLength: 3 }),
      async (plan, damages: readonly Damage[]) => {
        const messages = damages.reduce(damaged, buildTurns(plan)).map(({ role, content }) => ({ role, content }));
        run += 1;
        expect(await live(`run ${run}`, messages)).toEqual({ problems: [], isWhole: true });
      },
    ),
    longRuns(4),
  );
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
      const repair = createViewRepair(characters);
      for (const length of whole.keys()) {
        const view = whole.slice(0, length + 1);
        const expected = repairView(view);
        const added = countMessagesTokens(expected, characters) - countMessagesTokens(view, characters);
        expect(repair(stateOf(view))).toEqual({ messages: expected, addedTokens: Math.max(0, added) });
      }
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
    const repair = createViewRepair((content) => {
      counted.push(content);
      return characters(content);
    });
    repair(stateOf(before));
    const view = [...before, ...end];
    const { messages } = repair(stateOf(view));
    expect(messages).toEqual(repairView(view));
    expect(before.filter(({ content }) => counted.includes(content)).length).toBe(0);
  });

  test("it is the very same view where nothing needs a stand-in", () => {
    const view = [...before, assistant(call("z"))];
    expect(createViewRepair(characters)(stateOf(view)).messages).toBe(view);
  });
});
