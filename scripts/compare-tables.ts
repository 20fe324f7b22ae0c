/** What one run of a bench printed, in this tree and in the other, one after the other. */
export interface BenchRound {
  readonly ours: string;
  readonly theirs: string;
}

interface PrintedLine {
  /** By what the same line is found in other runs: the table, the first cell, and which of several such lines it is. */
  readonly key: string;
  readonly text: string;
  readonly numbers: readonly PrintedNumber[];
}

interface PrintedNumber {
  readonly value: number;
  readonly start: number;
  readonly end: number;
}

/**
 * The tables as this tree printed them in the first round, with the median over all rounds of `ours ÷ theirs` in place of each number that
 * was measured. A number that is the same in every run, such as a size, is not a measurement and stays.
 */
export function compareTables(rounds: readonly BenchRound[]): string {
  const [first, ...others] = rounds.flatMap(({ ours, theirs }) => [ours, theirs]).map(readLines);
  if (first === undefined) return "";
  const runs = others.map((lines) => new Map(lines.map((line) => [line.key, line])));
  const unmatched: string[] = [];
  const compared = first.map((line) => {
    const found = runs.flatMap((lines) => lines.get(line.key) ?? []);
    const isComparable = found.every(({ numbers }) => numbers.length === line.numbers.length);
    if (found.length === runs.length && isComparable) return withRatios([line, ...found]);
    if (line.numbers.length > 0) unmatched.push(line.text.trim());
    return "";
  });
  const notes = unmatched.map((text) => `not in every run: ${text}`);
  return [...compared, ...(notes.length > 0 ? ["", ...notes] : [])].join("\n").replaceAll(/\n{3,}/g, "\n\n");
}

/** The line with the ratios in the columns of the numbers. Runs come in pairs: ours, theirs. */
function withRatios(runs: readonly PrintedLine[]): string {
  const [first] = runs;
  if (first === undefined) return "";
  let text = "";
  for (const [column, { start, end }] of first.numbers.entries()) {
    const values = runs.map(({ numbers }) => numbers[column]?.value ?? Number.NaN);
    const from = first.numbers[column - 1]?.end ?? 0;
    const shown = new Set(values).size === 1 ? first.text.slice(start, end) : ratioOf(values);
    // A ratio may be longer than its number: it takes the room from the spaces before it.
    const before = first.text.slice(from, start);
    const spare = Math.max(0, shown.length - (end - start));
    const kept = before.slice(0, Math.max(before.trimEnd().length + 1, before.length - spare));
    text += kept + shown.padStart(end - start);
  }
  return text + first.text.slice(first.numbers.at(-1)?.end ?? 0);
}

function ratioOf(values: readonly number[]): string {
  const ratios = values.flatMap((ours, index) => (index % 2 === 0 ? [ours / (values[index + 1] ?? Number.NaN)] : []));
  const sorted = ratios.filter((ratio) => Number.isFinite(ratio) && ratio > 0).toSorted((one, other) => one - other);
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]];
  // A difference that is once negative, or nothing, has no ratio.
  if (low === undefined || high === undefined || sorted.length < ratios.length) return "–";
  return `${((low + high) / 2).toFixed(2)}×`;
}

const NUMBER = /(?<![\w.,-])-?\d[\d,]*(?:\.\d+)?(?!\w)/g;

function readLines(output: string): readonly PrintedLine[] {
  const seen = new Map<string, number>();
  let title = "";
  let isAfterBlank = true;
  return output.split("\n").map((text) => {
    if (isAfterBlank && /^\S/.test(text)) title = text;
    isAfterBlank = text.trim() === "";
    const [label = ""] = text.trim().split(/\s{2,}/);
    const name = `${title}\n${label}`;
    const index = seen.get(name) ?? 0;
    seen.set(name, index + 1);
    return { key: `${name}\n${index}`, text, numbers: numbersIn(text, label) };
  });
}

/** The first cell names the line, also where it is a number. */
function numbersIn(text: string, label: string): readonly PrintedNumber[] {
  const labelEnd = text.indexOf(label) + label.length;
  return [...text.matchAll(NUMBER)].flatMap(({ 0: digits, index }) =>
    index < labelEnd ? [] : [{ value: Number(digits.replaceAll(",", "")), start: index, end: index + digits.length }],
  );
}
