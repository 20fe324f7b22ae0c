import { expect, test } from "vitest";
import type { Message } from "../message/message.ts";
import { countTextTokens } from "../tokens/o200k/count-text-tokens.ts";
import { createRecallIndex } from "./recall-index.ts";
import { renderRecall } from "./render-recall.ts";

const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2025, 2, 3, 9);

test("short messages of a few days fill the budget, for a day is said once", () => {
  const messages = Array.from({ length: 300 }, (_, at): Message => {
    const ts = START_MS + Math.floor(at / 100) * DAY_MS;
    return { id: `m${at}`, role: "user", ts, content: `Anna: lamp ${at} hangs in room ${at * 7}.` };
  });
  const budgetTokens = 1_000;
  const hits = createRecallIndex(messages, { scope: "all" }).recall("lamp", { budgetTokens });
  const tokens = countTextTokens(renderRecall(hits));
  expect(tokens).toBeLessThanOrEqual(budgetTokens);
  expect(tokens).toBeGreaterThan(0.97 * budgetTokens);
});

test("pieces of one long line are shown in its order, whichever is better", () => {
  const filler = Array.from({ length: 200 }, (_, at) => `nothing of note on day ${at} here.`);
  const line = [
    "The lamp is old.",
    ...filler,
    "The lamp in the lighthouse burns oil, says the keeper of the lamp.",
  ].join(" ");
  const index = createRecallIndex([{ role: "user", content: line }], { scope: "all" });
  const text = renderRecall(index.recall("lamp lighthouse keeper", { budgetTokens: 1_000 }));
  expect(text.indexOf("burns oil")).toBeGreaterThan(0);
  expect(text.indexOf("The lamp is old.")).toBeGreaterThan(0);
  expect(text.indexOf("The lamp is old.")).toBeLessThan(text.indexOf("burns oil"));
});
