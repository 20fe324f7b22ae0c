import { describe, expect, test } from "vitest";
import { assistant, call, ids, log, result, tag, user } from "../../../../test/support/messages.ts";
import { restoreAllMessages } from "../../history/restore.ts";
import { effectiveView } from "../../message/effective-view.ts";
import type { Message } from "../../message/message.ts";
import { validateView } from "../../message/validate-view.ts";
import { countMessagesTokens } from "../../tokens/count-messages.ts";
import { applyLedger, type LedgerPlan, planLedger } from "./plan-ledger.ts";

function step(index: number): readonly Message[] {
  const body = Array.from({ length: 12 }, (_, line) => `  const part${index}_${line} = build(${line});`).join("\n");
  return [assistant(call(`c${index}`, "Read", { file_path: `src/part${index}.ts` })), user(result(`c${index}`, body))];
}

function steps(count: number): readonly Message[] {
  return Array.from({ length: count }, (_, index) => step(index)).flat();
}

const session = log(user("Check every part."), ...steps(20));

function planned(messages: readonly Message[], options: Parameters<typeof planLedger>[1]): LedgerPlan {
  const plan = planLedger(messages, options);
  if (plan.type === "refused") throw new Error(plan.error);
  return plan;
}

function folded(messages: readonly Message[], budgetTokens: number): readonly Message[] {
  return applyLedger(messages, planned(messages, { budgetTokens }));
}

describe("planning a ledger", () => {
  test("hides all between the task and the newest whole units, and stands one message of the user in", () => {
    const view = effectiveView(folded(session, 1_500));
    expect(view[0]).toBe(session[0]);
    expect(view[1]).toMatchObject({ role: "user", isSummary: true });
    expect(view.filter((message) => message.isSummary === true)).toHaveLength(1);
    expect(ids(view.slice(-2))).toEqual(ids(session.slice(-2)));
    expect(validateView(view)).toEqual([]);
    expect(countMessagesTokens(view)).toBeLessThanOrEqual(1_500);
  });

  test("tells its fold, so that what it hides can be brought back", () => {
    const plan = planned(session, { budgetTokens: 1_500 });
    expect(JSON.stringify(plan.standIn.content)).toContain(`hidden in fold ${plan.condenseId}]`);
    expect(restoreAllMessages(applyLedger(session, plan))).toEqual(session);
  });

  test("leaves what a person marked, and the first message before it where a user must speak first", () => {
    const marked = session.map((message, index) => (index === 5 ? tag(message, { important: true }) : message));
    const view = effectiveView(folded(marked, 1_500));
    expect(ids(view)).toEqual(expect.arrayContaining(["m0", "m5", "m6"]));
    expect(validateView(view)).toEqual([]);
  });

  test("keeps a call that is still running, with its turn", () => {
    const running = log(user("Check every part."), ...steps(20), assistant(call("open", "Bash", { command: "make" })));
    expect(effectiveView(folded(running, 1_500)).at(-1)?.id).toBe("m41");
  });

  test("keeps results that the model has not seen, where a person spoke after them", () => {
    const interrupted = log(user("Check every part."), ...steps(20), user("Skip the rest."));
    const resultTokens = countMessagesTokens(interrupted.slice(-3));
    const view = effectiveView(folded(interrupted, 2 * resultTokens));
    expect(ids(view.slice(-3))).toEqual(ids(interrupted.slice(-3)));
    expect(ids(view)).not.toContain("m38");
  });

  test("keeps as many of the newest messages as asked, but always leaves room for the next turn", () => {
    const stepTokens = countMessagesTokens(session.slice(-2));
    const keptOf = (budgetTokens: number) => {
      const view = effectiveView(applyLedger(session, planned(session, { budgetTokens, keepMessages: 6 })));
      return view.filter(({ isSummary }) => isSummary !== true).length;
    };
    // Besides the task.
    expect(keptOf(10 * stepTokens)).toBe(1 + 6);
    expect(keptOf(4 * stepTokens)).toBe(1 + 4);
    expect(keptOf(2 * stepTokens)).toBe(1 + 2);
  });

  test("writes a second ledger from the log, not from the first one", () => {
    const first = folded(log(user("Check every part."), ...steps(12)), 1_500);
    const later = log(user("Check every part."), ...steps(20)).slice(25);
    const twice = planned([...first, ...later], { budgetTokens: 1_500 });
    const once = planned(session, { budgetTokens: 1_500 });
    expect(twice.ledger.text).toBe(once.ledger.text);
    expect(restoreAllMessages(applyLedger([...first, ...later], twice))).toEqual(session);
  });

  test("quotes the lines of an earlier ledger where the log was cut behind it", () => {
    const [, standIn] = effectiveView(folded(session, 1_500));
    const [quoted] = JSON.stringify(standIn).match(/part-?\d+\.ts|part_?\d+_\d+/) ?? [];
    if (standIn === undefined || quoted === undefined) throw new Error("no ledger");
    const cut = [standIn, ...log(...steps(6))];
    expect(planned(cut, { budgetTokens: 1_200 }).ledger.text).toContain(quoted);
  });

  test.each([
    ["assistant", assistant],
    ["user", user],
  ])("takes a summary of the %s without an id, as Roo Code wrote them, for an earlier one", (_, by) => {
    const summary = tag(by("The parts before part 0 are sound."), { isSummary: true });
    const { earlierSummary, toSummarize, hidden } = planned(log(user("Check every part."), summary, ...steps(20)), {
      budgetTokens: 1_500,
    });
    expect(earlierSummary).toBe("The parts before part 0 are sound.");
    expect(hidden).toContain(1);
    expect(JSON.stringify(toSummarize)).not.toContain("are sound");
  });

  test("reads what was said, not the stub that shows it", () => {
    const stub = { type: "tool_result" as const, tool_use_id: "c3", content: "[cleared]" };
    const fold = { foldId: "clear-1", kind: "clear" as const, blockIndex: 0, standIn: stub, hiddenTokens: 200 };
    const cleared = session.map((message) => (message.id === "m8" ? tag(message, { folds: [fold] }) : message));
    expect(planned(cleared, { budgetTokens: 4_000 }).ledger.text).toContain("const part3_5 = build(5);");
  });

  test("refuses where there is nothing to hide, or no room for a line", () => {
    expect(planLedger(log(user("hi")), { budgetTokens: 500 }).type).toBe("refused");
    expect(planLedger(session, { budgetTokens: 10 }).type).toBe("refused");
    expect(() => planLedger(session, { budgetTokens: 500, tailShare: 2 })).toThrow(/tailShare is 2/);
  });
});
