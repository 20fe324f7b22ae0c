/** The token counter against the packages that people use: speed, cold start, and growth on long runs. */
import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { base64Corpus, cjkCorpus, codeCorpus, jsonCorpus, oneLetterCorpus, proseCorpus } from "./corpora.ts";
import { DATA_FOLDER } from "./data-folder.ts";
import { COUNTER_NAMES, type CountText, loadCounter, OURS } from "./tokens-peers.ts";
import { printTokensReport } from "./tokens-table.ts";

export interface ThroughputRow {
  readonly corpus: string;
  readonly counter: string;
  /** Less than the others where a counter is quadratic: the longest text that it counts within the time limit. */
  readonly characters: number;
  readonly wholeCharacters: number;
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
  printTokensReport(report);
  return report;
}

/** Each corpus as a text to warm up on, then one per round: no counter profits from having seen the text before. */
function buildCorpora(): ReadonlyMap<string, readonly string[]> {
  const rounds = (make: (characters: number, seed: number) => string) =>
    Array.from({ length: ROUNDS + 1 }, (_, round) => make(CHARACTERS, round + 1));
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
  const folder = DATA_FOLDER;
  const files = globSync("**/*.{jsonl,json,md}", { cwd: folder }).sort();
  if (files.length === 0) {
    console.warn(`SKIPPED transcripts: none in ${folder}. Set PALIMPSEST_DATA to a folder of them.`);
    return undefined;
  }
  const parts = files.map((file) => readFileSync(join(folder, file), "utf8").slice(0, CHARACTERS / 4));
  const text = parts.join("\n");
  return Array.from({ length: ROUNDS + 1 }, (_, round) => {
    const start = Math.floor(((text.length - CHARACTERS) * round) / ROUNDS);
    return text.slice(start, start + CHARACTERS);
  });
}

async function measureThroughput(): Promise<readonly ThroughputRow[]> {
  const countOurs = await loadCounter(OURS);
  const counters = await Promise.all(COUNTER_NAMES.map(async (name) => [name, await loadCounter(name)] as const));
  return [...buildCorpora()].flatMap(([corpus, [warmUp = "", ...texts]]) => {
    const lanes = counters.map(([counter, countText]) => {
      const characters = affordableCharacters(countText, warmUp);
      const runs: Run[] = [];
      return { counter, countText, characters, runs };
    });
    for (const text of texts) {
      for (const { countText, characters, runs } of lanes) runs.push(measure(countText, text.slice(0, characters)));
    }
    return lanes.map(({ counter, characters, runs }) => ({
      corpus,
      counter,
      characters,
      wholeCharacters: CHARACTERS,
      megabytesPerSecond: median(runs.map(({ bytes, ms }) => bytes / 1e3 / ms)),
      tokensPerSecond: median(runs.map(({ tokens, ms }) => (tokens * 1e3) / ms)),
      differingRounds: runs.filter(({ text, tokens }) => tokens !== countOurs(text)).length,
    }));
  });
}

interface Run {
  readonly text: string;
  readonly bytes: number;
  readonly tokens: number;
  readonly ms: number;
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
  return { text, bytes, tokens, ms: performance.now() - start };
}

function measureColdStart(): readonly ColdStartRow[] {
  const script = join(import.meta.dirname, "tokens-cold-start.ts");
  const start = (counter: string): ColdStartRow =>
    JSON.parse(execFileSync(process.execPath, [script, counter], { encoding: "utf8" }));
  const rounds = Array.from({ length: ROUNDS }, () => COUNTER_NAMES.map(start));
  return COUNTER_NAMES.map((counter) => {
    const runs = rounds.flat().filter((run) => run.counter === counter);
    return {
      counter,
      firstCountMs: median(runs.map(({ firstCountMs }) => firstCountMs)),
      rssMb: median(runs.map(({ rssMb }) => rssMb)),
    };
  });
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
    const medianMs = (text: string) => median(Array.from({ length: ROUNDS }, () => measure(countText, text).ms));
    return { run, oneMegabyteMs: medianMs(ofBytes(1e6)), tenMegabytesMs: medianMs(ofBytes(1e7)) };
  });
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

if (import.meta.main) await benchTokens();
