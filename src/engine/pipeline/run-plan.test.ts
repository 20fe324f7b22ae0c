import { describe, expect, test } from "vitest";
import { longTalk, toolLoop, words } from "../../../test/support/long-talk.ts";
import { assistant, call, condense as foldBehind, log, result, tag, user } from "../../../test/support/messages.ts";
import { restoreAllMessages } from "../../core/history/restore.ts";
import { effectiveView } from "../../core/message/effective-view.ts";
import type { Message } from "../../core/message/message.ts";
import { validateView } from "../../core/message/validate-view.ts";
import type { ManagementPlan, Rung } from "../../core/policy/plan-management.ts";
import type { CondensationResult } from "../../core/ports/condensation.ts";
import { countContentTokens } from "../../core/tokens/count-content.ts";
import { createPromptGauge } from "./prompt-gauge.ts";
import { type PlanRun, runPlan } from "./run-plan.ts";

const gauge = createPromptGauge({ countTokens: countContentTokens, overheadTokens: 0, ratio: 1 });
const HALF: Rung = { type: "truncate", selection: { type: "fraction", fracToRemove: 0.5 } };
const OLDEST: Rung = { type: "truncate", selection: { type: "oldest" } };

function plan(rungs: readonly Rung[], limits: { targetTokens: number; allowedTokens: number }): ManagementPlan {
  return { type: "fold", rungs, ...limits };
}

type Condense = PlanRun["condense"];

/** Carries a plan out and keeps how often, and with what, it asked to condense. */
async function carryOut(management: ManagementPlan, messages: readonly Message[], condense: Condense = refuse) {
  const asked: { messages: readonly Message[]; promptTokens: number }[] = [];
  const outcome = await runPlan(management, {
    messages,
    taskId: "task",
    promptTokens: gauge.measure(messages),
    gauge,
    condense: (log, promptTokens) => {
      asked.push({ messages: log, promptTokens });
      return condense(log, promptTokens);
    },
  });
  return { ...outcome, asked, view: effectiveView(outcome.messages) };
}

const refuse: Condense = async (messages) => ({
  messages,
  summary: "",
  cost: 0.02,
  error: "overloaded",
  modelCalls: 1,
});

/** A strategy that hides everything but the first and the last `keep` messages behind this text. */
function summarize(text: string, keep = 3, id = "c1"): Condense {
  return async (messages) => {
    const hidden = effectiveView(messages)
      .slice(1, -keep)
      .flatMap((message) => message.id ?? []);
    const condensed = foldBehind(messages, id, hidden).map((message) =>
      message.id === id ? { ...message, content: text } : message,
    );
    return { messages: condensed, summary: text, cost: 0.05, condenseId: id, newContextTokens: 1, modelCalls: 1 };
  };
}

describe("rungs", () => {
  /** 30 reads of 2,000 tokens, each file twice: what dedupe, clear and truncate each can do is known. */
  const reads = log(
    user("Read them all."),
    ...Array.from({ length: 30 }, (_, index) => [
      assistant(call(`t${index}`, "read_file", { path: `part${index % 15}.ts` })),
      user(result(`t${index}`, words(2_000, `part${index % 15}`))),
    ]).flat(),
  );
  const ladder: readonly Rung[] = [{ type: "dedupe" }, { type: "clear" }, { type: "condense" }, OLDEST];

  test("are not taken at all where the plan says that it fits", async () => {
    const { messages, asked } = await carryOut({ type: "fits" }, reads);
    expect(messages).toBe(reads);
    expect(asked).toEqual([]);
  });

  test.each([
    [["dedupe"], 45_000],
    [["dedupe", "clear"], 25_000],
    [["dedupe", "clear", "condense"], 4_000],
  ])("%s are enough for a target of %d tokens, and then none is taken after them", async (kinds, targetTokens) => {
    const outcome = await carryOut(
      plan(ladder, { targetTokens, allowedTokens: 50_000 }),
      reads,
      summarize("Read them.", 2),
    );
    expect(outcome.foldIds.map((id) => id.replace("c1", "condense-").split("-")[0])).toEqual(kinds);
    expect(outcome.promptTokens).toBeLessThanOrEqual(targetTokens);
    expect(outcome.asked.length).toBe(kinds.includes("condense") ? 1 : 0);
    expect(outcome.truncation).toBeUndefined();
  });

  test("give the strategy what the cheaper rungs left, with its size", async () => {
    const { asked } = await carryOut(plan(ladder, { targetTokens: 4_000, allowedTokens: 50_000 }), reads);
    expect(asked).toHaveLength(1);
    expect(asked[0]?.promptTokens).toBe(gauge.measure(asked[0]?.messages ?? []));
    expect(asked[0]?.promptTokens).toBeLessThan(25_000);
  });

  test("do not truncate what missed the target but is under the limit", async () => {
    const outcome = await carryOut(
      plan([{ type: "condense" }, HALF], { targetTokens: 1, allowedTokens: 70_000 }),
      reads,
    );
    expect(outcome.truncation).toBeUndefined();
    expect(outcome.condensation?.error).toBe("overloaded");
    expect(outcome.messages).toBe(reads);
  });

  test("truncate in the end, whatever the rungs before could not do", async () => {
    const outcome = await carryOut(plan(ladder, { targetTokens: 1_500, allowedTokens: 2_000 }), reads);
    expect(outcome.promptTokens).toBeLessThanOrEqual(2_000);
    expect(outcome.truncation?.truncationId).toBe(outcome.foldIds.at(-1));
    expect(outcome.condensation).toMatchObject({ error: "overloaded", cost: 0.02 });
    expect(validateView(outcome.view)).toEqual([]);
    expect(restoreAllMessages(outcome.messages)).toEqual(reads);
  });
});

