import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { buildTurns, conversationPlan, OPEN_CALL } from "../../../test/properties/conversations.ts";
import { assistant, chat, ids, log, tag, talk, user } from "../../../test/support/messages.ts";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import { listFolds } from "../history/list-folds.ts";
import { restoreAllMessages, restoreMessages } from "../history/restore.ts";
import { effectiveView } from "../message/effective-view.ts";
import type { Message } from "../message/message.ts";
import { validateView } from "../message/validate-view.ts";
import { countContentTokens } from "../tokens/count-content.ts";
import { applyCondensation } from "./condensation-plan.ts";
import { planSnapshot, snapshotMessages } from "./snapshot/plan-snapshot.ts";
import { planSummary } from "./summary/plan-summary.ts";
import { summaryMessage } from "./summary/summary-message.ts";

type Strategy = "summary" | "snapshot";

const SNAPSHOT = "<state_snapshot>STATE</state_snapshot>";
const SUMMARY = "SUMMARY of it";
const COUNTING = { taskId: "task", countTokens: countContentTokens };

/** The log condensed once more, or the same log where there is nothing to condense; and what the model was shown. */
function condenseWith(strategy: Strategy, messages: readonly Message[], keepMessages = 3) {
  if (strategy === "summary") {
    const plan = planSummary(messages, { ...COUNTING, keepMessages });
    if (plan.type === "refused") return { messages, plan: undefined };
    return { messages: applyCondensation(messages, plan, [summaryMessage(plan, SUMMARY)]), plan };
  }
  const plan = planSnapshot(messages, { ...COUNTING, beginsWith: "snapshot" });
  if (plan.type === "refused") return { messages, plan: undefined };
  return { messages: applyCondensation(messages, plan, snapshotMessages(plan, SNAPSHOT)), plan };
}

const named = (prefix: string, count: number) =>
  talk(count).map((message, index) => tag(message, { id: `${prefix}${index}` }));

describe("one strategy after the other", () => {
  test("a summary after a snapshot keeps the snapshot as the first message, and reads it once, as an earlier summary", () => {
    const first = condenseWith("snapshot", chat(20));
    const longer = [...first.messages, ...named("n", 6)];
    const { messages, plan } = condenseWith("summary", longer);
    const [snapshot, summary] = [first.plan?.condenseId, plan?.condenseId];
    expect(ids(effectiveView(messages))).toEqual([snapshot, `${snapshot}-reply`, summary, "n3", "n4", "n5"]);
    expect(validateView(effectiveView(messages))).toEqual([]);
    expect(plan?.earlierSummary).toBe(SNAPSHOT);
    expect(JSON.stringify(plan?.toSummarize)).not.toMatch(/STATE|in mind and go on|hidden in fold/);
    expect(ids(plan?.toSummarize ?? []).slice(2)).toEqual(["m16", "m17", "m18", "m19", "n0", "n1", "n2"]);
  });

  test("a second summary after a snapshot integrates the first summary", () => {
    const first = condenseWith("snapshot", chat(20));
    const second = condenseWith("summary", [...first.messages, ...named("n", 6)]);
    const { messages, plan } = condenseWith("summary", [...second.messages, ...named("o", 6)]);
    expect(plan?.earlierSummary).toBe(SUMMARY);
    expect(effectiveView(messages)).toHaveLength(6);
    expect(JSON.stringify(plan?.toSummarize).match(/STATE/g)).toHaveLength(1);
    expect(JSON.stringify(plan?.toSummarize)).not.toMatch(/SUMMARY of it|hidden in fold/);
  });

  test("a snapshot after a summary integrates and hides it", () => {
    const first = condenseWith("summary", chat(20));
    const { messages, plan } = condenseWith("snapshot", [...first.messages, ...named("n", 20)]);
    expect(plan?.earlierSummary).toBe(SUMMARY);
    expect(JSON.stringify(plan?.toSummarize)).not.toMatch(/SUMMARY of it|hidden in fold/);
    expect(ids(plan?.toSummarize ?? [])).toContain("m0");
    const view = effectiveView(messages);
    expect(ids(view).slice(0, 2)).toEqual([plan?.condenseId, `${plan?.condenseId}-reply`]);
    expect(validateView(view)).toEqual([]);
  });

  test("each can be undone, in any order", () => {
    const original = chat(20);
    const later = [named("n", 20), named("o", 20)] as const;
    const first = condenseWith("summary", original);
    const second = condenseWith("snapshot", [...first.messages, ...later[0]]);
    const third = condenseWith("summary", [...second.messages, ...later[1]]);
    const folds = [first, second, third].map(({ plan }) => plan?.condenseId ?? "");
    for (const order of [
      [0, 1, 2],
      [0, 2, 1],
      [1, 0, 2],
      [1, 2, 0],
      [2, 0, 1],
      [2, 1, 0],
    ]) {
      const restored = order.reduce((messages, fold) => restoreMessages(messages, folds[fold] ?? ""), third.messages);
      expect(restored).toEqual([...original, ...later.flat()]);
    }
  });
});

