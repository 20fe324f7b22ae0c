import { describe, expect, test } from "vitest";
import { chat, condense, tag, user } from "../../../test/support/messages.ts";
import { effectiveView } from "../message/effective-view.ts";
import type { Content, Message } from "../message/message.ts";
import { countMessagesTokens } from "../tokens/count-messages.ts";
import { truncateConversation } from "../truncate/truncate-conversation.ts";
import { trackView } from "./track-view.ts";

function countingCounter() {
  let calls = 0;
  const countTokens = (content: Content) => {
    calls += 1;
    return content.length;
  };
  return { countTokens, calls: () => calls };
}

function expectInStep(tracker: ReturnType<typeof trackView>, messages: readonly Message[]) {
  const { countTokens } = countingCounter();
  expect(tracker.log()).toEqual(messages);
  expect(tracker.view()).toEqual(effectiveView(messages));
  expect(tracker.tokens()).toBe(countMessagesTokens(effectiveView(messages), countTokens));
}

describe("a tracked view", () => {
  test("is the effective view of the log and its size after each append", () => {
    const { countTokens } = countingCounter();
    const tracker = trackView([], countTokens);
    for (const [index, message] of chat(8).entries()) {
      tracker.append(message);
      expectInStep(tracker, chat(8).slice(0, index + 1));
    }
  });

  test("counts each message once, however long the log grows", () => {
    const { countTokens, calls } = countingCounter();
    const tracker = trackView(chat(1_000), countTokens);
    expect(calls()).toBe(1_000);
    tracker.append(user("one more"));
    expect(calls()).toBe(1_001);
  });

  test("follows a log that was folded, and counts only what the fold added", () => {
    const { countTokens, calls } = countingCounter();
    const messages = chat(100);
    const tracker = trackView(messages, countTokens);
    const truncated = truncateConversation(messages, 0.5, "task").messages;
    tracker.replace(truncated);
    expectInStep(tracker, truncated);
    expect(calls()).toBe(101);
  });

  test("hides what an appended summary stands for", () => {
    const { countTokens } = countingCounter();
    const condensed = condense(chat(4), "s1", ["m1", "m2", "m3"]);
    const [first, ...rest] = condensed;
    const tracker = trackView(first === undefined ? [] : [first], countTokens);
    for (const message of rest) tracker.append(message);
    expectInStep(tracker, condensed);
  });

  test("leaves the caller's arrays alone", () => {
    const { countTokens } = countingCounter();
    const messages = chat(3);
    trackView(messages, countTokens).append(user("more"));
    expect(messages).toHaveLength(3);
  });
});

test("a message that is none is refused before anything changes", () => {
  const tracker = trackView(chat(2), countingCounter().countTokens);
  const broken: Message = tag(user("x"), { ts: Number.NaN });
  expect(() => tracker.append(broken)).toThrow(expect.objectContaining({ code: "invalid-message" }));
  expectInStep(tracker, chat(2));
});
