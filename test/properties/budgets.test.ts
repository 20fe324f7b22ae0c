/** Budgets, over random conversations and random sequences of operations. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { restoreAllMessages } from "../../src/core/history/restore.ts";
import { getEffectiveApiHistory } from "../../src/core/message/effective-view.ts";
import type { CountTokens, Message } from "../../src/core/message/message.ts";
import { validateView } from "../../src/core/message/validate-view.ts";
import { countContentTokens } from "../../src/core/tokens/count-content.ts";
import { countMessagesTokens } from "../../src/core/tokens/count-messages.ts";
import { foldToFit } from "../../src/core/truncate/fold-to-fit.ts";
import { truncateToFit } from "../../src/core/truncate/truncate-to-fit.ts";
import { PROPERTY_RUNS } from "../support/property-runs.ts";
import { conversationPlan } from "./conversations.ts";
import { countCharacters, operation, performAll, startWorld } from "./operations.ts";

const operations = fc.array(operation, { maxLength: 12, size: "max" });

// The first message and the last turn, of at most 22 blocks and items, stay as stubs of about 40 tokens: above that, there
// is no excuse.
const SMALLEST_BUDGET_TOKENS = 1_000;

const allowedTokens = fc.integer({ min: -10, max: 3_000 });
/** Also above what is allowed: a target is how far to go, never a reason to stop early. */
const target = fc.option(fc.integer({ min: -10, max: 6_000 }), { nil: undefined });

const optional = (targetTokens: number | undefined) => (targetTokens === undefined ? {} : { targetTokens });
const viewTokens = (log: readonly Message[], countTokens: CountTokens) =>
  countMessagesTokens(getEffectiveApiHistory(log), countTokens);

describe("a budget", () => {
  test.each([
    ["truncateToFit", truncateToFit],
    ["foldToFit", foldToFit],
  ])("is kept by %s whatever the conversation and the target, and the result says the truth", (_, bringUnder) => {
    fc.assert(
      fc.property(conversationPlan, operations, allowedTokens, target, (plan, steps, allowedTokens, targetTokens) => {
        const { log, original } = performAll(plan, steps);
        const result = bringUnder(log, { allowedTokens, ...optional(targetTokens), countTokens: countCharacters });
        const tokens = viewTokens(result.messages, countCharacters);
        expect(result.tokens).toBe(tokens);
        expect(result.type === "cannot-fit").toBe(tokens > allowedTokens);
        expect(result.type === "unchanged").toBe(viewTokens(log, countCharacters) <= allowedTokens);
        if (allowedTokens >= SMALLEST_BUDGET_TOKENS) expect(tokens).toBeLessThanOrEqual(allowedTokens);
        if (result.foldIds.length === 0) expect(result.messages).toBe(log);
        expect(validateView(getEffectiveApiHistory(result.messages))).toEqual([]);
        expect(JSON.stringify(restoreAllMessages(result.messages))).toBe(JSON.stringify(original));
      }),
      PROPERTY_RUNS,
    );
  });

  test("is kept with the exact token counter too", () => {
    const roomyTokens = fc.integer({ min: SMALLEST_BUDGET_TOKENS, max: 3_000 });
    fc.assert(
      fc.property(conversationPlan, roomyTokens, target, (plan, allowedTokens, targetTokens) => {
        const { log } = startWorld(plan);
        const result = foldToFit(log, { allowedTokens, ...optional(targetTokens), countTokens: countContentTokens });
        expect(viewTokens(result.messages, countContentTokens)).toBeLessThanOrEqual(allowedTokens);
        expect(validateView(getEffectiveApiHistory(result.messages))).toEqual([]);
      }),
      PROPERTY_RUNS,
    );
  });
});
