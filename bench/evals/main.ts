/**
 * `npm run evals [-- folder…] [options]`: how much of what agents needed next each strategy leaves visible. `npm run evals -- fit`
 * fits the weights of the ledger anew, and writes them into the source. `-- chats`, `-- compactbench`, `-- chat-view` and
 * `-- written-chats` measure conversations that are not code; `-- explain` says what fills the ledger's views, and which needed names
 * they do not show.
 */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { DATA_FOLDER, TRAINING_FOLDER } from "../perf/data-folder.ts";
import { readCodingSessions } from "./coding-sessions.ts";
import { fitWeights } from "./fit/fit-weights.ts";
import { ledgerDataset } from "./fit/ledger-dataset.ts";
import { writeWeights } from "./fit/write-weights.ts";
import { type HeldOut, keepResult, measure } from "./measure.ts";

/** What is asked for by its name: evals of conversations that are not code, and what the ledger's views are made of. */
const NAMED = ["chats", "compactbench", "chat-view", "written-chats", "explain"];
const [, , asked = ""] = process.argv;
if (NAMED.includes(asked)) {
  await import(`./${asked}.ts`);
  process.exit();
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** At most so many boundaries of a session: of the usual four places up to 4, else of as many between the first and the last of them. */
    boundaries: { type: "string", default: "2" },
    /** Boundaries with a shorter log are left out. */
    least: { type: "string", default: "30000" },
    /** Names of strategies to measure, with commas between them. */
    strategies: { type: "string" },
    /** `repository` or `agent`: fit the ledger's weights without that of the session that is measured. */
    "leave-one-out": { type: "string" },
  },
});

const isFit = positionals[0] === "fit";
const named = positionals.slice(isFit ? 1 : 0);
const folders = named.length === 0 ? [DATA_FOLDER, TRAINING_FOLDER] : named.map((each) => resolve(each));
const { sessions, refused, missing } = await readCodingSessions(folders);
for (const folder of missing) console.error(`There is no folder ${folder}.`);
if (sessions.length === 0) {
  console.error(`SKIPPED: there is no transcript in ${folders.join(", ")}. Name a folder, or set PALIMPSEST_DATA.`);
  process.exit(named.length === 0 ? 0 : 1);
}
console.log(`${sessions.length} sessions read; ${refused} other files are none.`);
if (isFit) {
  const data = ledgerDataset(sessions);
  console.log(
    `Written: ${writeWeights(
      fitWeights(data, () => true),
      data,
    )}`,
  );
} else {
  const boundariesPerSession = Number(values.boundaries);
  const leastLogTokens = Number(values.least);
  const leaveOneOut = heldOut(values["leave-one-out"]);
  const strategies = values.strategies?.split(",");
  keepResult(measure(sessions, { boundariesPerSession, leastLogTokens, leaveOneOut, strategies }));
}

function heldOut(value: string | undefined): HeldOut | undefined {
  if (value === undefined || value === "repository" || value === "agent") return value;
  console.error(`--leave-one-out is ${value}. Say repository or agent.`);
  process.exit(1);
}
