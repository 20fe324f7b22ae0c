import { expect, test } from "vitest";
import { log, user } from "../../../test/support/messages.ts";
import type { Message } from "../../core/message/message.ts";
import { type ReplayOptions, type ReplayResult, type ReplayStep, replay } from "./replay.ts";
import { demoSession } from "./session/demo-session.ts";

function runToEnd(session: readonly Message[], options: ReplayOptions) {
  const replaying = replay(session, options);
  const steps: ReplayStep[] = [];
  for (;;) {
    const next = replaying.next();
    if (next.done === true) return { steps, result: next.value satisfies ReplayResult };
    steps.push(next.value);
  }
}

test("the demo session stays inside a 32k window at every turn, valid and whole", () => {
  const { steps, result } = runToEnd(demoSession(), { contextWindow: 32_000, maxTokens: 4_000 });
  expect(steps).toHaveLength(result.turns);
  expect(Math.max(...steps.map((step) => step.viewTokens))).toBe(result.peakViewTokens);
  expect(result.logTokens).toBeGreaterThanOrEqual(150_000);
  expect(result.peakViewTokens).toBeLessThanOrEqual(0.9 * 32_000 - 4_000);
  expect(result).toMatchObject({ overflows: 0, invalidViews: 0, bytesLost: 0 });
  expect(result.hashAfter).toBe(result.hashBefore);
  expect(Object.keys(result.folds).sort()).toEqual(["clear", "clip", "dedupe", "truncate"]);
});

test("a window that is large enough folds nothing", () => {
  const { result } = runToEnd(demoSession(), { contextWindow: 1_000_000, maxTokens: 4_000 });
  expect(result).toMatchObject({ folds: {}, messagesHidden: 0, tokensHidden: 0 });
  expect(result.peakViewTokens).toBeLessThan(result.logTokens);
});

test("a window that nothing fits into is reported as overflow, not as success", () => {
  const session = log(user("a question of some length"), { role: "assistant", content: "an answer" });
  const { result } = runToEnd(session, { contextWindow: 100, maxTokens: 90 });
  expect(result.overflows).toBe(1);
  expect(result.bytesLost).toBe(0);
});
