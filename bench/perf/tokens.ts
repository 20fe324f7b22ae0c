/** The token counter against the packages that people use: speed, cold start, and growth on long runs. */
import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { base64Corpus, cjkCorpus, codeCorpus, jsonCorpus, oneLetterCorpus, proseCorpus } from "./corpora.ts";
import { COUNTER_NAMES, type CountText, loadCounter, OURS } from "./tokens-peers.ts";

export interface ThroughputRow {
  readonly corpus: string;
  readonly counter: string;
  /** Less than the others where a counter is quadratic: the longest text that it counts within the time limit. */
  readonly characters: number;
  readonly megabytesPerSecond: number;
  readonly tokensPerSecond: number;
  /** Rounds in which the count differed from ours. */
  readonly differingRounds: number;
}

export interface ColdStartRow {
  readonly counter: string;
  readonly firstCountMs: number;
  readonly rssMb: number;
}

export interface GrowthRow {
  readonly run: string;
  readonly oneMegabyteMs: number;
  readonly tenMegabytesMs: number;
}

export interface TokensReport {
  readonly throughput: readonly ThroughputRow[];
  readonly coldStart: readonly ColdStartRow[];
  readonly growth: readonly GrowthRow[];
}

const ROUNDS = 5;
const CHARACTERS = 400_000;
const MAX_COUNT_MS = 600;

/** Measures everything in this one run, prints it, and returns it as data. */
export async function benchTokens(): Promise<TokensReport> {
  const report = {
    coldStart: measureColdStart(),
    throughput: await measureThroughput(),
    growth: await measureGrowth(),
  };
  printThroughput(report.throughput);
  printColdStart(report.coldStart);
  printGrowth(report.growth);
  return report;
}

/** Each corpus as one text per round, so that no counter profits from having seen the text before. */
function buildCorpora(): ReadonlyMap<string, readonly string[]> {
  const rounds = (make: (characters: number, seed: number) => string) =>
    Array.from({ length: ROUNDS }, (_, round) => make(CHARACTERS, round + 1));
  const corpora = new Map<string, readonly string[]>([
    ["English", rounds(proseCorpus)],
    ["TypeScript", rounds(codeCorpus)],
    ["JSON", rounds(jsonCorpus)],
    ["CJK", rounds(cjkCorpus)],
    ["base64", rounds(base64Corpus)],
    ["one letter", rounds(oneLetterCorpus)],
  ]);
  const transcripts = readTranscripts();
  if (transcripts) corpora.set("transcripts", transcripts);
  return corpora;
}

function readTranscripts(): readonly string[] | undefined {
  const { PALIMPSEST_DATA = resolve(import.meta.dirname, "../../../shared/data") } = process.env;
  const files = existsSync(PALIMPSEST_DATA) ? globSync("**/*.{jsonl,json,md}", { cwd: PALIMPSEST_DATA }).sort() : [];
  if (files.length === 0) {
    console.warn(`SKIPPED transcripts: none in ${PALIMPSEST_DATA}. Set PALIMPSEST_DATA to a folder of them.`);
    return undefined;
  }
  const parts = files.map((file) => readFileSync(join(PALIMPSEST_DATA, file), "utf8").slice(0, CHARACTERS / 4));
  const text = parts.join("\n");
  return Array.from({ length: ROUNDS }, (_, round) => {
    const start = Math.floor(((text.length - CHARACTERS) * round) / ROUNDS);
    return text.slice(start, start + CHARACTERS);
  });
}

async function measureThroughput(): Promise<readonly ThroughputRow[]> {
  const counters = await Promise.all(COUNTER_NAMES.map(async (name) => [name, await loadCounter(name)] as const));
  const countOurs = await loadCounter(OURS);
  return [...buildCorpora()].flatMap(([corpus, texts]) => {
    const lanes = counters.map(([counter, countText]) => {
      const characters = affordableCharacters(countText, texts[0] ?? "");
      return { counter, countText, texts: texts.map((text) => text.slice(0, characters)), runs: newRuns() };
    });
    for (let round = 0; round < ROUNDS; round++) {
      for (const { countText, texts: ownTexts, runs } of lanes) runs.push(measure(countText, ownTexts[round] ?? ""));
    }
    return lanes.map(({ counter, texts: ownTexts, runs }) => ({
      corpus,
      counter,
      characters: ownTexts[0]?.length ?? 0,
      megabytesPerSecond: median(runs.map(({ bytes, ms }) => bytes / 1e3 / ms)),
      tokensPerSecond: median(runs.map(({ tokens, ms }) => (tokens * 1e3) / ms)),
      differingRounds: runs.filter(({ tokens }, round) => tokens !== countOurs(ownTexts[round] ?? "")).length,
    }));
  });
}

