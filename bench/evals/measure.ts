import { mkdirSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { compact, type LedgerWeights } from "palimpsest";
import {
  BASELINE_STRATEGIES,
  type EvalResult,
  type EvalStrategy,
  evalPlot,
  evalTable,
  runEvals,
  seededRandom,
} from "palimpsest/evals";
import type { CodingSession } from "./coding-sessions.ts";
import { fitWeights } from "./fit/fit-weights.ts";
import { ledgerDataset } from "./fit/ledger-dataset.ts";
import { groupTable } from "./group-table.ts";
import { standingCosts } from "./standing-costs.ts";

export interface MeasureOptions {
  /** At most so many boundaries of a session; more than four are looked for at as many places. */
  readonly boundariesPerSession: number;
  /** Boundaries with a shorter log are left out. */
  readonly leastLogTokens: number;
  /** What the weights of the ledger are fitted without when a session is measured. */
  readonly leaveOneOut: HeldOut | undefined;
  /** Names of those to measure; all where it is undefined. */
  readonly strategies: readonly string[] | undefined;
}

export type HeldOut = "repository" | "agent";

const SEED = 4;
const BUDGETS = [4_000, 8_000, 16_000, 32_000];
const LONG_LOG_TOKENS = 80_000;

/** Where the evals look for boundaries by themselves: so many places, the first and the last of them here. */
const USUAL_PLACES = 4;
const [FIRST_PLACE, LAST_PLACE] = [0.3, 0.9];

/** So many places at even distances, as shares of a session's model calls. */
function evenPlaces(count: number): readonly number[] {
  const step = (LAST_PLACE - FIRST_PLACE) / (count - 1);
  return Array.from({ length: count }, (_, place) => FIRST_PLACE + step * place);
}

/** Prints what each strategy leaves visible: of all boundaries, by the length of the log and by the agent. */
export function measure(sessions: readonly CodingSession[], options: MeasureOptions): EvalResult {
  const { boundariesPerSession, leastLogTokens, leaveOneOut } = options;
  const weightsFor = leaveOneOut === undefined ? undefined : heldOutWeights(sessions, leaveOneOut);
  let weights: LedgerWeights | undefined;
  // Returns the log with its folds, of which the evals look at the view: a later compaction reads what is hidden too.
  const ledger: EvalStrategy = {
    name: "ledger",
    compact: (messages, budgetTokens) =>
      compact(messages, budgetTokens, weights === undefined ? {} : { weights }).messages,
  };
  const agents = new Map(sessions.map((session): [unknown, string] => [session, session.agent]));
  const startMs = performance.now();
  const result = runEvals(sessions, {
    strategies: [ledger, ...BASELINE_STRATEGIES].filter(({ name }) => options.strategies?.includes(name) ?? true),
    budgets: BUDGETS,
    ...(boundariesPerSession > USUAL_PLACES ? { places: evenPlaces(boundariesPerSession) } : {}),
    boundariesPerSession,
    leastLogTokens,
    onSession: (session) => {
      weights = weightsFor?.(session);
    },
    clock: () => performance.now(),
    random: seededRandom(SEED),
    groupsOf: (session, logTokens) => [
      logTokens < LONG_LOG_TOKENS ? "logs up to 80k" : "logs over 80k",
      agents.get(session) ?? "unknown agent",
    ],
  });
  const seconds = ((performance.now() - startMs) / 1_000).toFixed(1);
  console.log(evalTable(result));
  console.log(`\n${groupTable(result, ["ledger", "masking"])}`);
  console.log(
    `\n${sessions.length} sessions in ${seconds} s; logs of ${leastLogTokens} tokens and more, at most ` +
      `${boundariesPerSession} boundaries of a session. ` +
      (leaveOneOut === undefined
        ? "The ledger's weights were fitted to these sessions too: see --leave-one-out."
        : `The ledger's weights were fitted without the ${leaveOneOut} of each session.`),
  );
  console.log(`\n${standingCosts(sessions)}`);
  return result;
}

/** For each session, the weights that were fitted to those of other repositories, or agents. */
function heldOutWeights(
  sessions: readonly CodingSession[],
  heldOut: HeldOut,
): (session: unknown) => LedgerWeights | undefined {
  const data = ledgerDataset(sessions);
  const fitted = new Map<string, LedgerWeights>();
  const names = new Map(sessions.map((session): [unknown, string] => [session, session[heldOut]]));
  return (session) => {
    const name = names.get(session);
    if (name === undefined) return undefined;
    const known = fitted.get(name) ?? fitWeights(data, (each) => each[heldOut] !== name);
    fitted.set(name, known);
    return known;
  };
}

/** Keeps a run where `PALIMPSEST_EVALS_OUT` says, such as docs/evals. */
export function keepResult(result: EvalResult): void {
  const outFolder = process.env.PALIMPSEST_EVALS_OUT;
  if (outFolder === undefined) return;
  mkdirSync(outFolder, { recursive: true });
  writeFileSync(resolve(outFolder, "evals.json"), `${JSON.stringify(result, undefined, 2)}\n`);
  writeFileSync(resolve(outFolder, "evals.svg"), evalPlot(result, { highlight: "ledger" }));
}
