import { describe, expect, test } from "vitest";
import {
  assistant,
  call,
  chat,
  condense,
  ids,
  log,
  result,
  tag,
  talk,
  user,
} from "../../../../test/support/messages.ts";
import { restoreAllMessages } from "../../history/restore.ts";
import { effectiveView } from "../../message/effective-view.ts";
import type { Message } from "../../message/message.ts";
import { validateView } from "../../message/validate-view.ts";
import { countContentTokens } from "../../tokens/count-content.ts";
import { applyCondensation } from "../condensation-plan.ts";
import { COMPRESSION_PRESERVE_THRESHOLD, planSnapshot, type SnapshotPlan, snapshotMessages } from "./plan-snapshot.ts";

/** As the service that begins a history with its snapshot asks for it. */
const OPTIONS = { taskId: "task", countTokens: countContentTokens, beginsWith: "snapshot" as const };
const SNAPSHOT = "<state_snapshot>all of it</state_snapshot>";

function planFor(messages: readonly Message[]): SnapshotPlan {
  const plan = planSnapshot(messages, OPTIONS);
  if (plan.type === "refused") throw new Error(plan.error);
  return plan;
}

function apply(messages: readonly Message[]) {
  const plan = planFor(messages);
  const condensed = applyCondensation(messages, plan, snapshotMessages(plan, SNAPSHOT));
  const view = effectiveView(condensed);
  return { plan, condensed, view, shown: ids(view).map((id) => id?.replace(plan.condenseId, "snapshot")) };
}

describe("a snapshot", () => {
  test("stands for the oldest 70 %: the user's state, the assistant's word, then the rest", () => {
    expect(COMPRESSION_PRESERVE_THRESHOLD).toBe(0.3);
    const { view, shown, plan } = apply(chat(20));
    expect(shown).toEqual(["snapshot", "snapshot-reply", "m16", "m17", "m18", "m19"]);
    const fields = { isSummary: true, condenseId: plan.condenseId, ts: 16_999 };
    expect(view[0]).toMatchObject({
      role: "user",
      ...fields,
      content: [{ type: "text", text: SNAPSHOT }, { type: "text" }],
    });
    expect(view[1]).toMatchObject({ role: "assistant", ...fields, content: expect.stringMatching(/\w/) });
    expect(validateView(view)).toEqual([]);
  });

  test("is not answered where the assistant goes on by itself", () => {
    const loop = Array.from({ length: 8 }, (_, index) => [
      assistant(call(`c${index}`)),
      user(result(`c${index}`, "x".repeat(99))),
    ]);
    const { shown, view } = apply(log(user("Fix it."), ...loop.flat()));
    expect(shown.slice(0, 2)).toEqual(["snapshot", expect.stringMatching(/^m\d+$/)]);
    expect(view[1]?.role).toBe("assistant");
    expect(validateView(view)).toEqual([]);
  });

  test("comes before an important message of the user's", () => {
    const messages = chat(20).map((message) => (message.id === "m2" ? tag(message, { important: true }) : message));
    expect(apply(messages).shown.slice(0, 3)).toEqual(["snapshot", "snapshot-reply", "m2"]);
  });

  test("comes before an important message of the assistant's, and is not answered then", () => {
    const messages = chat(20).map((message) => (message.id === "m3" ? tag(message, { important: true }) : message));
    const { shown, view, condensed } = apply(messages);
    expect(shown.slice(0, 3)).toEqual(["snapshot", "m3", "m16"]);
    expect(view[0]?.ts).toBe(3_999);
    expect(validateView(view)).toEqual([]);
    expect(JSON.stringify(restoreAllMessages(condensed))).toBe(JSON.stringify(messages));
  });

  test("comes after what binds, where that is wanted", () => {
    const plan = planSnapshot(chat(20), { ...OPTIONS, beginsWith: "standing" });
    if (plan.type === "refused") throw new Error(plan.error);
    const view = effectiveView(applyCondensation(chat(20), plan, snapshotMessages(plan, SNAPSHOT)));
    expect(ids(view).slice(0, 2)).toEqual(["m0", plan.condenseId]);
  });

  test("is refused where there is too little", () => {
    expect(planSnapshot(chat(1), OPTIONS)).toMatchObject({
      type: "refused",
      error: expect.stringMatching(/not enough/),
    });
    expect(planSnapshot([], OPTIONS)).toMatchObject({ type: "refused" });
  });
});

describe("an earlier snapshot", () => {
  const grown = (count: number) => {
    const { condensed, plan } = apply(chat(20));
    const more = talk(count).map((message, index) => tag(message, { id: `n${index}` }));
    return { log: [...condensed, ...more], first: plan };
  };

  test("is integrated, not nested: its text apart, its acknowledgement and notice nowhere", () => {
    const { log: longer, first } = grown(20);
    const { plan, shown } = apply(longer);
    expect(plan.earlierSummary).toBe(SNAPSHOT);
    expect(JSON.stringify(plan.toSummarize)).not.toMatch(/state_snapshot|in mind and go on|hidden in fold/);
    expect(shown.slice(0, 2)).toEqual(["snapshot", "snapshot-reply"]);
    expect(shown).not.toContain(first.condenseId);
  });

  test("goes together with its acknowledgement, where the split falls between them", () => {
    const fields = { isSummary: true, condenseId: "s1" };
    const hidden = { condenseParent: "s1" };
    const messages = log(
      user("go"),
      assistant("yes"),
      tag(user("old"), hidden),
      tag(assistant("older"), hidden),
      tag(user(`<state_snapshot>${"known ".repeat(900)}</state_snapshot>`), fields),
      tag(assistant("noted"), fields),
      ...[1, 2, 3].flatMap((turn) => [assistant(call(`c${turn}`)), user(result(`c${turn}`))]),
    );
    expect(ids(planFor(messages).hidden.flatMap((index) => messages[index] ?? []))).toEqual(["m0", "m1", "m4", "m5"]);
  });
});

test("an earlier summary of the other kind is integrated too", () => {
  const once = condense(chat(20), "s1", ["m1", "m2", "m3", "m4", "m5", "m6"]);
  const plan = planFor(once);
  expect(plan.earlierSummary).toBe("summary s1");
  expect(JSON.stringify(plan.toSummarize)).not.toContain("summary s1");
  expect(ids(plan.toSummarize)).toContain("m0");
});

test("a plain snapshot of another agent is handed on as the earlier one, and not once more in the conversation", () => {
  const [, ...rest] = chat(20);
  const { earlierSummary, toSummarize } = planFor([user(SNAPSHOT), ...rest]);
  expect(earlierSummary).toBe(SNAPSHOT);
  expect(JSON.stringify(toSummarize)).not.toContain("all of it");
});
