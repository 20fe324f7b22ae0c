import { describe, expect, test } from "vitest";
import { assistant, call, result, text, user } from "../../../test/support/messages.ts";
import { countMessagesTokens } from "./count-messages.ts";
import { usageDoubt } from "./plausible-usage.ts";

const WORDS = "The quick brown fox jumps over the lazy dog near the river bank. ".repeat(200);
const MESSAGES = [user(WORDS), assistant(call("t", "read", { path: "a" })), user(result("t", WORDS))];
const COUNTED = countMessagesTokens(MESSAGES);

const doubt = (reportedTokens: number, overheadTokens = 0) =>
  usageDoubt(reportedTokens, { messages: MESSAGES, overheadTokens });

describe("a report", () => {
  test.each([0.55, 1, 1.6, 2.4])("of %d times our count is believed", (share) => {
    expect(doubt(share * COUNTED)).toBeUndefined();
  });

  test.each([0, -10, Number.NaN, Number.POSITIVE_INFINITY])("of %d tokens is no count", (tokens) => {
    expect(doubt(tokens)).toBe("no-count");
  });

  test("of less than any tokenizer makes is doubted", () => {
    expect(doubt(10)).toBe("too-few");
    expect(doubt(0.45 * COUNTED)).toBe("too-few");
  });

  test("on a small prompt is not doubted for being short", () => {
    expect(usageDoubt(1, { messages: [user(WORDS.slice(0, 4_000))], overheadTokens: 0 })).toBeUndefined();
  });

  test("of more than any tokenizer makes is doubted, but for what providers add to small prompts", () => {
    expect(doubt(1e15)).toBe("too-many");
    expect(doubt(2.6 * COUNTED + 4_001)).toBe("too-many");
    expect(usageDoubt(3_000, { messages: [user("hi")], overheadTokens: 0 })).toBeUndefined();
  });

  test("covers system prompt and tools", () => {
    expect(doubt(0.55 * COUNTED, 20_000)).toBe("too-few");
    expect(doubt(2.4 * (COUNTED + 20_000), 20_000)).toBeUndefined();
  });

  test("may leave out reasoning, which providers drop, and media, which they count in their own ways", () => {
    const thinking = assistant({ type: "reasoning", text: WORDS.repeat(3) }, text("Done."));
    const known = { messages: [...MESSAGES, thinking], overheadTokens: 0 };
    expect(usageDoubt(COUNTED, known)).toBeUndefined();
    expect(usageDoubt(0.3 * COUNTED, known)).toBe("too-few");
  });
});
