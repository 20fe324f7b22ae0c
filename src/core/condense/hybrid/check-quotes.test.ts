import { expect, test } from "vitest";
import { checkQuotes } from "./check-quotes.ts";

const SOURCES = ["Please never touch the billing code.\nUse port 7717 only.", "TypeError: keys is not iterable"];

test("a quote that a source holds keeps its marks", () => {
  const text = 'The person said "never touch the billing code" and “use port 7717 only”.';
  expect(checkQuotes(text, SOURCES)).toBe(text);
});

test("a quote that no source holds loses them", () => {
  expect(checkQuotes('They said "always touch the billing code".', SOURCES)).toBe(
    "They said always touch the billing code.",
  );
});

test("white space, the marks at its ends and what is left out may differ", () => {
  const text = 'They said "Please never touch the billing code. Use port 7717!" and "Please … 7717 only".';
  expect(checkQuotes(text, SOURCES)).toBe(text);
});

test("a quote across two sources was said by nobody", () => {
  expect(checkQuotes('"port 7717 only … keys is not iterable"', SOURCES)).toBe("port 7717 only … keys is not iterable");
});

test("code keeps its own quotation marks, and so do names", () => {
  const text = 'Run `echo "nobody said this"` for "x".\n```\nprint("nobody said this")\n```';
  expect(checkQuotes(text, SOURCES)).toBe(text);
});