describe("a condensation", () => {
  const talk = longTalk(21, 1_000);
  const both = plan([{ type: "condense" }, HALF], { targetTokens: 8_000, allowedTokens: 12_000 });

  test("that brings the prompt under the limit ends the plan", async () => {
    const outcome = await carryOut(both, talk, summarize("All of it."));
    expect(outcome.foldIds).toEqual(["c1"]);
    expect(outcome.truncation).toBeUndefined();
    expect(outcome.promptTokens).toBe(gauge.measure(outcome.messages));
  });

  const hidden = ["m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8"];
  const spoil =
    (change: (messages: readonly Message[]) => readonly Message[]): Condense =>
    async (messages, promptTokens) => {
      const made = await summarize("All of it.")(messages, promptTokens);
      return { ...made, messages: change(made.messages) };
    };

  test.each<[string, Condense, RegExp]>([
    ["drops messages", spoil((messages) => messages.toSpliced(4, 2)), /changed, removed or added/],
    ["drops what it hides", spoil((messages) => messages.filter((each) => !hidden.includes(each.id ?? ""))), /changed/],
    ["edits a message", spoil((messages) => messages.with(0, { ...talk[0], ...user("Do less.") })), /changed/],
    [
      "reorders messages",
      spoil((messages) => [...messages.slice(0, 1), ...messages.slice(1, 9).toReversed(), ...messages.slice(9)]),
      /changed/,
    ],
    ["returns another log", async () => summarize("Another.")(longTalk(9, 10), 0), /changed/],
    [
      "shows nothing",
      spoil((messages) => messages.map((each) => (each.id === "c1" ? { ...each, content: " " } : each))),
      /white space/,
    ],
    ["is larger than the window", summarize(words(20_000)), /too large/],
    ["alone fills the window, beside much else", summarize(words(13_000), 19), /too large/],
    ["leaves no room for the rest", summarize(words(11_000)), /without it the context would fit/],
  ])("that %s is refused with its cost, and truncation follows", async (_, condense, error) => {
    const outcome = await carryOut(both, talk, condense);
    expect(outcome.condensation?.error).toMatch(error);
    expect(outcome.condensation).toMatchObject({ cost: 0.05, summary: "", modelCalls: 1 });
    expect(outcome.condensation).not.toHaveProperty("condenseId");
    expect(outcome.foldIds).toEqual([outcome.truncation?.truncationId]);
    expect(outcome.promptTokens).toBeLessThanOrEqual(12_000);
    expect(validateView(outcome.view)).toEqual([]);
    expect(restoreAllMessages(outcome.messages)).toEqual(talk);
  });

  test("that parts a call from its result is refused", async () => {
    const loop = toolLoop(12, 1_000);
    // One result is the first that is kept; its call is not carried.
    const outcome = await carryOut(both, loop, summarize("All of it.", 3));
    expect(outcome.condensation?.error).toMatch(/Providers would refuse the view.*"t10"/);
    expect(validateView(outcome.view)).toEqual([]);
  });

  test("that hides a call which is still running is refused", async () => {
    const running = [...talk, tag(assistant(call("t9")), { id: "open" }), tag(user("Go on."), { id: "after" })];
    const outcome = await carryOut(both, running, summarize("All of it.", 1));
    expect(outcome.condensation?.error).toMatch(/"t9" is still running/);
    expect(outcome.view.some(({ id }) => id === "open")).toBe(true);
  });

  test("with an error changes nothing, whatever messages came with it", async () => {
    const condense: Condense = async (messages) => ({
      messages: messages.slice(5),
      summary: "",
      cost: 0.01,
      error: "odd",
    });
    const outcome = await carryOut(
      plan([{ type: "condense" }], { targetTokens: 1, allowedTokens: 90_000 }),
      talk,
      condense,
    );
    expect(outcome.messages).toBe(talk);
    expect(outcome.condensation).toMatchObject({ error: "odd", cost: 0.01 });
  });

  test("that was accepted stays when truncation must follow, for it stands for all that it hid", async () => {
    const tail = [tag(user(words(6_000, "x")), { id: "x" }), tag(assistant(words(6_000, "y")), { id: "y" })];
    const outcome = await carryOut(both, [...talk, ...tail, tag(user("Go on."), { id: "z" })], summarize("All of it."));
    expect(outcome.condensation?.error).toBeUndefined();
    expect(outcome.foldIds[0]).toBe("c1");
    expect(outcome.truncation?.truncationId).toBeDefined();
    expect(outcome.view.find(({ id }) => id === "c1")).toEqual({
      id: "c1",
      role: "assistant",
      content: "All of it.",
      isSummary: true,
      condenseId: "c1",
    });
    expect(outcome.promptTokens).toBeLessThanOrEqual(12_000);
    expect(restoreAllMessages(outcome.messages)).toEqual([...talk, ...tail, { ...user("Go on."), id: "z" }]);
  });
});

test("the same plan on the same log gives the same bytes", async () => {
  const management = plan([{ type: "condense" }, HALF], { targetTokens: 1_000, allowedTokens: 4_000 });
  const results: CondensationResult["messages"][] = [];
  for (let run = 0; run < 2; run++) {
    results.push((await carryOut(management, longTalk(21, 1_000), summarize(words(3_500)))).messages);
  }
  expect(JSON.stringify(results[0])).toBe(JSON.stringify(results[1]));
});
