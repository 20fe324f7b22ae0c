import fc from "fast-check";
import { expect, test } from "vitest";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import { restoreAllMessages, restoreMessages } from "../history/restore.ts";
import { effectiveView } from "../message/effective-view.ts";
import type { Block, CountTokens, Message } from "../message/message.ts";
import { contentBlocks, isToolResult, isToolUse } from "../message/tool-pairs.ts";
import { validateView } from "../message/validate-view.ts";
import { countContentTokens } from "../tokens/count-content.ts";
import { clearToolResults } from "./clear-tool-results.ts";
import { clipBlocks } from "./clip/clip-blocks.ts";
import { dedupeToolResults } from "./dedupe-tool-results.ts";
import type { BlockFoldResult } from "./tool-results.ts";

const countTokens: CountTokens = (content) => Math.ceil(JSON.stringify(content).length / 4);

const text = fc.oneof(
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }).map((part) => `${part}.`),
  fc
    .tuple(fc.constantFrom("alpha beta ", "log line\n", "😀", "漢字"), fc.integer({ min: 1, max: 400 }))
    .map(([part, times]) => `${part.repeat(times)}.`),
  fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify({ value, more: Array(20).fill(value) })),
);
const extra = fc.constantFrom({}, { cache_control: { type: "ephemeral" } }, { vendor: { trace: [1, 2] } });
const textBlock = fc.tuple(text, extra).map(([value, fields]) => ({ type: "text", text: value, ...fields }));
const imageBlock = fc
  .integer({ min: 10, max: 3_000 })
  .map((length) => ({ type: "image", source: { type: "base64", media_type: "image/png", data: "A".repeat(length) } }));
const unknownBlock = text.map((value) => ({ type: "document", source: value }));
const reasoningBlock = text.map((value) => ({ type: "reasoning", text: value, signature: "c2ln" }));

const exchange = fc.record({
  opening: fc.array(fc.oneof(textBlock, reasoningBlock, unknownBlock), { maxLength: 2 }),
  calls: fc.array(
    fc.record({
      name: fc.constantFrom("read_file", "bash", "search"),
      input: fc.oneof(
        fc.constantFrom({ path: "a.ts" }, { path: "b.ts" }),
        fc.record({ path: text, options: fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 2 })) }),
      ),
      content: fc.oneof(
        text,
        fc.constantFrom("same text ".repeat(60), "other text ".repeat(60)),
        fc.array(fc.oneof(textBlock, imageBlock, unknownBlock), { minLength: 1, maxLength: 3 }),
      ),
      fields: fc.oneof(extra, fc.constant({ is_error: true })),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  closing: fc.array(fc.oneof(textBlock, imageBlock), { maxLength: 1 }),
  marks: fc.constantFrom({}, {}, {}, { important: true }, { vendorField: [0] }),
});

/** Valid logs of tool exchanges, with fields that nobody knows. */
const log = fc.array(exchange, { minLength: 1, maxLength: 4 }).map((exchanges): readonly Message[] => {
  const messages: unknown[] = [{ role: "user", content: "go", id: "start" }];
  for (const [turn, { opening, calls, closing, marks }] of exchanges.entries()) {
    const uses = calls.map(({ name, input }, index) => ({ type: "tool_use", id: `t${turn}-${index}`, name, input }));
    const results = calls.map(({ content, fields }, index) => ({
      type: "tool_result",
      tool_use_id: `t${turn}-${index}`,
      content,
      ...fields,
    }));
    messages.push({ role: "assistant", content: [...opening, ...uses], id: `a${turn}` });
    messages.push({ role: "user", content: [...results, ...closing], id: `u${turn}`, ...marks });
  }
  // Built as plain data, as it comes from a file: the fields that the types do not name are the point.
  return JSON.parse(JSON.stringify(messages));
});

type Operation =
  | { readonly type: "clear"; readonly keepNewest: number }
  | { readonly type: "dedupe" }
  | { readonly type: "clip"; readonly from: number; readonly count: number; readonly budgetTokens: number };

const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({ type: fc.constant("clear" as const), keepNewest: fc.nat({ max: 3 }) }),
  fc.record({ type: fc.constant("dedupe" as const) }),
  fc.record({
    type: fc.constant("clip" as const),
    from: fc.nat({ max: 10 }),
    count: fc.integer({ min: 1, max: 4 }),
    budgetTokens: fc.integer({ min: 0, max: 1_500 }),
  }),
);

function apply(messages: readonly Message[], step: Operation): BlockFoldResult {
  switch (step.type) {
    case "clear":
      return clearToolResults(messages, { countTokens, keepNewest: step.keepNewest, minGainTokens: 1 });
    case "dedupe":
      return dedupeToolResults(messages, { countTokens, minGainTokens: 1 });
    case "clip":
      return clipBlocks(messages, {
        countTokens,
        messageIndexes: clippedIndexes(messages, step),
        budgetTokens: step.budgetTokens,
      });
  }
}

