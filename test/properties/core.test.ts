/** What always holds (docs/architecture.md), over random conversations and random sequences of operations. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { listFolds } from "../../src/core/history/list-folds.ts";
import { restoreAllMessages, restoreMessages } from "../../src/core/history/restore.ts";
import { getEffectiveApiHistory } from "../../src/core/message/effective-view.ts";
import type { Content, Message } from "../../src/core/message/message.ts";
import { validateView } from "../../src/core/message/validate-view.ts";
import { countContentTokens } from "../../src/core/tokens/count-content.ts";
import { countMessagesTokens } from "../../src/core/tokens/count-messages.ts";
import { foldToFit } from "../../src/core/truncate/fold-to-fit.ts";
import { truncateToFit } from "../../src/core/truncate/truncate-to-fit.ts";
import { PROPERTY_RUNS } from "../support/property-runs.ts";
import { buildTurns, conversationPlan, openCall } from "./conversations.ts";
import { operation, perform, startWorld, type World } from "./operations.ts";

const operations = fc.array(operation, { maxLength: 12, size: "max" });

/** Fast, and as sensitive to every byte as a real counter. */
function countCharacters(content: Content): number {
  return Math.ceil((typeof content === "string" ? content : JSON.stringify(content)).length / 4);
}

describe("after any operations on any conversation", () => {
  test("removing every fold gives the original messages byte for byte", () => {
    fc.assert(
      fc.property(conversationPlan, operations, (plans, steps) => {
        const end = steps.reduce((world, step) => perform(world, step, countCharacters), startWorld(plans));
        expect(JSON.stringify(restoreAllMessages(end.log))).toBe(JSON.stringify(end.original));
      }),
      PROPERTY_RUNS,
    );
  });

  test("restoring the folds one by one, in any order, gives the original messages byte for byte", () => {
    fc.assert(
      fc.property(conversationPlan, operations, fc.infiniteStream(fc.nat()), (plans, steps, picks) => {
        const end = steps.reduce((world, step) => perform(world, step, countCharacters), startWorld(plans));
        let log = end.log;
        for (const pick of picks) {
          const folds = listFolds(log);
          const fold = folds[pick % Math.max(1, folds.length)];
          if (fold === undefined) break;
          log = restoreMessages(log, fold.foldId);
          expect(problemsOf(log)).toEqual([]);
        }
        expect(JSON.stringify(log)).toBe(JSON.stringify(end.original));
      }),
      PROPERTY_RUNS,
    );
  });

  test("every view on the way is one that a provider accepts", () => {
    fc.assert(
      fc.property(conversationPlan, operations, (plans, steps) => {
        let world = startWorld(plans);
        for (const step of steps) {
          world = perform(world, step, countCharacters);
          expect(problemsOf(world.log)).toEqual([]);
        }
      }),
      PROPERTY_RUNS,
    );
  });

  test("a call that is still running keeps its place at the end of the view", () => {
    fc.assert(
      fc.property(conversationPlan, operations, (plans, steps) => {
        const started = startWorld(plans);
        const open = openCall(999);
        let world: World = { ...started, log: [...started.log, open], original: [...started.original, open] };
        for (const step of steps.filter((each) => each.type !== "append")) {
          world = perform(world, step, countCharacters);
          const view = getEffectiveApiHistory(world.log);
          expect(view.at(-1)?.id).toBe(open.id);
          expect(validateView(view).map((problem) => problem.code)).toEqual(["missing-result"]);
        }
      }),
      PROPERTY_RUNS,
    );
  });

  test("the same operations give the same bytes", () => {
    fc.assert(
      fc.property(conversationPlan, operations, (plans, steps) => {
        const once = steps.reduce((world, step) => perform(world, step, countCharacters), startWorld(plans));
        const copy = steps.reduce(
          (world, step) => perform(world, step, countCharacters),
          startWorld(structuredClone(plans)),
        );
        expect(JSON.stringify(copy.log)).toBe(JSON.stringify(once.log));
      }),
      PROPERTY_RUNS,
    );
  });

  test("the view stays the same bytes when messages are appended, and after a restart", () => {
    fc.assert(
      fc.property(conversationPlan, operations, conversationPlan, (plans, steps, later) => {
        const { log, turns } = steps.reduce((world, step) => perform(world, step, countCharacters), startWorld(plans));
        const view = getEffectiveApiHistory(log).map((message) => JSON.stringify(message));
        const grown = getEffectiveApiHistory([...log, ...buildTurns(later, turns).flat()]);
        expect(grown.slice(0, view.length).map((message) => JSON.stringify(message))).toEqual(view);
        const reloaded: readonly Message[] = JSON.parse(JSON.stringify(log));
        expect(getEffectiveApiHistory(reloaded).map((message) => JSON.stringify(message))).toEqual(view);
      }),
      PROPERTY_RUNS,
    );
  });
});

describe("a budget", () => {
  // Below this, stand-ins alone may be too large; above it, there is no excuse.
  const SMALLEST_BUDGET_TOKENS = 600;

  test.each([
    ["truncateToFit", truncateToFit],
    ["foldToFit", foldToFit],
  ])("is kept by %s whatever the conversation, and the result says the truth about it", (_, bringUnder) => {
    fc.assert(
      fc.property(conversationPlan, operations, fc.integer({ min: -10, max: 3_000 }), (plans, steps, allowedTokens) => {
        const { log, original } = steps.reduce(
          (world, step) => perform(world, step, countCharacters),
          startWorld(plans),
        );
        const result = bringUnder(log, { allowedTokens, countTokens: countCharacters });
        const tokens = countMessagesTokens(getEffectiveApiHistory(result.messages), countCharacters);
        expect(result.tokens).toBe(tokens);
        expect(result.type === "cannot-fit").toBe(tokens > allowedTokens);
        if (allowedTokens >= SMALLEST_BUDGET_TOKENS) expect(tokens).toBeLessThanOrEqual(allowedTokens);
        if (result.type === "unchanged") expect(result.messages).toBe(log);
        expect(problemsOf(result.messages)).toEqual([]);
        expect(JSON.stringify(restoreAllMessages(result.messages))).toBe(JSON.stringify(original));
      }),
      PROPERTY_RUNS,
    );
  });

  test("is kept with the exact token counter too", () => {
    fc.assert(
      fc.property(conversationPlan, fc.integer({ min: SMALLEST_BUDGET_TOKENS, max: 3_000 }), (plans, allowedTokens) => {
        const { log } = startWorld(plans);
        const result = foldToFit(log, { allowedTokens, countTokens: countContentTokens });
        expect(countMessagesTokens(getEffectiveApiHistory(result.messages))).toBeLessThanOrEqual(allowedTokens);
        expect(problemsOf(result.messages)).toEqual([]);
      }),
      PROPERTY_RUNS,
    );
  });
});

function problemsOf(log: readonly Message[]) {
  return validateView(getEffectiveApiHistory(log));
}