interface Run {
  readonly bytes: number;
  readonly tokens: number;
  readonly ms: number;
}

function newRuns(): Run[] {
  return [];
}

/** The longest doubling of a short start that is counted within the limit, which also warms the counter up. */
function affordableCharacters(countText: CountText, text: string): number {
  let characters = Math.min(2_000, text.length);
  for (;;) {
    const { ms } = measure(countText, text.slice(0, characters));
    // twice the text takes a quadratic counter four times as long
    if (ms * 4 > MAX_COUNT_MS && characters * 2 < text.length) return characters;
    if (characters === text.length) return characters;
    characters = Math.min(2 * characters, text.length);
  }
}

function measure(countText: CountText, text: string): Run {
  // flattens the text, so that the first counter does not pay for it
  const bytes = Buffer.byteLength(text);
  const start = performance.now();
  const tokens = countText(text);
  return { bytes, tokens, ms: performance.now() - start };
}

function measureColdStart(): readonly ColdStartRow[] {
  const script = join(import.meta.dirname, "tokens-cold-start.ts");
  const starts = COUNTER_NAMES.map((counter) => ({ counter, runs: [] as Omit<ColdStartRow, "counter">[] }));
  for (let round = 0; round < ROUNDS; round++) {
    for (const { counter, runs } of starts) {
      runs.push(JSON.parse(execFileSync(process.execPath, [script, counter], { encoding: "utf8" })));
    }
  }
  return starts.map(({ counter, runs }) => ({
    counter,
    firstCountMs: median(runs.map((run) => run.firstCountMs)),
    rssMb: median(runs.map((run) => run.rssMb)),
  }));
}

async function measureGrowth(): Promise<readonly GrowthRow[]> {
  const countText = await loadCounter(OURS);
  const runs: Readonly<Record<string, string>> = {
    "one letter": "a",
    "one capital": "A",
    blanks: " ",
    "line ends": "\n",
    "padded lines": `${" ".repeat(79)}\r\n`,
    digits: "7",
    dashes: "-",
    "one ideograph": "中",
    CJK: cjkCorpus(50_000).replace(/[^\p{L}]/gu, ""),
    base64: base64Corpus(50_000),
    "one emoji": "😀",
    "combining marks": "\u0301",
  };
  return Object.entries(runs).map(([run, unit]) => {
    const ofBytes = (bytes: number) => unit.repeat(Math.ceil(bytes / Buffer.byteLength(unit)));
    const millisecondsFor = (bytes: number) =>
      median(Array.from({ length: 3 }, () => measure(countText, ofBytes(bytes)).ms));
    return { run, oneMegabyteMs: millisecondsFor(1e6), tenMegabytesMs: millisecondsFor(1e7) };
  });
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function printThroughput(rows: readonly ThroughputRow[]): void {
  console.log(`\nCounting o200k_base tokens: MB/s, median of ${ROUNDS} rounds, each on new text`);
  console.log("(where a counter cannot do the whole text in time: the characters it was given; ≠: its count differs)");
  const speedup = "ours ÷ fastest";
  console.log(line(["", ...COUNTER_NAMES, speedup, "ours, tokens/s"]));
  for (const corpus of new Set(rows.map((row) => row.corpus))) {
    const ownRows = rows.filter((row) => row.corpus === corpus);
    const ours = ownRows.find((row) => row.counter === OURS);
    const fastest = Math.max(...ownRows.filter((row) => row !== ours).map((row) => row.megabytesPerSecond));
    const ratio = (ours?.megabytesPerSecond ?? Number.NaN) / fastest;
    const tokens = Math.round((ours?.tokensPerSecond ?? Number.NaN) / 1e3) * 1e3;
    console.log(line([corpus, ...ownRows.map(speedCell), `${ratio.toFixed(1)} ×`, tokens.toLocaleString("en")]));
  }
}

function speedCell({ megabytesPerSecond, characters, differingRounds }: ThroughputRow): string {
  const speed = megabytesPerSecond.toFixed(megabytesPerSecond < 1 ? 3 : 1);
  const size = characters < CHARACTERS ? ` (${Math.round(characters / 1e3)}k)` : "";
  return `${speed}${size}${differingRounds > 0 ? " ≠" : ""}`;
}

function printColdStart(rows: readonly ColdStartRow[]): void {
  console.log(`\nFrom import to the first count, in a fresh process, median of ${ROUNDS}`);
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

if (import.meta.main) await benchTokens();
