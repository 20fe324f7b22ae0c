/** Budgets, over random conversations and random sequences of operations. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { restoreAllMessages } from "../../src/core/history/restore.ts";
import { effectiveView } from "../../src/core/message/effective-view.ts";
import type { Block, CountTokens, Message } from "../../src/core/message/message.ts";
import { isToolResult } from "../../src/core/message/tool-pairs.ts";
import { validateView } from "../../src/core/message/validate-view.ts";
import { countContentTokens } from "../../src/core/tokens/count-content.ts";
import { countMessagesTokens } from "../../src/core/tokens/count-messages.ts";
import { foldToFit } from "../../src/core/truncate/fold-to-fit.ts";
import { measureView } from "../../src/core/truncate/measure-view.ts";
import { truncateToFit } from "../../src/core/truncate/truncate-to-fit.ts";
import { conversationPlan } from "./conversations.ts";
import { longRuns } from "./long-runs.ts";
import { countCharacters, operation, performAll, startWorld } from "./operations.ts";

const operations = fc.array(operation, { maxLength: 12, size: "max" });

/**
 * What no view can go below: the first message and the last turn, each block whole or as a stub of 40 tokens for it and
 * each of its items, and a marker for the rest. Above that, there is no excuse.
 */
function smallestBudget(log: readonly Message[], countTokens: CountTokens): number {
  const { units } = measureView(log, countTokens);
  const kept = units.length > 1 ? [units[0], units.at(-1)] : units;
  const blocks = kept.flatMap((unit) => unit?.entries ?? []).flatMap(({ message }) => blocksOf(message));
  return 40 + blocks.reduce((sum, block) => sum + leastTokens(block, countTokens), 0);
}

function blocksOf({ content }: Message): readonly Block[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function leastTokens(block: Block, countTokens: CountTokens): number {
  const items = isToolResult(block) && Array.isArray(block.content) ? block.content.length : 1;
  return Math.min(countTokens([block]), 40 + 40 * items);
}

const allowedTokens = fc.integer({ min: -10, max: 3_000 });
/** Also above what is allowed: a target is how far to go, never a reason to stop early. */
const target = fc.option(fc.integer({ min: -10, max: 6_000 }), { nil: undefined });

const optional = (targetTokens: number | undefined) => (targetTokens === undefined ? {} : { targetTokens });
const viewTokens = (log: readonly Message[], countTokens: CountTokens) =>
  countMessagesTokens(effectiveView(log), countTokens);

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
        expect(tokens).toBeLessThanOrEqual(Math.max(allowedTokens, smallestBudget(log, countCharacters)));
        if (result.foldIds.length === 0) expect(result.messages).toBe(log);
        expect(validateView(effectiveView(result.messages))).toEqual([]);
        expect(JSON.stringify(restoreAllMessages(result.messages))).toBe(JSON.stringify(original));
      }),
      longRuns(),
    );
  });

  test("is kept with the exact token counter too", () => {
    fc.assert(
      fc.property(conversationPlan, allowedTokens, target, (plan, allowedTokens, targetTokens) => {
        const { log } = startWorld(plan);
        const result = foldToFit(log, { allowedTokens, ...optional(targetTokens), countTokens: countContentTokens });
        const smallest = smallestBudget(log, countContentTokens);
        expect(viewTokens(result.messages, countContentTokens)).toBeLessThanOrEqual(Math.max(allowedTokens, smallest));
        expect(validateView(effectiveView(result.messages))).toEqual([]);
      }),
      longRuns(),
    );
  });
});
