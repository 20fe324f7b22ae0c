import { describe, expect, test } from "vitest";
import { PalimpsestError } from "../../errors.ts";
import { findSplitPoint, type SplitTurn } from "./split-point.ts";

/** Turns out of words: "u10" is a user's turn of 10 characters, "r" a result, "m" a reply, "c" a reply with a call. */
function turns(outline: string): readonly SplitTurn[] {
  return outline
    .split(" ")
    .filter((word) => word !== "")
    .map((word) => ({
      characters: Number(word.slice(1)),
      isSplit: word.startsWith("u"),
      isClosed: word.startsWith("m"),
    }));
}

describe("the split point", () => {
  test.each<[string, string, number, number]>([
    ["is the first user turn with the fraction before it", "u10 m60 u10 m10 u5 m5", 0.7, 2],
    ["counts what lies before a turn, not the turn itself", "u10 m59 u11 m10 u5 m5", 0.7, 4],
    ["takes a split at exactly the fraction", "u10 m45 u35 m5 u5", 0.55, 2],
    ["passes over a user turn that answers a call", "u10 c70 r5 m5 u5 m5", 0.7, 4],
    ["passes over the model's turns", "u10 m80 m5 u5", 0.7, 3],
    ["is never 0 for a positive fraction, however small", "u10 m10 u10", 0.001, 2],
    ["keeps only the last turn of talk where that reaches the fraction", "u10 m60 u30", 0.7, 2],
  ])("%s", (_, outline, fraction, expected) => {
    expect(findSplitPoint(turns(outline), fraction)).toBe(expected);
  });
});

describe("where no split lies at or past the fraction", () => {
  test.each<[string, string, number]>([
    ["everything goes when the model's last turn calls nothing", "u10 m20 u10 m60", 4],
    ["everything goes, a long tool loop included, once it has ended", "u10 c20 r30 c20 r30 m5", 6],
    ["the last split counts while a call is pending", "u10 m20 u10 c60", 2],
    ["the last split counts while a result waits for the model", "u10 m20 u10 c10 r50", 2],
    ["the last split counts when the user speaks last, too early", "u10 m20 u10 m20 u90", 4],
    ["nothing goes out of one prompt and its running tool loop", "u10 c20 r30 c20", 0],
    ["nothing goes out of a single prompt", "u10", 0],
    ["a single reply goes", "m10", 1],
    ["nothing goes out of nothing", "", 0],
    ["nothing goes out of calls and results alone", "c5 r5", 0],
  ])("%s", (_, outline, expected) => {
    expect(findSplitPoint(turns(outline), 0.7)).toBe(expected);
  });
});

test.each([0, 1, -0.1, 1.1, Number.NaN, Number.POSITIVE_INFINITY])("refuses a fraction of %s", (fraction) => {
  expect(() => findSplitPoint(turns("u1 m1"), fraction)).toThrow(PalimpsestError);
  expect(() => findSplitPoint([], fraction)).toThrow(/fraction is .* above 0 and below 1/);
});
