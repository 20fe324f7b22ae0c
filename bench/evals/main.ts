/** `npm run evals [-- folder…] [options]`: how much of what agents needed next each strategy leaves visible. */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { DATA_FOLDER, TRAINING_FOLDER } from "../perf/data-folder.ts";
import { readCodingSessions } from "./coding-sessions.ts";
import { keepResult, measure } from "./measure.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** At most so many boundaries of a session. */
    boundaries: { type: "string", default: "2" },
    /** Boundaries with a shorter log are left out. */
    least: { type: "string", default: "30000" },
  },
});

const folders = positionals.length === 0 ? [DATA_FOLDER, TRAINING_FOLDER] : positionals.map((each) => resolve(each));
const { sessions, refused, missing } = await readCodingSessions(folders);
for (const folder of missing) console.error(`There is no folder ${folder}.`);
if (sessions.length === 0) {
  console.error(`SKIPPED: there is no transcript in ${folders.join(", ")}. Name a folder, or set PALIMPSEST_DATA.`);
  process.exit(positionals.length === 0 ? 0 : 1);
}
const options = { boundariesPerSession: Number(values.boundaries), leastLogTokens: Number(values.least) };
console.log(`${sessions.length} sessions read; ${refused} other files are none.`);
keepResult(measure(sessions, options));