test("a message with two important neighbours can still be condensed", () => {
  const messages = log(
    user("go"),
    tag(user("a"), { important: true }),
    assistant("b"),
    tag(user("c"), { important: true }),
    assistant("d"),
    ...talk(3),
  );
  expect(condenseWith("summary", messages).plan?.hidden).toEqual([2, 4]);
});

describe("any conversation, condensed again and again", () => {
  const steps = fc.array(
    fc.record({
      strategy: fc.constantFrom<Strategy>("summary", "snapshot"),
      keepMessages: fc.integer({ min: 0, max: 6 }),
      more: conversationPlan,
      pick: fc.nat(),
    }),
    { minLength: 1, maxLength: 4 },
  );
  const cases = fc.record({ conversation: conversationPlan, steps, isRunning: fc.boolean() });

  test("stays valid at every step, loses nothing, and comes back fold by fold", () => {
    fc.assert(
      fc.property(cases, ({ conversation, steps, isRunning }) => {
        let original: readonly Message[] = [...buildTurns(conversation), ...(isRunning ? [OPEN_CALL] : [])];
        let messages = original;
        let turns = conversation.turns.length;
        for (const { strategy, keepMessages, more, pick } of steps) {
          messages = condenseWith(strategy, messages, keepMessages).messages;
          expectSound(messages, original);
          const appended = [
            ...answerOf(original),
            ...buildTurns({ ...more, turns: more.turns.slice(1), labels: conversation.labels }, turns),
          ];
          turns += more.turns.length;
          original = [...original, ...appended];
          messages = [...messages, ...appended];
          expectSound(messages, original);
          const folds = listFolds(messages);
          const fold = folds[pick % (folds.length * 3 || 1)];
          if (fold !== undefined) messages = restoreMessages(messages, fold.foldId);
          expectSound(messages, original);
        }
        while (listFolds(messages).length > 0) {
          const folds = listFolds(messages);
          messages = restoreMessages(messages, folds[turns % folds.length]?.foldId ?? "");
          expectSound(messages, original);
        }
        expect(messages).toEqual(original);
      }),
      // Each run condenses, appends and restores several times, and looks at the log after each.
      { ...PROPERTY_RUNS, numRuns: Math.ceil(PROPERTY_RUNS.numRuns / 4) },
    );
  });

  /** The result of the call that is still running, once. */
  function answerOf(messages: readonly Message[]): readonly Message[] {
    if (messages.at(-1) !== OPEN_CALL) return [];
    return [{ role: "user", content: [{ type: "tool_result", tool_use_id: "t-open", content: "made" }] }];
  }

  function expectSound(messages: readonly Message[], original: readonly Message[]): void {
    expect(restoreAllMessages(messages)).toEqual(original);
    const problems = (log: readonly Message[]) =>
      validateView(log).map(({ code, toolUseId }) => `${code} ${toolUseId}`);
    const known = problems(original);
    expect(problems(effectiveView(messages)).filter((problem) => !known.includes(problem))).toEqual([]);
  }
});
