/** `npm run evals [-- folder | chats | chat-view | compactbench]`: how much of what agents needed next each strategy leaves visible. */
import { mkdirSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { compact } from "palimpsest";
import {
  BASELINE_STRATEGIES,
  type EvalStrategy,
  evalPlot,
  evalTable,
  measureStanding,
  runEvals,
  seededRandom,
} from "palimpsest/evals";
import { readTranscriptFolder } from "palimpsest/transcripts";
import { DATA_FOLDER } from "../perf/data-folder.ts";

/** Evals of conversations that are not code, by their names. */
const CONVERSATIONS = ["chats", "chat-view", "compactbench"];
const [, , asked = ""] = process.argv;
if (CONVERSATIONS.includes(asked)) {
  await import(`./${asked}.ts`);
  process.exit();
}

const SEED = 4;

/** Returns the log with its folds, of which the benchmark looks at the view: a later compaction reads what is hidden too. */
const ledger: EvalStrategy = {
  name: "ledger",
  compact: (messages, budgetTokens) => compact(messages, budgetTokens).messages,
};

const folder = resolve(process.argv[2] ?? DATA_FOLDER);
const { transcripts: sessions, refused } = await readTranscriptFolder(folder);
if (sessions.length === 0) {
  console.error(`SKIPPED: there is no transcript in ${folder}. Name a folder, or set PALIMPSEST_DATA.`);
  process.exit(process.argv[2] === undefined ? 0 : 1);
}
const startMs = performance.now();
const result = runEvals(sessions, {
  strategies: [ledger, ...BASELINE_STRATEGIES],
  clock: () => performance.now(),
  random: seededRandom(SEED),
});
const seconds = ((performance.now() - startMs) / 1_000).toFixed(1);
console.log(evalTable(result));
console.log(`\n${sessions.length} transcripts in ${seconds} s; ${refused.length} other files are none.`);

const costs = sessions
  .map(({ messages }) => measureStanding(messages))
  .toSorted((one, other) => one.tokens - other.tokens);
const at = (share: number) => costs[Math.min(costs.length - 1, Math.floor(share * costs.length))]?.tokens ?? 0;
const whole = costs.reduce((sum, { logTokens }) => sum + logTokens, 0);
const standing = costs.reduce((sum, { tokens }) => sum + tokens, 0);
console.log(
  `\nStanding context at the end of a session: median ${at(0.5)} tokens, 90 % below ${at(0.9)}, most ${at(1)}; ` +
    `${((100 * standing) / whole).toFixed(1)} % of all tokens.`,
);
const kinds = new Map<string, number>();
for (const { byKind } of costs) {
  for (const [kind, tokens] of Object.entries(byKind)) kinds.set(kind, (kinds.get(kind) ?? 0) + tokens);
}
const ordered = [...kinds].toSorted(([, one], [, other]) => other - one);
console.log(ordered.map(([kind, tokens]) => `${kind} ${Math.round(tokens / costs.length)}`).join(", "), "on average.");

// Where a run is to be kept: PALIMPSEST_EVALS_OUT=docs/evals.
const outFolder = process.env.PALIMPSEST_EVALS_OUT;
if (outFolder !== undefined) {
  mkdirSync(outFolder, { recursive: true });
  writeFileSync(resolve(outFolder, "evals.json"), `${JSON.stringify(result, undefined, 2)}\n`);
  writeFileSync(resolve(outFolder, "evals.svg"), evalPlot(result, { highlight: "ledger" }));
}
