import { describe, expect, test, vi } from "vitest";
import { good, handler, unchecked } from "../../../test/support/handlers.ts";
import { assistant, call, text, user } from "../../../test/support/messages.ts";
import type { Content } from "../../core/message/message.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import { countTextTokens } from "../../core/tokens/o200k/count-text-tokens.ts";
import { createHandlerGauge } from "./handler-gauge.ts";

const SYSTEM = "You are careful.";
const VIEW = [user("What is in a.ts?"), assistant("I look.", call("c1"))];
const OURS = countTextTokens(SYSTEM) + countMessagesTokens(VIEW);

const gaugeWith = (countTokens: unknown) => createHandlerGauge(handler(good, { countTokens: unchecked(countTokens) }));

describe("a prompt", () => {
  test("is asked for once, the system prompt and all blocks in order", async () => {
    const counted: Content[] = [];
    const gauge = gaugeWith((content: Content) => {
      counted.push(content);
      return 123;
    });
    expect(await gauge.measurePrompt(SYSTEM, VIEW)).toBe(123);
    expect(counted).toEqual([[text(SYSTEM), text("What is in a.ts?"), text("I look."), call("c1")]]);
  });

  test("has the count that a handler promises", async () => {
    expect(await gaugeWith(async () => 77).measurePrompt(SYSTEM, VIEW)).toBe(77);
  });

  test.each([
    ["has no counter", undefined],
    ["has something else for a counter", 5],
    [
      "throws",
      () => {
        throw new Error("offline");
      },
    ],
    ["rejects", () => Promise.reject(new Error("offline"))],
    ["counts NaN", () => Number.NaN],
    ["counts less than nothing", () => -1],
    ["counts in words", () => "many"],
  ])("has our own count where the handler %s", async (_, countTokens) => {
    const gauge = gaugeWith(countTokens);
    expect(await gauge.measurePrompt(SYSTEM, VIEW)).toBe(OURS);
    expect(await gauge.measureMessage(user("What is in a.ts?"))).toBe(countTextTokens("What is in a.ts?"));
  });

  test("has our own count where the handler never answers", async () => {
    vi.useFakeTimers();
    try {
      const measured = gaugeWith(() => new Promise(() => {})).measurePrompt(SYSTEM, VIEW);
      await vi.advanceTimersByTimeAsync(10_000);
      expect(await measured).toBe(OURS);
    } finally {
      vi.useRealTimers();
    }
  });

  test("of nothing asks nobody", async () => {
    expect(await gaugeWith(() => 99).measurePrompt("", [])).toBe(0);
    expect(await gaugeWith(() => 99).measureMessage(user(""))).toBe(0);
  });
});
