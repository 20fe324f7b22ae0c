import { describe, expect, test } from "vitest";
import { assistant, user } from "../../../test/support/messages.ts";
import type { Content } from "../message/message.ts";
import { tokenValidator } from "./token-validator.ts";

const characters = (content: Content) => content.length;
const view = (length: number) => [user("x".repeat(length))];
const judge = (before: number, after: number, minSavingPercent?: number) =>
  tokenValidator({ countTokens: characters, ...(minSavingPercent === undefined ? {} : { minSavingPercent }) }).validate(
    view(before),
    view(after),
    "",
  );

describe("tokenValidator", () => {
  test("accepts what saves a fifth, scored by the saved share", () => {
    expect(judge(100, 80)).toEqual({ isValid: true, issues: [], score: 0.2 });
    expect(judge(100, 10)).toMatchObject({ isValid: true, score: 0.9 });
  });

  test("refuses what saves less, saying how much", () => {
    expect(judge(100, 81)).toMatchObject({ isValid: false, score: 0.19 });
    expect(judge(100, 81).issues).toEqual(["It saves 19.0 % of 100 tokens; at least 20 % are demanded."]);
  });

  test("refuses a view that does not shrink, even where no saving is demanded", () => {
    expect(judge(100, 100, 0)).toMatchObject({ isValid: false, score: 0 });
    expect(judge(100, 500, 0)).toMatchObject({ isValid: false, score: 0 });
    expect(judge(0, 0, 0)).toMatchObject({ isValid: false, score: 0 });
    expect(judge(100, 99, 0)).toMatchObject({ isValid: true });
  });

  test("counts real tokens by default", () => {
    const verdict = tokenValidator().validate([user("one two three four")], [assistant("one")], "one");
    expect(verdict).toEqual({ isValid: true, issues: [], score: 0.75 });
  });

  test.each([-1, 101, null])("rejects a minSavingPercent of %s", (minSavingPercent) => {
    expect(() => tokenValidator(JSON.parse(JSON.stringify({ minSavingPercent })))).toThrow(/minSavingPercent/);
  });
});
