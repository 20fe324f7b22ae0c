import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import { pointSpans, referredPoints } from "./named-points.ts";

describe("a short request", () => {
  test.each<[string, readonly string[]]>([
    ["ignore A, do B, C, D and E too", ["A", "B", "C", "D", "E"]],
    ["a and c please", ["A", "C"]],
    ["option 2", ["2"]],
    ["#3 first, then 1.", ["3", "1"]],
    ["(b)", ["B"]],
  ])("names points by their labels: %j", (said, labels) => {
    expect(referredPoints(said)).toEqual({ type: "labels", labels });
  });

  test.each([
    ...["fix both", "fix all 11 issues", "the first two", "all of them", "do them all", "fix all", "the second one"],
    ...["everything but 3", "1-3 please", "B to D", "your suggestions sound right", "the last", "apply the rest"],
  ])("speaks of several points without their labels: %j", (said) => {
    expect(referredPoints(said)).toEqual({ type: "all" });
  });

  test.each([
    ...["And the harbour?", "A test fails now", "write it in C++", "e.g. a lamp", "use version 2.5", "run all tests"],
    ...["why is the last commit red?", "go on", "it's at 50%"],
  ])("speaks of no point: %j", (said) => {
    expect(referredPoints(said)).toBeUndefined();
  });
});

describe("the points of a text", () => {
  const ALL = { type: "all" } as const;
  const points = (text: string, labels?: readonly string[]) =>
    pointSpans(text, labels === undefined ? ALL : { type: "labels", labels }, 1_000).map(({ start, end }) =>
      text.slice(start, end),
    );

  test.each<[string, string, readonly string[]]>([
    ["numbers", "Open:\n1. fuse\n2) lamp\n\nShall I?", ["1. fuse", "2) lamp"]],
    ["letters in bold", "**A. Fuse.** Hums.\n\n**B.** Lamp.\n\nMore.", ["**A. Fuse.** Hums.", "**B.** Lamp."]],
    [
      "headings",
      "### 1. Fuse\n\nHums.\n\nLoud.\n### Option B: lamp\nLit.\n## End",
      ["### 1. Fuse\n\nHums.\n\nLoud.", "### Option B: lamp\nLit."],
    ],
    ["rows of a table", "| # | what |\n|---|---|\n| 1 | fuse |\n| 2 | lamp |", ["| 1 | fuse |", "| 2 | lamp |"]],
    ["bullets where nothing is labelled", "- fuse\n- lamp\n\nMore.", ["- fuse", "- lamp"]],
    [
      "labels, with what is nested in them",
      "1. fuse\n   - hums\n   a. loud\n2. lamp",
      ["1. fuse\n   - hums\n   a. loud", "2. lamp"],
    ],
    [
      "labels, with their code",
      "A. fuse\n```sh\n# 1. no heading\n```\nB. lamp",
      ["A. fuse\n```sh\n# 1. no heading\n```", "B. lamp"],
    ],
  ])("are found by %s", (_, text, expected) => {
    expect(points(text)).toEqual(expected);
  });

  test("are those that were named", () => {
    expect(points("1. fuse\n2. lamp\n3. mast", ["3", "1", "9"])).toEqual(["1. fuse", "3. mast"]);
  });

  test("are none where only one is listed", () => {
    expect(points("1. fuse\n\nAll else is well.")).toEqual([]);
  });

  test("are cut between words where they are long; what short ones leave is for the long ones", () => {
    const text = `A. fuse\nB. ${"lamp ".repeat(500)}\nC. ${"mast ".repeat(500)}`;
    const [first = "", ...long] = points(text);
    expect(first).toBe("A. fuse");
    for (const each of long) {
      expect(each.length).toBeGreaterThan(480);
      expect(each).toMatch(/(?:lamp|mast)$/);
    }
  });

  test("lie in the text in order, apart, and within the bound", () => {
    const line = fc.constantFrom(
      ...[
        "1. fuse",
        "  a. lamp hums",
        "**B. mast**",
        "## 2. ropes",
        "## End",
        "- plank",
        "| 3 | oar |",
        "```",
        "",
        "words 🧭🧭",
      ],
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), fc.nat(200), (lines, maxCharacters) => {
        const text = lines.join("\n");
        const spans = pointSpans(text, ALL, maxCharacters);
        const sizes = spans.map(({ start, end }) => end - start);
        expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(maxCharacters);
        expect(spans.every(({ start }, index) => start >= (spans[index - 1]?.end ?? 0))).toBe(true);
        expect(spans.every(({ start, end }) => start < end && !/\p{Cs}/u.test(text.slice(start, end)))).toBe(true);
      }),
      PROPERTY_RUNS,
    );
  });
});
