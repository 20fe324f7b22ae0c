/** Truncation as the last rung of a plan. */
import { describe, expect, test } from "vitest";
import { longTalk } from "../../../test/support/long-talk.ts";
import { assistant, log, tag, user } from "../../../test/support/messages.ts";
import { effectiveView } from "../../core/message/effective-view.ts";
import type { Message } from "../../core/message/message.ts";
import { validateView } from "../../core/message/validate-view.ts";
import type { ManagementPlan, Rung } from "../../core/policy/plan-management.ts";
import { countContentTokens } from "../../core/tokens/count-content.ts";
import { createPromptGauge } from "./prompt-gauge.ts";
import { type PlanRun, runPlan } from "./run-plan.ts";

const gauge = createPromptGauge({ countTokens: countContentTokens, overheadTokens: 0, ratio: 1 });
const HALF: Rung = { type: "truncate", selection: { type: "fraction", fracToRemove: 0.5 } };

function plan(limits: { targetTokens: number; allowedTokens: number }): ManagementPlan {
  return { type: "fold", rungs: [HALF], ...limits };
}

async function carryOut(management: ManagementPlan, messages: readonly Message[], changes: Partial<PlanRun> = {}) {
  const outcome = await runPlan(management, {
    messages,
    taskId: "task",
    promptTokens: gauge.measure(messages),
    gauge,
    condense: async () => ({ messages, summary: "", cost: 0, error: "nobody asked" }),
    ...changes,
  });
  return { ...outcome, view: effectiveView(outcome.messages) };
}

describe("a truncation", () => {
  const talk = longTalk(41, 1_000);

  test("takes its share even where our count says that it fits, for whoever told the size knows better", async () => {
    const told = plan({ targetTokens: 30_000, allowedTokens: 50_000 });
    const { truncation } = await carryOut(told, talk, { promptTokens: 60_000 });
    expect(truncation?.messagesRemoved).toBe(20);
  });

  test("leaves one marker, which the result names, however much has to go", async () => {
    for (const allowedTokens of [25_000, 12_000, 3_000, 700]) {
      const { messages, truncation, view } = await carryOut(plan({ targetTokens: 1, allowedTokens }), talk);
      const markers = messages.filter((message) => message.isTruncationMarker === true);
      const hidden = messages.filter((message) => message.truncationParent !== undefined);
      expect(markers.map((marker) => marker.truncationId)).toEqual([truncation?.truncationId]);
      expect(truncation?.messagesRemoved).toBe(hidden.length);
      expect(gauge.measure(messages)).toBeLessThanOrEqual(allowedTokens);
      expect(validateView(view)).toEqual([]);
    }
  });

  test("names the marker that can be seen where messages that a person marked had to go too", async () => {
    const marked = talk.map((message, index) => (index % 3 === 1 ? tag(message, { important: true }) : message));
    const { truncation, view } = await carryOut(plan({ targetTokens: 1, allowedTokens: 3_000 }), marked);
    expect(view.some((message) => message.truncationId === truncation?.truncationId)).toBe(true);
  });

  // What the newest messages hold is five times as expensive as our count says.
  const measure = (messages: readonly Message[]) =>
    effectiveView(messages).reduce(
      (sum, { content, ts }) => sum + countContentTokens(content) * (Number(ts) > 35_000 ? 5 : 1),
      0,
    );

  test("is measured by whoever knows better, and goes on until that fits, behind one marker still", async () => {
    const management = plan({ targetTokens: 10_000, allowedTokens: 20_000 });
    const { promptTokens, messages } = await carryOut(management, talk, { measure });
    expect(promptTokens).toBe(measure(messages));
    expect(promptTokens).toBeLessThanOrEqual(20_000);
    expect(messages.filter((message) => message.isTruncationMarker === true)).toHaveLength(1);
    expect(measure((await carryOut(management, talk)).messages)).toBeGreaterThan(20_000);
  });

  test("gives up as soon as more makes no difference", async () => {
    let measurements = 0;
    const never = () => {
      measurements += 1;
      return 99_000;
    };
    const { promptTokens } = await carryOut(plan({ targetTokens: 10_000, allowedTokens: 20_000 }), talk, {
      measure: never,
    });
    expect(promptTokens).toBe(99_000);
    expect(measurements).toBe(2);
  });

  test("of a log with tags that name nothing makes it fit all the same", async () => {
    const orphaned = talk.map((message, index) =>
      index > 2 && index < 9 ? tag(message, { truncationParent: "gone", condenseParent: "gone" }) : message,
    );
    const outcome = await carryOut(plan({ targetTokens: 1, allowedTokens: 20_000 }), orphaned);
    expect(outcome.promptTokens).toBeLessThanOrEqual(20_000);
    expect(outcome.truncation?.truncationId).toBeDefined();
  });

  test("that can hide nothing says so, and recounts", async () => {
    const short = log(user("a"), assistant("b"));
    const outcome = await carryOut(plan({ targetTokens: 1, allowedTokens: 1_000 }), short, { promptTokens: 5_000 });
    expect(outcome).toEqual({
      messages: short,
      view: short,
      promptTokens: 2,
      foldIds: [],
      truncation: { messagesRemoved: 0 },
    });
  });
});