function clippedIndexes(messages: readonly Message[], { from, count }: { from: number; count: number }) {
  return [...messages.keys()].slice(from % messages.length, (from % messages.length) + count);
}

function pairIds(messages: readonly Message[]): readonly string[] {
  return effectiveView(messages).flatMap((message) =>
    contentBlocks(message.content).flatMap((block) =>
      isToolUse(block)
        ? [`call ${block.id} ${block.name}`]
        : isToolResult(block)
          ? [`result ${block.tool_use_id}`]
          : [],
    ),
  );
}

test("any folds in any order leave a valid view, and come off again one by one", () => {
  fc.assert(
    fc.property(log, fc.array(operation, { minLength: 1, maxLength: 3 }), (original, steps) => {
      const before = JSON.stringify(original);
      let messages = original;
      for (const step of steps) {
        const folded = apply(messages, step);
        expect(JSON.stringify(apply(messages, step))).toBe(JSON.stringify(folded));
        if (folded.foldId === undefined) expect(folded.messages).toBe(messages);
        else expect(JSON.stringify(restoreMessages(folded.messages, folded.foldId))).toBe(JSON.stringify(messages));
        for (const [index, message] of folded.messages.entries()) {
          expect(message.content).toBe(original[index]?.content);
          if (message.folds?.length === messages[index]?.folds?.length) expect(message).toBe(messages[index]);
        }
        messages = folded.messages;
        expect(pairIds(messages)).toEqual(pairIds(original));
        expect(validateView(effectiveView(messages))).toEqual([]);
      }
      expect(JSON.stringify(restoreAllMessages(messages))).toBe(before);
    }),
    PROPERTY_RUNS,
  );
});

/** What a block cannot go below: itself, or a stub for each of its items with the ids around them. */
function leastTokens(block: Block, count: CountTokens): number {
  const items = isToolResult(block) && typeof block.content === "object" ? block.content.length : 1;
  return Math.min(count([block]), 40 + 40 * items);
}

test.each([
  ["size", countTokens],
  ["o200k tokens", countContentTokens],
])("clipped content fits every budget with room for a stub for each block, by %s", (_, count) => {
  fc.assert(
    fc.property(log, fc.nat({ max: 10 }), fc.integer({ min: 0, max: 1_500 }), (messages, at, spareTokens) => {
      const messageIndex = at % messages.length;
      const blocks = contentBlocks(messages[messageIndex]?.content ?? "");
      const budgetTokens = 5 + blocks.reduce((sum, block) => sum + leastTokens(block, count), 0) + spareTokens;
      const clipped = clipBlocks(messages, { countTokens: count, messageIndexes: [messageIndex], budgetTokens });
      const shown = effectiveView(clipped.messages)[messageIndex]?.content ?? "";
      expect(count(shown)).toBe(clipped.tokens);
      expect(clipped.tokens).toBeLessThanOrEqual(budgetTokens);
    }),
    PROPERTY_RUNS,
  );
});

test("a pointer leads to a result that is shown whole", () => {
  fc.assert(
    fc.property(log, fc.array(operation, { maxLength: 2 }), (original, steps) => {
      const folded = steps.reduce((messages, step) => apply(messages, step).messages, original);
      const { messages, foldId } = dedupeToolResults(folded, { countTokens, minGainTokens: 1 });
      const pointers = messages.flatMap((message) => message.folds?.filter((fold) => fold.foldId === foldId) ?? []);
      for (const { standIn } of pointers) {
        const targetId = /, (?:repeated|newest) in message (\w+): /.exec(JSON.stringify(standIn))?.[1];
        const target = messages.find((message) => message.id === targetId);
        const whole = contentBlocks(target?.content ?? "").filter(
          (block, index) => isToolResult(block) && !target?.folds?.some((fold) => fold.blockIndex === index),
        );
        expect(whole).not.toEqual([]);
      }
    }),
    PROPERTY_RUNS,
  );
});

test("what a fold says it hides is what the view lost", () => {
  const viewTokens = (messages: readonly Message[]) =>
    effectiveView(messages).reduce((sum, message) => sum + countTokens(message.content), 0);
  fc.assert(
    fc.property(log, operation, (messages, step) => {
      const folded = apply(messages, step);
      const items = 2 + folded.blocks * 4;
      expect(Math.abs(viewTokens(messages) - viewTokens(folded.messages) - folded.gainTokens)).toBeLessThan(items);
    }),
    PROPERTY_RUNS,
  );
});
