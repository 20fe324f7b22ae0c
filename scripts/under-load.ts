/** Pure parts of `test-under-load.ts`: what it is asked for, and what a test run printed. */
import { parseArgs } from "node:util";

export interface LoadPlan {
  /** Busy loops beside the tests. */
  readonly loops: number;
  /** Runs of each clone, one after the other. */
  readonly runs: number;
  /** Clones that run at the same time; one runs in this folder. */
  readonly clones: number;
  readonly command: readonly [program: string, ...programArguments: string[]];
}

const DEFAULT_COMMAND = ["npm", "test"] as const;

/** @throws on an unknown option and on a count that is no whole number */
export function readLoadPlan(given: readonly string[]): LoadPlan {
  const { values, positionals } = parseArgs({
    args: [...given],
    options: { loops: { type: "string" }, runs: { type: "string" }, clones: { type: "string" } },
    allowPositionals: true,
  });
  const [program, ...programArguments] = positionals;
  return {
    loops: readCount("loops", values.loops ?? "8", 0),
    runs: readCount("runs", values.runs ?? "10", 1),
    clones: readCount("clones", values.clones ?? "1", 1),
    command: program === undefined ? [...DEFAULT_COMMAND] : [program, ...programArguments],
  };
}

function readCount(name: string, text: string, least: number): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= least) return count;
  throw new Error(`--${name} is ${JSON.stringify(text)}. Give a whole number, ${least} or more.`);
}

export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  /** Names of failed tests and of failed checks, each once, in the order in which they were printed. */
  readonly failures: readonly string[];
}

const COLOURS = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, "g");
/** The last line of `scripts/test.ts`. */
const COUNTS = /^(\d+) passed, (\d+) failed$/gm;
/** What vitest prints above each failure, and what `scripts/check.ts` prints at its end. */
const FAILURE = /^ *FAIL +(.+)$|^(check failed: .+)$/gm;

/** What the output of `npm test` says; undefined where it ended before its last line. */
export function readTestOutput(output: string): TestCounts | undefined {
  const plain = output.replaceAll("\r", "").replace(COLOURS, "");
  const [, passed, failed] = [...plain.matchAll(COUNTS)].at(-1) ?? [];
  if (passed === undefined || failed === undefined) return undefined;
  const names = [...plain.matchAll(FAILURE)].map(([, test, check]) => (test ?? check ?? "").trim());
  return { passed: Number(passed), failed: Number(failed), failures: [...new Set(names)] };
}

export interface FinishedRun {
  readonly clone: number;
  readonly run: number;
  readonly seconds: number;
  readonly exitCode: number | null;
  /** Everything that the command printed. */
  readonly output: string;
}

export function isGreen({ exitCode, output }: FinishedRun): boolean {
  return exitCode === 0 && (readTestOutput(output)?.failed ?? 0) === 0;
}

/** A line of figures, and one for each failure. A command that prints no counts is told by its exit code. */
export function describeRun(finished: FinishedRun): readonly string[] {
  const { clone, run, seconds, exitCode, output } = finished;
  const counts = readTestOutput(output);
  const told = counts === undefined ? "no counts printed" : `${counts.passed} passed, ${counts.failed} failed`;
  return [
    `clone ${clone}, run ${run}: ${Math.round(seconds)} s, ${told}, exit code ${exitCode ?? "none (killed)"}`,
    ...(counts?.failures ?? []).map((name) => `  failed: ${name}`),
  ];
}
