import { describe, expect, test } from "vitest";
import type { Message } from "../message/message.ts";
import { createModelRegistry } from "../models/registry.ts";
import type { RequestRecord } from "../statement/request-record.ts";
import { countMessagesTokens } from "../tokens/count-messages.ts";
import { nextPrompt, priceRequest, priceView, sharedViewTokens } from "./next-request.ts";

const last: RequestRecord = {
  at: 0,
  modelId: "claude-sonnet-4-5",
  contextWindow: 10_000,
  allowedTokens: 8_000,
  version: 1,
  promptTokens: 3_000,
  overheadTokens: 1_000,
  arrivedTokens: 100,
  hiddenTokens: 0,
  tokenRatio: 2,
  tokens: { system: 400, tools: 600 },
  foldIds: [],
  decision: { policy: "rent", reason: "waits" },
  condenseUsd: 0,
};
const user: Message = { role: "user", content: "Read the file, please. ".repeat(20) };
const assistant: Message = { role: "assistant", content: "I will do that. ".repeat(10) };
const entry = createModelRegistry().find("claude-sonnet-4-5");

describe("the next request", () => {
  test("is the view beside system prompt and tools, and the parts are the whole window", () => {
    const { promptTokens, bar } = nextPrompt([user, assistant], last);
    expect(promptTokens).toBe(1_000 + 2 * countMessagesTokens([user, assistant]));
    expect(bar.map(({ category }) => category)).toEqual(["system", "tools", "user", "assistant", "free", "reserved"]);
    expect(bar.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(10_000);
    expect(bar.at(-1)).toEqual({ category: "reserved", tokens: 2_000 });
  });

  test("without a request before it has no window", () => {
    expect(nextPrompt([user], undefined).bar.map(({ category }) => category)).toEqual(["user"]);
    expect(nextPrompt([], undefined)).toEqual({ promptTokens: 0, bar: [] });
  });

  test("is cheaper where the provider still has its beginning", () => {
    const { cachedUsd = 0, coldUsd = 0 } = priceRequest(entry, {
      promptTokens: 1_000_000,
      sharedTokens: 1_000_000,
      outputTokens: 0,
    });
    const prices = entry.pricesUsdPerMillion;
    expect(prices.type === "metered" && cachedUsd < coldUsd).toBe(true);
    const unknown = createModelRegistry().find("nobody-knows-it");
    expect(priceRequest(unknown, { promptTokens: 10, sharedTokens: 0, outputTokens: 0 })).toEqual({});
  });

  test("shares with the last one what both views begin with", () => {
    expect(sharedViewTokens([user, assistant], [user, { ...assistant }, user])).toBe(
      countMessagesTokens([user, assistant]),
    );
    expect(sharedViewTokens([assistant], [user])).toBe(0);
    const context = { entry, last, lastView: [user], outputTokens: 10 };
    const goesOn = priceView([user, assistant], context);
    const isOther = priceView([assistant, user], context);
    expect(goesOn.promptTokens).toBe(isOther.promptTokens);
    expect(goesOn.cachedUsd ?? 0).toBeLessThan(isOther.cachedUsd ?? 0);
    expect(goesOn.coldUsd).toBe(isOther.coldUsd);
  });
});
