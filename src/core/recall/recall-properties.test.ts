import fc from "fast-check";
import { expect, test } from "vitest";
import { sized } from "../../../test/chaos/chaos-size.ts";
import { buildTurns, conversationPlan } from "../../../test/properties/conversations.ts";
import { cpuTimeMs } from "../../../test/support/cpu-time.ts";
import { deepFreeze } from "../../../test/support/messages.ts";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import type { Message } from "../message/message.ts";
import { countTextTokens } from "../tokens/o200k/count-text-tokens.ts";
import { clearToolResults } from "../truncate/clear-tool-results.ts";
import { truncateConversation } from "../truncate/truncate-conversation.ts";
import { blockTexts } from "./passages/block-texts.ts";
import { createRecallIndex } from "./recall-index.ts";
import { renderRecall } from "./render-recall.ts";
import { tokenizeForRecall } from "./terms/tokenize-for-recall.ts";

/** A conversation with cleared results and a truncated middle; all of it frozen. */
const foldedLog = fc.tuple(conversationPlan, fc.double({ min: 0.1, max: 0.9, noNaN: true })).map(([plan, share]) => {
  const messages = buildTurns(plan);
  const cleared = clearToolResults(messages, { keepNewest: 1, minGainTokens: 0 }).messages;
  return deepFreeze(truncateConversation(cleared, share, "task").messages);
});

const anyQuery = fc.string({ maxLength: 60 });
const scope = fc.constantFrom("hidden" as const, "all" as const);

/** Words of the conversation: random ones would hardly ever be found. */
function queryFrom(messages: readonly Message[], pick: number): string {
  const terms = messages.flatMap((message) => textsOf(message).flatMap(tokenizeForRecall));
  return [0, 1, 2].map((step) => terms[(pick + step * 7) % Math.max(1, terms.length)] ?? "").join(" ");
}

function textsOf({ content }: Message): readonly string[] {
  return typeof content === "string" ? [content] : content.flatMap(blockTexts);
}

test("every hit is verbatim, stands in its message, and all together fit the budget", () => {
  let hitsSeen = 0;
  fc.assert(
    fc.property(foldedLog, scope, fc.nat(), fc.nat(1_500), (messages, inScope, pick, budgetTokens) => {
      const index = createRecallIndex(messages, { scope: inScope });
      const hits = index.recall(queryFrom(messages, pick), { budgetTokens });
      hitsSeen += hits.length;
      for (const { text, messageIndex, messageId, foldId } of hits) {
        const message = messages[messageIndex];
        expect(message !== undefined && textsOf(message).some((each) => each.includes(text))).toBe(true);
        expect(index.expand(messageId).some((each) => textsOf(each).some((whole) => whole.includes(text)))).toBe(true);
        if (inScope === "hidden") expect(foldId).toBeDefined();
        const whole = foldId === undefined ? [] : index.expand(foldId);
        if (foldId !== undefined)
          expect(whole.some((each) => textsOf(each).some((one) => one.includes(text)))).toBe(true);
      }
      if (hits.length > 0) expect(countTextTokens(renderRecall(hits))).toBeLessThanOrEqual(budgetTokens);
      expect(new Set(hits.map(({ text }) => text)).size).toBe(hits.length);
    }),
    propertyRuns(150),
  );
  expect(hitsSeen).toBeGreaterThan(100);
});

test("added in two steps, or copied, a log gives the same answers", () => {
  fc.assert(
    fc.property(
      foldedLog,
      scope,
      fc.nat(),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (messages, inScope, pick, share) => {
        const query = queryFrom(messages, pick);
        const recall = (index: ReturnType<typeof createRecallIndex>) => index.recall(query, { budgetTokens: 2_000 });
        const atOnce = recall(createRecallIndex(messages, { scope: inScope }));
        const cut = Math.floor(share * messages.length);
        const inSteps = createRecallIndex(messages.slice(0, cut), { scope: inScope });
        inSteps.add(messages.slice(cut));
        expect(recall(inSteps)).toEqual(atOnce);
        expect(recall(createRecallIndex(structuredClone(messages), { scope: inScope }))).toEqual(atOnce);
      },
    ),
    propertyRuns(100),
  );
});

test("no query makes it fail", () => {
  fc.assert(
    fc.property(foldedLog, fc.oneof(anyQuery, fc.string({ unit: "binary", maxLength: 200 })), (messages, query) => {
      expect(Array.isArray(createRecallIndex(messages).recall(query, { budgetTokens: 500 }))).toBe(true);
    }),
    propertyRuns(60),
  );
});

test.each([
  ["one letter", "a"],
  ["CJK", "天地玄黄"],
  ["blank lines", "\n"],
  ["short lines", "ab cd\n"],
  ["base64", Buffer.from(Array.from({ length: 9_000 }, (_, index) => (index * index * 31) >> 3)).toString("base64")],
  ["NUL bytes and lone surrogates", "\0\ud800 x1\n"],
])("megabytes of %s in one message are searched like anything else", (_, unit) => {
  const filler = unit.repeat(Math.floor(sized({ full: 10_000_000, short: 1_000_000 }) / unit.length));
  const messages: readonly Message[] = [
    { role: "user", id: "big", content: `${filler}\nthe needleInHay is here\n${filler}` },
  ];
  const hits = createRecallIndex(messages, { scope: "all" }).recall("needleInHay", { budgetTokens: 1_000 });
  expect(hits[0]?.text).toContain("needleInHay");
});

test("a query of a megabyte, and one of all the commonest words, end soon", () => {
  const words = Array.from({ length: 500 }, (_, index) => `word${index}`);
  const messages: readonly Message[] = Array.from({ length: 2_000 }, (_, index) => ({
    role: "user",
    content: `${words.join(" ")} ${index}`,
  }));
  const index = createRecallIndex(messages, { scope: "all" });
  for (const query of [words.join(" "), "word1 ".repeat(170_000), `${"x".repeat(1_000_000)} word7`]) {
    expect(cpuTimeMs(() => index.recall(query, { budgetTokens: 2_000 }))).toBeLessThan(5_000);
  }
});
