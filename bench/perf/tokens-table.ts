/** Prints what bench/perf/tokens.ts measured. */
import type { ColdStartRow, GrowthRow, ThroughputRow, TokensReport } from "./tokens.ts";
import { COUNTER_NAMES, OURS } from "./tokens-peers.ts";

export function printTokensReport({ throughput, coldStart, growth }: TokensReport): void {
  printThroughput(throughput);
  printColdStart(coldStart);
  printGrowth(growth);
}

function printThroughput(rows: readonly ThroughputRow[]): void {
  console.log(`\nCounting o200k_base tokens: MB/s, median of rounds, each on new text`);
  console.log("(where a counter cannot do the whole text in time: the characters it was given; ≠: its count differs)");
  printByCorpus(rows, speedCell);
  console.log("\nThe same in thousands of tokens per second");
  printByCorpus(rows, ({ tokensPerSecond }) => Math.round(tokensPerSecond / 1e3).toLocaleString("en"));
}

function printByCorpus(rows: readonly ThroughputRow[], cell: (row: ThroughputRow) => string): void {
  console.log(line(["", ...COUNTER_NAMES, "ours ÷ fastest"]));
  for (const corpus of new Set(rows.map((row) => row.corpus))) {
    const ownRows = rows.filter((row) => row.corpus === corpus);
    const ours = ownRows.find((row) => row.counter === OURS);
    const fastest = Math.max(...ownRows.filter((row) => row !== ours).map((row) => row.megabytesPerSecond));
    const ratio = (ours?.megabytesPerSecond ?? Number.NaN) / fastest;
    console.log(line([corpus, ...ownRows.map(cell), `${ratio.toFixed(1)} ×`]));
  }
}

function speedCell({ megabytesPerSecond, characters, wholeCharacters, differingRounds }: ThroughputRow): string {
  const speed = megabytesPerSecond.toFixed(megabytesPerSecond < 1 ? 3 : 1);
  const size = characters < wholeCharacters ? ` (${Math.round(characters / 1e3)}k)` : "";
  return `${speed}${size}${differingRounds > 0 ? " ≠" : ""}`;
}

function printColdStart(rows: readonly ColdStartRow[]): void {
  console.log(`\nFrom import to the first count, in a fresh process, median`);
  console.log(line(["", ...rows.map((row) => row.counter)]));
  console.log(line(["ms", ...rows.map((row) => row.firstCountMs.toFixed(0))]));
  console.log(line(["MB of memory added", ...rows.map((row) => row.rssMb.toFixed(0))]));
}

function printGrowth(rows: readonly GrowthRow[]): void {
  console.log("\nOurs on unbroken runs, ms: ten times the text should take ten times as long");
  console.log(line(["", "1 MB", "10 MB", "ratio"]));
  for (const { run, oneMegabyteMs, tenMegabytesMs } of rows) {
    const ratio = tenMegabytesMs / oneMegabyteMs;
    console.log(line([run, oneMegabyteMs.toFixed(1), tenMegabytesMs.toFixed(1), ratio.toFixed(1)]));
  }
}

function line([first = "", ...cells]: readonly string[]): string {
  return first.padEnd(20) + cells.map((cell) => cell.padStart(16)).join("");
}
