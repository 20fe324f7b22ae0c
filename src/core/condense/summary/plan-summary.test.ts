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
  truncate,
  user,
} from "../../../../test/support/messages.ts";
import { effectiveView } from "../../message/effective-view.ts";
import type { Message } from "../../message/message.ts";
import { validateView } from "../../message/validate-view.ts";
import { countContentTokens } from "../../tokens/count-content.ts";
import { applyCondensation, type CondensationPlan } from "../condensation-plan.ts";
import { planSummary } from "./plan-summary.ts";
import { summaryMessage } from "./summary-message.ts";

const OPTIONS = { taskId: "task", keepMessages: 3, countTokens: countContentTokens };

function planFor(messages: readonly Message[], keepMessages = 3): CondensationPlan {
  const plan = planSummary(messages, { ...OPTIONS, keepMessages });
  if (plan.type === "refused") throw new Error(plan.error);
  return plan;
}

function refusalOf(messages: readonly Message[], keepMessages = 3): string | undefined {
  const plan = planSummary(messages, { ...OPTIONS, keepMessages });
  return plan.type === "refused" ? plan.error : undefined;
}

/** The ids that a plan hides. */
function hiddenIn(messages: readonly Message[], keepMessages?: number) {
  return planFor(messages, keepMessages).hidden.map((index) => messages[index]?.id);
}

function apply(messages: readonly Message[], keepMessages?: number) {
  const plan = planFor(messages, keepMessages);
  const condensed = applyCondensation(messages, plan, [summaryMessage(plan, "What happened.")]);
  return { plan, condensed, view: effectiveView(condensed), summaryId: plan.condenseId };
}

describe("what is hidden", () => {
  test("is all between the first message and the last three", () => {
    expect(hiddenIn(chat(9))).toEqual(["m1", "m2", "m3", "m4", "m5"]);
    expect(hiddenIn(chat(9), 1)).toEqual(["m1", "m2", "m3", "m4", "m5", "m6", "m7"]);
  });

  test("is not what a person marked important, nor the pair that it is part of", () => {
    const messages = log(
      user("go"),
      assistant("a"),
      tag(user("never use tabs"), { important: true }),
      assistant("b"),
      assistant(call("c1")),
      tag(user(result("c1")), { important: true }),
      assistant("c"),
      ...chat(3).map(({ role, content }) => ({ role, content })),
    );
    expect(hiddenIn(messages)).toEqual(["m1", "m3", "m6"]);
    expect(validateView(apply(messages).view)).toEqual([]);
  });

  test("is not what an older fold hides already", () => {
    expect(hiddenIn(truncate(chat(12), "t1", ["m1", "m2"]))).toEqual(["t1", "m3", "m4", "m5", "m6", "m7", "m8"]);
    expect(hiddenIn(condense(chat(12), "s1", ["m1", "m2"]))).toEqual(["s1", "m3", "m4", "m5", "m6", "m7", "m8"]);
  });

  test("does not begin inside the first message's pair", () => {
    const messages = log(
      assistant(call("c1")),
      user(result("c1")),
      ...chat(7).map(({ role, content }) => ({ role, content })),
    );
    // The person's first words are the task: they stay too.
    expect(hiddenIn(messages)).toEqual(["m3", "m4", "m5"]);
  });
});

describe("nothing is planned", () => {
  test.each([0, 1, 2, 4, 5])("with %i messages: fewer than two lie between", (length) => {
    expect(refusalOf(chat(length))).toMatch(/not enough messages/i);
  });

  test("from six messages on it is", () => {
    expect(hiddenIn(chat(6))).toEqual(["m1", "m2"]);
  });

  test("when all that lies between is important", () => {
    const messages = chat(9).map((message) => tag(message, { important: true }));
    expect(refusalOf(messages)).toMatch(/not enough messages/i);
  });

  test("when the newest messages hold a summary", () => {
    const once = condense(chat(9), "s1", ["m1", "m2", "m3", "m4", "m5", "m6"]);
    expect(refusalOf(once)).toMatch(/condensed recently/i);
  });

  test("when the newest messages hold a summary without an id, as Roo Code wrote them", () => {
    const summary = tag(assistant("What happened."), { id: "s1", isSummary: true });
    expect(refusalOf([...chat(8), summary, ...chat(2)])).toMatch(/condensed recently/i);
  });

  test("when there is only an older summary to summarise", () => {
    const once = condense(chat(8), "s1", ["m1", "m2", "m3", "m4"]);
    expect(refusalOf(once)).toMatch(/not enough messages/i);
  });
});

test("a summary without an id is handed on as the earlier summary, and not once more in the conversation", () => {
  const summary = tag(assistant("What happened before."), { id: "s1", isSummary: true });
  const { earlierSummary, toSummarize } = planFor([...chat(4), summary, ...chat(8)]);
  expect(earlierSummary).toBe("What happened before.");
  expect(JSON.stringify(toSummarize)).not.toContain("What happened before.");
});

