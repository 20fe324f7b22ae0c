/** How long recall takes on a log of ten million tokens, and what one more message costs. */
import { countTextTokens, type Message } from "palimpsest";
import { createRecallIndex } from "palimpsest/core";
import { seededRandom } from "palimpsest/evals";
import { milliseconds, quantile, row } from "./stores/times.ts";

const SIZES = [1_000_000, 10_000_000];
const WORDS = 60_000;
const QUERIES = 200;
const APPENDS = 2_000;
const BUDGET_TOKENS = 1_000;

export function benchRecall(): void {
  console.log(`\nrecall of ${BUDGET_TOKENS} tokens, ${QUERIES} queries of 3 to 10 words, rare and common; times in ms`);
  console.log(row("log", "messages", "build", "append", "query p50", "p95", "max", "CPU mean"));
  for (const tokens of SIZES) {
    const random = seededRandom(4);
    const messages = inventMessages(tokens, random);
    const startMs = performance.now();
    const index = createRecallIndex(messages, { scope: "all" });
    const buildMs = performance.now() - startMs;
    const appendMs = timed(() => index.add(inventMessages(APPENDS * TOKENS_PER_MESSAGE, random))) / APPENDS;
    const before = process.cpuUsage();
    const timesMs = Array.from({ length: QUERIES }, () => {
      const query = sentence(3 + Math.floor(random() * 8), random);
      return timed(() => index.recall(query, { budgetTokens: BUDGET_TOKENS }));
    });
    // Of all threads: on a busy machine it says more than the clock.
    const { user, system } = process.cpuUsage(before);
    const cpuMs = (user + system) / 1_000 / QUERIES;
    const shown = [buildMs, appendMs, ...[0.5, 0.95, 1].map((share) => quantile(timesMs, share)), cpuMs];
    console.log(row(`${tokens / 1_000_000}M tokens`, String(messages.length), ...shown.map(milliseconds)));
  }
}

const TOKENS_PER_MESSAGE = 100;

/** Turns of a person and an assistant, as many as it takes. */
function inventMessages(tokens: number, random: () => number): readonly Message[] {
  const sample = sentence(1_000, random);
  const wordsPerToken = 1_000 / countTextTokens(sample);
  const words = Math.floor(TOKENS_PER_MESSAGE * wordsPerToken);
  return Array.from({ length: Math.floor(tokens / TOKENS_PER_MESSAGE) }, (_, at): Message => {
    const length = at % 2 === 0 ? words / 2 : words * 1.5;
    return { id: `m${at}`, role: at % 2 === 0 ? "user" : "assistant", content: sentence(length, random) };
  });
}

/** Words as often as words are: the second half as often as the first, and so on. */
function sentence(words: number, random: () => number): string {
  const chosen: string[] = [];
  for (let at = 0; at < words; at++) chosen.push(wordNumber(Math.floor(WORDS ** random())));
  return `${chosen.join(" ")}.`;
}

const SYLLABLES = [
  "ba",
  "ke",
  "li",
  "mo",
  "nu",
  "ra",
  "se",
  "ti",
  "vo",
  "zu",
  "pla",
  "gre",
  "sti",
  "cho",
  "dru",
  "fen",
];

function wordNumber(number: number): string {
  let word = "";
  for (let left = number + SYLLABLES.length; left > 0; left = Math.floor(left / SYLLABLES.length)) {
    word += SYLLABLES[left % SYLLABLES.length] ?? "";
  }
  return word;
}

function timed(run: () => void): number {
  const startMs = performance.now();
  run();
  return performance.now() - startMs;
}
