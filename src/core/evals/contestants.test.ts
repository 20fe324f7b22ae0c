import { describe, expect, test } from "vitest";
import { user } from "../../../test/support/messages.ts";
import { oracleView } from "./contestants.ts";
import { measureView } from "./measures/measure-view.ts";
import { indexSourceLines } from "./measures/source-lines.ts";
import { viewLines } from "./view/render-view.ts";

function questions(text: string, identifiers: readonly string[], editLines: readonly string[] = []) {
  const asked = new Set(identifiers);
  return { source: indexSourceLines([user(text)], asked), identifiers: asked, editLines: new Set(editLines) };
}

describe("the oracle", () => {
  test("takes the line that covers most for least, then lines of edits", () => {
    const asked = questions(
      "a_one is far from here\nuse a_one b_two\nuse b_two alone here\nc_three too",
      ["a_one", "b_two"],
      ["c_three too"],
    );
    expect(oracleView(asked, 100)).toBe("use a_one b_two\nc_three too");
  });

  test("takes no more than fits", () => {
    const asked = questions("use a_one now\nuse b_two now", ["a_one", "b_two"]);
    expect(viewLines(oracleView(asked, 6))).toHaveLength(1);
    expect(oracleView(asked, 1)).toBe("");
  });

  test("carries an identifier out of a line of a megabyte in a few tokens", () => {
    const asked = questions(`${"lorem ipsum ".repeat(50_000)}a_one${" dolor sit".repeat(50_000)}`, ["a_one"]);
    const view = oracleView(asked, 60);
    expect(measureView(viewLines(view), asked).carried).toEqual(new Set(["a_one"]));
  });

  test("has nothing to show where nothing is asked", () => {
    expect(oracleView(questions("use a_one now", []), 100)).toBe("");
  });
});
