/**
 * `npm run evals -- compactbench`: conversations with planted rules, changed decisions, people who could be confused and references, by the
 * templates of compactbench; which of the demanded words does the view hold after one compaction, and after five?
 */
import type { Message } from "palimpsest";
import { countMessagesTokens } from "palimpsest/core";
import { seededRandom } from "palimpsest/evals";
import { distract, type PlantedConversation, plantConversation, readTemplates } from "./views/templates.ts";
import { textOf, VIEW_STRATEGIES, type ViewStrategy, viewText } from "./views/view-strategies.ts";

const SEED = 11;
const RUNS = 5;
const DISTRACTORS = 160;
/** What the view may take of the first conversation. */
const BUDGET_SHARE = 0.25;
const COMPACTIONS = [1, 5];

const templates = readTemplates();
if (templates === undefined) {
  console.error("SKIPPED: compactbench is not there. Set PALIMPSEST_TRAINING to the folder that holds compactbench/.");
  process.exit(0);
}
for (const compactions of COMPACTIONS) {
  console.log(
    `\nAfter ${compactions} compaction${compactions === 1 ? "" : "s"} to a quarter, ${templates.length} templates × ${RUNS}`,
  );
  console.log(`${"".padEnd(22)}${"demanded".padEnd(12)}stale ones gone or marked`);
  for (const strategy of VIEW_STRATEGIES) {
    const random = seededRandom(SEED);
    const checks = templates.flatMap((template) =>
      Array.from({ length: RUNS }, () => {
        const planted = plantConversation(template, { random, distractors: DISTRACTORS });
        return check(planted, compactTimes(planted.messages, { strategy, compactions, random }));
      }),
    );
    const demanded = share(checks.flatMap((each) => each.demanded));
    console.log(strategy.name.padEnd(22) + demanded.padEnd(12) + share(checks.flatMap((each) => each.stale)));
  }
}

interface Compactions {
  readonly strategy: ViewStrategy;
  readonly compactions: number;
  readonly random: () => number;
}

/** The newest request stays the last that was said: between compactions the talk goes on about other things. */
function compactTimes(messages: readonly Message[], { strategy, compactions, random }: Compactions): string {
  const budgetTokens = Math.floor(BUDGET_SHARE * countMessagesTokens(messages));
  let log = strategy.compact(messages, budgetTokens);
  for (let times = 1; times < compactions; times++) {
    log = strategy.compact([...log, ...distract(DISTRACTORS, random)], budgetTokens);
  }
  return viewText(log);
}

interface Checks {
  readonly demanded: readonly boolean[];
  readonly stale: readonly boolean[];
}

/** A stale word may stay where it was said, if the view says of that message that it no longer holds. */
function check({ messages, demanded, stale }: PlantedConversation, view: string): Checks {
  const text = normalize(view);
  const lines = view.split("\n");
  const isSettled = (value: string) => {
    const place = messages.findIndex((message) => normalize(textOf(message)).includes(normalize(value)));
    const showing = lines.filter((line) => normalize(line).includes(normalize(value)));
    return view.includes(`[takes back m${place}]`) || showing.every((line) => line.includes("[taken back in "));
  };
  return { demanded: demanded.map((value) => text.includes(normalize(value))), stale: stale.map(isSettled) };
}

function normalize(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

function share(passed: readonly boolean[]): string {
  return `${((100 * passed.filter((each) => each).length) / Math.max(1, passed.length)).toFixed(1)} %`;
}
