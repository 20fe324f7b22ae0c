import { expect, test } from "vitest";
import { compareTables } from "./compare-tables.ts";

const table = (first: string, second: string, rate: string) => `
Views of a session, times in ms
            messages          tokens         append
                1000          204625${first.padStart(15)}
               10000         2050421${second.padStart(15)}

Requests (2000 each)
bare proxy              ${rate}
`;

test("prints ratios in the columns of what was measured, and leaves sizes as they are", () => {
  const ours = table("2.20", "0.0030", "1,100");
  const theirs = table("2.00", "0.0060", "1,000");
  expect(compareTables([{ ours, theirs }])).toBe(`
Views of a session, times in ms
            messages          tokens         append
                1000          204625          1.10×
               10000         2050421          0.50×

Requests (2000 each)
bare proxy              1.10×
`);
});

test("of several rounds the median counts, so that one disturbed round decides nothing", () => {
  const rounds = [
    { ours: table("2", "1", "1"), theirs: table("1", "1", "1") },
    { ours: table("90", "1", "1"), theirs: table("1", "1", "1") },
    { ours: table("3", "1", "1"), theirs: table("1", "1", "1") },
  ];
  expect(compareTables(rounds)).toContain("204625          3.00×");
});

test("names rows that one tree does not print, and compares the rest", () => {
  const ours = `${table("2", "2", "2")}folding on               7\n`;
  const compared = compareTables([{ ours, theirs: table("1", "1", "1") }]);
  expect(compared).toContain("bare proxy          2.00×");
  expect(compared).toContain("not in every run: folding on               7");
});

test("lines of the same name are told apart by their table and their order", () => {
  const two = (one: number, other: number) => `One\nrow     ${one}\n\nOther\nrow     ${other}\nrow     ${other * 2}\n`;
  expect(compareTables([{ ours: two(2, 3), theirs: two(1, 1) }])).toBe(
    "One\nrow 2.00×\n\nOther\nrow 3.00×\nrow 3.00×\n",
  );
});

test("a difference that is negative has no ratio", () => {
  expect(compareTables([{ ours: "Added\nrow     -0.5\n", theirs: "Added\nrow      0.5\n" }])).toBe(
    "Added\nrow        –\n",
  );
});
