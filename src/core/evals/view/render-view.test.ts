import { describe, expect, test } from "vitest";
import { assistant, call, condense, log, result, user } from "../../../../test/support/messages.ts";
import { countViewTokens, renderView, viewLines } from "./render-view.ts";

describe("rendering a view", () => {
  test("shows who speaks on lines of their own, and content as it is", () => {
    const view = [
      user("Fix  it\n  please"),
      assistant("On it.", call("c1", "Edit", { path: "a.ts", old: "one\n  two", all: true, count: 4_000 })),
      user({ ...result("c1", "no match\r\nin a.ts"), is_error: true }),
    ];
    expect(renderView(view)).toBe(
      [
        "[user]\nFix  it\n  please",
        "[assistant]\nOn it.",
        "[call: Edit]\npath: a.ts\nold:\none\n  two\nall: true\ncount: 4000",
        "[result: error]\nno match\nin a.ts",
      ].join("\n"),
    );
  });

  test("names nested arguments by their path and leaves a text as it is", () => {
    const view = [
      assistant(call("c1", "MultiEdit", { edits: [{ old: "x" }, { old: "y" }] }), call("c2", "patch", "+ a")),
    ];
    expect(viewLines(view)).toEqual(["[call: MultiEdit]", "edits.0.old: x", "edits.1.old: y", "[call: patch]", "+ a"]);
  });

  test("leaves a text untouched", () => {
    expect(renderView("  a\n\nb ")).toBe("  a\n\nb ");
    expect(viewLines("")).toEqual([]);
  });

  test("shows of folded messages only what is sent", () => {
    const folded = condense(log(user("old secret"), assistant("noted"), user("go on")), "s1", ["m0", "m1"]);
    expect(renderView(folded)).toBe("[assistant]\nsummary s1\n[user]\ngo on");
    expect(countViewTokens(folded)).toBeLessThan(countViewTokens([...folded, user("more words")]));
  });

  test("renders an argument with more lines than a function takes arguments", () => {
    const content = "x\n".repeat(300_000);
    expect(viewLines([assistant(call("c1", "Write", { path: "a.ts", content }))])).toHaveLength(300_004);
  });

  test("survives arguments that contain themselves", () => {
    const input: Record<string, unknown> = { path: "a.ts" };
    input.self = input;
    expect(viewLines([assistant(call("c1", "Read", input))])).toContain("path: a.ts");
  });
});
