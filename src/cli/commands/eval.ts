import { existsSync, statSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { evalPlot, evalTable, runEvals, seededRandom } from "../../core/evals/index.ts";
import { readTranscriptFolder } from "../../transcripts/index.ts";
import { EVAL_STRATEGIES } from "../eval/eval-strategies.ts";
import { type Command, helpText } from "../terminal/command.ts";
import { CommandError } from "../terminal/command-error.ts";
import { countOption, parseCommandLine } from "../terminal/command-line.ts";
import { countOf } from "../terminal/numbers.ts";
import type { Output } from "../terminal/output.ts";

const DEFAULT_SEED = 4;

const COMMAND: Command = {
  name: "eval",
  about: `Measures, on your own sessions, how much of what the agent needed next each way of compacting leaves visible.
<folder> holds session files of any known agents, also in folders of its own. No model is asked and nothing is changed.`,
  positionals: ["folder"],
  options: {
    json: { about: "print all numbers for machines" },
    plot: { value: "FILE", about: "also draw quality against budget, as SVG" },
    seed: { value: "N", about: `for the confidence intervals (default: ${DEFAULT_SEED})` },
  },
};

/** `palimpsest eval <folder>`; returns the exit code, 1 where no session is long enough to measure. */
export async function evaluate(commandArguments: readonly string[], output: Output = process.stdout): Promise<number> {
  const given = parseCommandLine(COMMAND, commandArguments);
  if (given.type === "help") {
    output.write(helpText(COMMAND));
    return 0;
  }
  const { folder = "", plot } = given.values;
  const seed = countOption(COMMAND, given, "seed") ?? DEFAULT_SEED;
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    throw new CommandError(1, `eval: ${folder} is no folder. Name one that holds session files.`);
  }
  const { transcripts, refused } = await readTranscriptFolder(resolve(folder));
  const result = runEvals(transcripts, {
    strategies: EVAL_STRATEGIES,
    clock: () => performance.now(),
    random: seededRandom(seed),
  });
  if (result.rows.every(({ boundaries }) => boundaries === 0)) {
    throw new CommandError(
      1,
      `eval: ${countOf(transcripts.length, "session")} in ${folder}, none long enough to measure. ` +
        "A session must be larger than the smallest budget and go on for at least ten replies after that.",
    );
  }
  if (plot !== undefined) writeFileSync(plot, evalPlot(result, { highlight: "ledger" }));
  if (given.flags.has("json")) {
    output.write(`${JSON.stringify(result, undefined, 2)}\n`);
    return 0;
  }
  output.write(`${evalTable(result)}\n`);
  output.write(
    `\n${countOf(transcripts.length, "session")} read; ${countOf(refused.length, "other file")} passed over.\n`,
  );
  return 0;
}
