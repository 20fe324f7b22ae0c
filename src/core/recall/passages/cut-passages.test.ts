import fc from "fast-check";
import { expect, test } from "vitest";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { countTextTokens } from "../../tokens/o200k/count-text-tokens.ts";
import { cutPassages } from "./cut-passages.ts";

const slices = (text: string) => cutPassages(text).map(({ start, end }) => text.slice(start, end));

test("a short text is one passage", () => {
  expect(cutPassages("one\ntwo\n")).toEqual([{ start: 0, end: 7, firstLine: 1, lastLine: 2 }]);
});

test("a passage is whole lines of about 60 to 120 tokens", () => {
  const text = Array.from({ length: 400 }, (_, index) => `line ${index}: the quick brown fox jumps\n`).join("");
  const lines = new Set(text.split("\n"));
  const passages = slices(text);
  for (const passage of passages) expect(passage.split("\n").every((line) => lines.has(line))).toBe(true);
  for (const passage of passages.slice(0, -1)) {
    expect(countTextTokens(passage)).toBeGreaterThan(60);
    expect(countTextTokens(passage)).toBeLessThan(150);
  }
  expect(`${passages.join("\n")}\n`).toBe(text);
});

test("ends at a blank line once there is enough", () => {
  const paragraph = `${"some words of a paragraph that goes on\n".repeat(10)}\n`;
  expect(slices(paragraph.repeat(5))).toHaveLength(5);
});

test("names the lines that a passage covers", () => {
  const text = Array.from({ length: 100 }, (_, index) => `${index + 1} ${"word ".repeat(8)}`).join("\n");
  for (const { start, end, firstLine, lastLine } of cutPassages(text)) {
    const lines = text.slice(start, end).split("\n");
    expect(lines[0]).toMatch(new RegExp(`^${firstLine} `));
    expect(lines.at(-1)).toMatch(new RegExp(`^${lastLine} `));
  }
});

test("cuts only a line that is too long by itself, and between words", () => {
  const long = Array.from({ length: 900 }, (_, index) => `word${index}`).join(" ");
  const passages = slices(`first\n${long}\nlast`);
  expect(passages[0]).toBe("first");
  expect(passages.at(-1)).toBe("last");
  expect(passages.slice(1, -1).join("")).toBe(long);
  for (const passage of passages.slice(1, -1)) expect(passage.trim()).toMatch(/^word\d+( word\d+)*$/);
});

test("cuts a line of JSON where the text in it has line ends", () => {
  const rows = Array.from({ length: 60 }, (_, row) => `Row ${row}: the harbour code of buoy ${row} is ${row * 7_919}.`);
  const passages = slices(JSON.stringify([{ query: "cat notes.txt", result: rows.join("\n") }]));
  expect(passages.length).toBeGreaterThan(5);
  for (const row of rows.slice(1, -1)) expect(passages.filter((passage) => passage.includes(row))).toHaveLength(1);
});

test("never cuts a surrogate pair", () => {
  for (const passage of slices("😀".repeat(3_000))) expect(passage).toMatch(/^\p{Emoji}+$/u);
});

test("loses nothing but line ends and blank lines", () => {
  const line = fc.oneof(
    fc.string({ unit: "binary", maxLength: 60 }),
    fc.constantFrom("", "\r", "x".repeat(2_000), "語".repeat(500)),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 60 }), (lines) => {
      const text = lines.join("\n");
      let at = 0;
      for (const { start, end } of cutPassages(text)) {
        expect([start >= at, end >= start, text.slice(at, start).replace(/[\0- ]+/g, "")]).toEqual([true, true, ""]);
        at = end;
      }
      expect(text.slice(at).replace(/[\0- ]+/g, "")).toBe("");
    }),
    propertyRuns(150),
  );
});

test.each([["\n"], ["a\n"], ["a"], [" "], ["\r"]])("ten megabytes of %j are cut in proportion", (unit) => {
  expect(cutPassages(unit.repeat(10_000_000 / unit.length)).length).toBeLessThan(60_000);
});

test("what someone says in up to 160 tokens stays whole, longer texts are cut where sentences end", () => {
  const sentence = "The keeper of the lamp goes up the stairs each evening. ";
  const [whole, ...none] = cutPassages(`\n${sentence.repeat(10)}\n\n`, { isProse: true });
  expect(none).toEqual([]);
  expect(whole).toMatchObject({ start: 1, firstLine: 2, lastLine: 2 });
  const long = sentence.repeat(60);
  for (const { start, end } of cutPassages(long, { isProse: true }).slice(0, -1)) {
    expect(long.slice(start, end).trimEnd().endsWith("evening.")).toBe(true);
  }
  expect(cutPassages(sentence.repeat(10)).length).toBeGreaterThan(1);
});
