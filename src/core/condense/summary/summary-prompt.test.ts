import { expect, test } from "vitest";
import { SUMMARY_MAX_OUTPUT_TOKENS, SUMMARY_PARTS, SUMMARY_PROMPT, SUMMARY_TEMPERATURE } from "./summary-prompt.ts";

test("the default prompt asks for six parts, numbered and in order", () => {
  expect(SUMMARY_PARTS).toEqual([
    "Previous conversation",
    "Current work",
    "Key technical concepts",
    "Relevant files and code",
    "Problem solving",
    "Pending tasks and next steps",
  ]);
  const numbered = [...SUMMARY_PROMPT.matchAll(/^(\d)\. ([^:]+):/gm)].map(([, number, part]) => `${number} ${part}`);
  expect(numbered).toEqual(SUMMARY_PARTS.map((part, index) => `${index + 1} ${part}`));
});

test("the last part asks for verbatim quotes of where the work stopped", () => {
  expect(SUMMARY_PROMPT).toMatch(
    /^6\. .*Quote the last instruction and the point where the work stopped word for word/m,
  );
});

test("the default prompt aims at 70 to 90 % fewer tokens", () => {
  expect(SUMMARY_PROMPT).toContain("a tenth to three tenths of the original length");
});

test("a summary is asked for at temperature 0.3, with 4,000 output tokens at most", () => {
  expect([SUMMARY_TEMPERATURE, SUMMARY_MAX_OUTPUT_TOKENS]).toEqual([0.3, 4_000]);
});
