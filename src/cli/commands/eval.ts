import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { compact } from "../../core/condense/ledger/compact.ts";
import {
  BASELINE_STRATEGIES,
  type EvalResult,
  type EvalStrategy,
  evalPlot,
  evalTable,
  runEvals,
  seededRandom,
} from "../../core/evals/index.ts";
import { readTranscriptFolder } from "../../transcripts/index.ts";
import { saveFile } from "../compact/save-file.ts";
import { CommandError } from "../terminal/command-error.ts";
import { type Command, countOption, readArguments } from "../terminal/command-line.ts";
import { countOf } from "../terminal/numbers.ts";
import { jsonText, type Output } from "../terminal/output.ts";
import { type Progress, withProgress } from "../terminal/progress.ts";
import { oneLine } from "../terminal/safe-text.ts";

const DEFAULT_SEED = 4;

/** `saveFile` has no session file to protect here: a plot over one of the sessions is refused before anything is measured. */
const NO_SINGLE_SESSION = "-";

const COMMAND: Command = {
  name: "eval",
  about: `Measures, on your own sessions, how much of what the agent needed next each way of compacting leaves
visible. <folder> holds session files of any known agents, also in subfolders. No model is asked and
nothing is changed.`,
  positionals: ["folder"],
  options: {
    json: { about: "print all numbers for machines" },
    plot: { value: "FILE", about: "also draw quality against budget, as SVG" },
    seed: { value: "N", about: `the seed of the confidence intervals (default: ${DEFAULT_SEED})` },
  },
};

/** `palimpsest eval <folder>`; returns the exit code, 1 if no session is long enough to measure. */
export async function evaluate(
  commandArguments: readonly string[],
  output: Output = process.stdout,
  notes: Output = process.stderr,
): Promise<number> {
  const given = readArguments(COMMAND, commandArguments, output);
  if (given === undefined) return 0;
  const { folder = "", plot } = given.values;
  const seed = countOption(COMMAND, given, "seed") ?? DEFAULT_SEED;
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    throw new CommandError(1, `eval: ${folder} is no folder. Name one that holds session files.`);
  }
  const isJson = given.flags.has("json");
  // Progress is not drawn on a pipe, and measuring may take a minute: a log should show that it has begun.
  if (notes.isTTY !== true && !isJson) notes.write(`palimpsest: measuring the sessions in ${oneLine(folder)} …\n`);
  const { transcripts, refused, result } = await withProgress({ notes, isJson }, (progress) =>
    measure({ folder, plot, seed }, progress),
  );
  if (result.rows.every(({ boundaries }) => boundaries === 0)) {
    throw new CommandError(
      1,
      `eval: ${countOf(transcripts.length, "session")} in ${folder}, none long enough to measure. ` +
        "A session must be larger than the smallest budget and go on for at least ten replies after that.",
    );
  }
  if (isJson) output.write(jsonText(result));
  else {
    const read = `${countOf(transcripts.length, "session")} read; ${countOf(refused.length, "other file")} passed over.`;
    output.write(`${evalTable(result)}\n\n${read}\n`);
  }
  // Last, so that the results are printed even if the path cannot be written.
  if (plot !== undefined) await savePlot(plot, result);
  return 0;
}

interface Measuring {
  readonly folder: string;
  readonly plot: string | undefined;
  readonly seed: number;
}

async function measure({ folder, plot, seed }: Measuring, progress: Progress) {
  const read = await progress.during(`reading ${folder}`, () => readTranscriptFolder(resolve(folder)));
  const { transcripts } = read;
  if (plot !== undefined && transcripts.some(({ name }) => resolve(folder, name) === resolve(plot))) {
    throw new CommandError(1, `eval: --plot ${plot} is one of the sessions, which would be lost. Name another file.`);
  }
  const result = runEvals(transcripts, {
    strategies: EVAL_STRATEGIES,
    clock: () => performance.now(),
    random: seededRandom(seed),
    onSession: ({ name }, index) => progress.show(`measuring session ${index + 1} of ${transcripts.length}: ${name}`),
  });
  return { ...read, result };
}

function savePlot(path: string, result: EvalResult): Promise<void> {
  return saveFile(path, evalPlot(result, { highlight: "ledger" }), { source: NO_SINGLE_SESSION });
}

/** The ledger. It returns the log with its folds, of which the evals read the view, because a later compaction needs what is hidden too. */
const ledger: EvalStrategy = {
  name: "ledger",
  compact: (messages, budgetTokens) => compact(messages, budgetTokens).messages,
};

/** The strategies that are compared: our own condenser, and the simple ones that other tools use. */
const EVAL_STRATEGIES: readonly EvalStrategy[] = [ledger, ...BASELINE_STRATEGIES];
