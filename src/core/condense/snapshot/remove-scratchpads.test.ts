import { describe, expect, test } from "vitest";
import { removeScratchpads } from "./remove-scratchpads.ts";

describe("removeScratchpads", () => {
  test.each([
    ["leaves a reply without one as it is", " a <b> &amp; c\n", " a <b> &amp; c\n"],
    ["takes out each of several", "<scratchpad>x</scratchpad>a<scratchpad>y</scratchpad>b", " a b"],
    ["takes one inside another with it", "a<scratchpad>x<scratchpad>y</scratchpad>z</scratchpad>b", "a b"],
    ["takes out all that came before one that was never opened", "x <b>y</b></scratchpad>a", "a"],
    ["takes out what stood before others too", "x<scratchpad>y</scratchpad>z</scratchpad>a", "a"],
    ["never joins two halves of a tag", "</scratch<scratchpad>x</scratchpad>pad>", "</scratch pad>"],
    ["leaves other tags that only look like it", "<Scratchpad/><scratchpads>a</scratchpads>", undefined],
  ])("%s", (_, reply, expected = reply) => {
    expect(removeScratchpads(reply)).toEqual({ text: expected, isUnclosed: false });
  });

  test("takes out all that follows one that is never closed, and says so", () => {
    expect(removeScratchpads("a<scratchpad>x</b>")).toEqual({ text: "a", isUnclosed: true });
    expect(removeScratchpads("a<scratchpad>x<scratchpad>y</scratchpad>z")).toEqual({ text: "a", isUnclosed: true });
  });
});
