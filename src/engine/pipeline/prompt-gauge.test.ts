import { describe, expect, test } from "vitest";
import { chat, truncate } from "../../../test/support/messages.ts";
import type { CountTokens, Message } from "../../core/message/message.ts";
import { createPromptGauge, observedRatio } from "./prompt-gauge.ts";

const countTokens: CountTokens = (content) => content.length;
const lengthOf = (messages: readonly Message[]) =>
  messages.reduce((sum, message) => sum + countTokens(message.content), 0);

describe("a prompt's gauge", () => {
  const gauge = createPromptGauge({ countTokens, overheadTokens: 100, ratio: 1.5 });

  test("adds system prompt and tools to the view, in the model's tokens", () => {
    expect(gauge.promptTokens(200)).toBe(400);
    expect(gauge.promptTokens(201)).toBe(402);
  });

  test("converts back, so that a view of that size makes a prompt of that size", () => {
    expect(gauge.promptTokens(gauge.viewTokens(1_000))).toBe(1_000);
  });

  test("measures what is sent, not what is hidden", () => {
    const hidden = truncate(chat(6), "x1", ["m1", "m2"]);
    const visible = hidden.filter((message) => message.truncationParent === undefined);
    expect(gauge.measure(hidden)).toBe(Math.ceil(100 + 1.5 * lengthOf(visible)));
  });

  test("learns from a measurement that is larger than it foretold", () => {
    const messages = chat(10);
    const corrected = gauge.corrected(messages, 100 + 4 * lengthOf(messages));
    expect(corrected.measure(messages)).toBe(100 + 4 * lengthOf(messages));
    expect(corrected.overheadTokens).toBe(100);
  });

  test("always expects more once it was corrected, so that corrections come to an end", () => {
    const corrected = gauge.corrected(chat(10), gauge.measure(chat(10)));
    expect(corrected.viewTokens(1_000)).toBeLessThan(gauge.viewTokens(1_000) / 1.09);
    expect(Number.isFinite(gauge.corrected([], 5_000).viewTokens(1_000))).toBe(true);
  });
});

describe("the ratio between two counts", () => {
  const prompt = { promptTokens: 1_100, overheadTokens: 100, viewTokens: 500 };

  test("is what the view was counted as, for one of ours", () => {
    expect(observedRatio(prompt, 10)).toBe(2);
  });

  test("stays inside its bounds, whatever was reported", () => {
    expect(observedRatio({ ...prompt, promptTokens: 100_000 }, 2)).toBe(2);
    expect(observedRatio({ ...prompt, promptTokens: 350 }, 2)).toBe(1);
    expect(observedRatio({ ...prompt, promptTokens: 350 }, 2, 0.1)).toBe(0.5);
    expect(observedRatio({ ...prompt, promptTokens: 0 }, 2, 0.1)).toBe(0.1);
  });

  test("is one where there is nothing to compare", () => {
    expect(observedRatio({ ...prompt, viewTokens: 0 }, 10)).toBe(1);
  });
});
