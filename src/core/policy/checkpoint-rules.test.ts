import { describe, expect, test } from "vitest";
import { decideCheckpoint } from "./checkpoint-rules.ts";

const last = { at: 1_000_000, phase: "planning" };
const little = { messages: 1, tokens: 10 };

function due(now: Partial<typeof last>, growth: Partial<typeof little> = {}) {
  return decideCheckpoint({ last, now: { ...last, ...now }, growth: { ...little, ...growth } });
}

describe("a checkpoint is due", () => {
  test("ten minutes after the last one", () => {
    expect(due({ at: last.at + 599_999 })).toBeUndefined();
    expect(due({ at: last.at + 600_000 })).toBe("interval");
  });

  test("when the phase changes, also where nothing was said", () => {
    expect(due({ phase: "executing" }, { messages: 0, tokens: 0 })).toBe("phase");
  });

  test("every 50 messages, and at 100,000 tokens", () => {
    expect(due({}, { messages: 49 })).toBeUndefined();
    expect(due({}, { messages: 50 })).toBe("messages");
    expect(due({}, { tokens: 99_999 })).toBeUndefined();
    expect(due({}, { tokens: 100_000 })).toBe("tokens");
  });

  test("never by time alone where nothing is new", () => {
    expect(due({ at: last.at + 10_000_000 }, { messages: 0, tokens: 0 })).toBeUndefined();
  });

  test("by other numbers where they are given", () => {
    const rules = { intervalMs: 5, messages: 2, tokens: 7 };
    expect(decideCheckpoint({ last, now: last, growth: { messages: 2, tokens: 0 } }, rules)).toBe("messages");
  });
});