test("a summary that stays for the call it carries is read all the same: what it tells is trimmed", () => {
  const carrying = tag(assistant({ type: "text", text: "The silt is 40 cm deep. ".repeat(40) }, call("t1")), {
    id: "s1",
    isSummary: true,
    condenseId: "s1",
  });
  const answer = tag(user(result("t1"), { type: "text", text: "Never touch the lock gates." }), { id: "a1" });
  const { toSummarize, earlierSummary = "", hidden } = planFor([...chat(1), carrying, answer, ...chat(10)]);
  expect(hidden).not.toContain(1);
  expect(earlierSummary + JSON.stringify(toSummarize)).toContain("40 cm");
});

describe("the summary message", () => {
  test("is inserted right before the kept tail, and is just older than it", () => {
    const { view, condensed, summaryId } = apply(chat(9));
    expect(ids(view)).toEqual(["m0", summaryId, "m6", "m7", "m8"]);
    expect(ids(condensed)).toEqual(["m0", "m1", "m2", "m3", "m4", "m5", summaryId, "m6", "m7", "m8"]);
    expect(view[1]).toMatchObject({ ts: 6_999, isSummary: true, condenseId: summaryId });
  });

  test("has no time where the message after it has none", () => {
    const messages = chat(9).map(({ ts: _ts, ...message }) => message);
    expect(apply(messages).view[1]).not.toHaveProperty("ts");
  });

  test("comes before an important message that follows what it hides, in place and in time", () => {
    const messages = chat(9).map((message) => (message.id === "m5" ? tag(message, { important: true }) : message));
    const { view, summaryId } = apply(messages);
    expect(ids(view)).toEqual(["m0", summaryId, "m5", "m6", "m7", "m8"]);
    expect(view[1]?.ts).toBe(5_999);
  });

  test("has an id that no message of the log has", () => {
    const messages = chat(9);
    const taken = [...messages, ...messages].map((message, index) =>
      tag(message, { id: index === 3 ? planFor(messages).condenseId : `x${index}` }),
    );
    expect(ids(taken)).not.toContain(planFor(taken).condenseId);
  });
});

describe("tags", () => {
  test("are set on hidden messages only; all others stay the same objects", () => {
    const messages = chat(9);
    const { condensed, summaryId } = apply(messages);
    const originals = condensed.filter((message) => message.isSummary !== true);
    for (const [index, message] of originals.entries()) {
      const isHidden = index >= 1 && index <= 5;
      expect(message).toEqual(isHidden ? { ...messages[index], condenseParent: summaryId } : messages[index]);
      expect(message === messages[index]).toBe(!isHidden);
    }
  });

  test("of an older summary stay on what it hides", () => {
    const once = condense(chat(12), "s1", ["m1", "m2"]);
    const { condensed, summaryId } = apply(once);
    const parentOf = (id: string) => condensed.find((message) => message.id === id)?.condenseParent;
    expect([parentOf("m1"), parentOf("m2"), parentOf("s1"), parentOf("m3")]).toEqual([
      "s1",
      "s1",
      summaryId,
      summaryId,
    ]);
  });

  test("that name a summary which is gone are replaced", () => {
    const messages = chat(9).map((message) =>
      message.id === "m2" ? tag(message, { condenseParent: "gone" }) : message,
    );
    const { condensed, summaryId } = apply(messages);
    expect(condensed[2]?.condenseParent).toBe(summaryId);
  });
});

describe("what the model reads", () => {
  test("is the goal and what will be hidden", () => {
    expect(ids(planFor(chat(9)).toSummarize)).toEqual(["m0", "m1", "m2", "m3", "m4", "m5"]);
  });

  test("is an earlier summary's text apart, without its notice", () => {
    const { condensed } = apply(chat(12));
    const longer = [...condensed, ...chat(5).map((message, index) => tag(message, { id: `n${index}` }))];
    const plan = planFor(longer);
    expect(plan.earlierSummary).toBe("What happened.");
    expect(ids(plan.toSummarize)).toContain("m9");
    expect(JSON.stringify(plan.toSummarize)).not.toMatch(/What happened|hidden in fold/);
  });

  test("is the call that an earlier summary carries, so that its result is not a riddle", () => {
    const messages = log(
      user("go"),
      assistant("a"),
      assistant(call("c1", "read_file", { path: "src/keys.ts" })),
      user(result("c1", "export const KEYS")),
      assistant("ok"),
      user("so"),
    );
    const { condensed } = apply(messages);
    const plan = planFor([...condensed, assistant("x"), user("y"), assistant("z")]);
    expect(plan.earlierSummary).toBe("What happened.");
    expect(JSON.stringify(plan.toSummarize)).toMatch(/src\/keys\.ts.*export const KEYS/);
  });

  test("is what the view shows of folded blocks", () => {
    const standIn = { type: "text", text: "[cleared]" } as const;
    const fold = { foldId: "f", kind: "clear", blockIndex: 0, standIn, hiddenTokens: 9 } as const;
    const messages = chat(9).map((message) => (message.id === "m2" ? tag(message, { folds: [fold] }) : message));
    const shown = planFor(messages).toSummarize[2];
    expect(shown?.content).toBe("[cleared]");
  });
});

test("the same log gives the same plan", () => {
  expect(planFor(chat(9))).toEqual(planFor(chat(9)));
});
