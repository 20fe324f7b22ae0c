import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyText } from "../../../test/support/layered-states.ts";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { extractCriteria } from "./extract-criteria.ts";
import { createInitialState } from "./state/initial-state.ts";

const found = (task: string) => extractCriteria(task).map(({ description }) => description);

describe("a sentence", () => {
  test.each([
    "The page must load within 2 s",
    "Responses should be cached",
    "You have to keep the old API",
    "Every handler needs to log its errors",
    "Ensure that no key is printed",
    "Make sure the button is blue",
    "Verify that the export opens in Excel",
    "Never touch the migrations",
    "Do not add a package",
    "The endpoint is expected to answer in JSON",
    "All tests pass",
    "npm test passes without warnings",
    "The build is green",
    "The code compiles",
    "Die Seite muss ohne Anmeldung laden",
    "Le bouton doit rester bleu",
    "La página debe cargar",
    "Кнопка должна быть синей",
    "必须保留旧接口",
  ])("demands something: %s", (sentence) => {
    expect(found(`Fix the login page of the shop. ${sentence}. Thanks for the help.`)).toEqual([sentence]);
  });

  test.each([
    "Fix the login page.",
    "The service runs on two machines.",
    "Should we use Redis?",
    "I wrote a test yesterday.",
    "The compiler is slow.",
    "",
    " \n\t ",
  ])("demands nothing: %j", (sentence) => {
    expect(found(sentence)).toEqual([]);
  });

  test("goes over the lines of its paragraph, and ends where it ends", () => {
    expect(found("The export must open\nin Excel, e.g. in version 16.\nIt is used daily.")).toEqual([
      "The export must open in Excel, e.g. in version 16",
    ]);
  });
});

describe("a point of a list", () => {
  test.each([
    ["- ", "-"],
    ["* ", "*"],
    ["1. ", "1."],
    ["2) ", "2)"],
    ["(a) ", "(a)"],
    ["- [ ] ", "an open box"],
  ])("that demands something is a criterion, after %j", (marker) => {
    expect(found(`Fix the shop:\n\n${marker}Remove the old banner.\n${marker}Only admins see the report`)).toEqual([
      "Remove the old banner",
      "Only admins see the report",
    ]);
  });

  test.each([
    "## Acceptance criteria",
    "Requirements:",
    "**Definition of done**",
    "It is done when:",
    "The page should:",
  ])("is a criterion whatever it says under %j", (heading) => {
    expect(
      found(`Background:\n- a shop with users\n\n${heading}\n\n- dark mode in the footer\n- a blue button`),
    ).toEqual(expect.arrayContaining(["dark mode in the footer", "a blue button"]));
    expect(found(`Background:\n- a shop with users\n\n${heading}\n`)).not.toContain("a shop with users");
  });

  test("may go over several lines, and is one criterion", () => {
    expect(found("- Keep the order of the\n  columns. They must not move.\n- Fix the title")).toEqual([
      "Keep the order of the columns. They must not move",
      "Fix the title",
    ]);
  });

  test("that is ticked off, a question or code is none", () => {
    const code = "```sh\n- must not be read\n```";
    expect(found(`Requirements:\n- [x] Add the route\n- Should it be blue?\n${code}\n- Add the page`)).toEqual([
      "Add the page",
    ]);
  });
});

test.each([
  ["All tests pass", true],
  ["The page must load in under 2 s", true],
  ["Coverage must be at least 80 %", true],
  ["The command must exit with code 0", true],
  ["The bundle should stay below 60 KB", true],
  ["The text should be friendly", false],
  ["Ensure that errors are readable", false],
])("%s: measurable is %s", (sentence, measurable) => {
  expect(extractCriteria(sentence)).toEqual([{ description: sentence, measurable }]);
});

test("what is demanded twice is one criterion; long ones are cut, and there are fifty at most", () => {
  expect(found("All tests must pass. ALL TESTS MUST PASS!\n- all tests must pass")).toHaveLength(1);
  expect(found(`It must ${"x".repeat(1_000)}`)[0]).toHaveLength(300);
  expect(found(Array.from({ length: 80 }, (_, index) => `- Add the page ${index}`).join("\n"))).toHaveLength(50);
});

test("criteria of any text make a state, and come out the same each time", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const successCriteria = extractCriteria(text);
      expect(extractCriteria(text)).toEqual(successCriteria);
      expect(createInitialState({ goal: "Ship", successCriteria }).l1_task.successCriteria).toEqual(successCriteria);
      for (const { description } of successCriteria) expect(description.trim()).not.toBe("");
    }),
    propertyRuns(100),
  );
});
