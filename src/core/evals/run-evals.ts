import { assertArray, assertFunction, assertNumber } from "../assert.ts";
import type { Message } from "../message/message.ts";
import { BASELINE_STRATEGIES } from "./baseline-strategies.ts";
import { type Contestant, createContestants, WHOLE_LOG } from "./contestants.ts";
import { createEvalCase, type EvalCase } from "./eval-case.ts";
import type { EvalResult, EvalSession, EvalStrategy, View } from "./eval-types.ts";
import { BOUNDARY_PLACES, callStarts, checkPlaces, findBoundaries } from "./find-boundaries.ts";
import { scoreView, scoreWholeLog } from "./measures/score-view.ts";
import { findCommonIdentifiers } from "./needed/eval-identifiers.ts";
import { type CaseScores, type SessionScores, summarizeScores, type TimedScore } from "./summary/summarize-scores.ts";

export interface RunEvalsOptions {
  /** The time in milliseconds, by which each compaction is timed. */
  readonly clock: () => number;
  /** Random numbers in [0, 1) for the bootstrap; seeded, so that a run can be repeated. */
  readonly random: () => number;
  /** The strategies that are measured, besides the oracle and the whole log. @default BASELINE_STRATEGIES */
  readonly strategies?: readonly EvalStrategy[];
  /** @default 4000, 8000 and 16000 */
  readonly budgets?: readonly number[];
  /** Boundaries with a shorter log before them are left out. @default 0 */
  readonly leastLogTokens?: number;
  /** The positions of boundaries, as shares of a session's model calls. @default 0.3, 0.5, 0.7 and 0.9 */
  readonly places?: readonly number[];
  /** The most boundaries of one session, evenly spread. @default all */
  readonly boundariesPerSession?: number;
  /** Returns the names of the groups to which a boundary belongs; results are also summed up by group. @default none */
  readonly groupsOf?: (session: EvalSession, logTokens: number) => readonly string[];
  /** The number of resamples of the bootstrap. @default 1000 */
  readonly resamples?: number;
  /** Called before each session. */
  readonly onSession?: (session: EvalSession, index: number) => void;
}

/**
 * The default budgets in tokens.
 * @example
 * ```ts
 * import { EVAL_BUDGETS, runEvals, seededRandom } from "palimpsest/evals";
 * const result = runEvals([], { clock: () => 0, random: seededRandom(1) });
 * console.log(result.budgets.join() === EVAL_BUDGETS.join()); // true
 * ```
 */
export const EVAL_BUDGETS: readonly number[] = [4_000, 8_000, 16_000];
const DEFAULT_RESAMPLES = 1_000;

/**
 * Measures, over whole sessions and without a model, how much of what agents really needed next strategies leave visible.
 * @example
 * ```ts
 * import { BASELINE_STRATEGIES, runEvals, seededRandom } from "palimpsest/evals";
 * const options = { clock: () => 0, random: seededRandom(1), strategies: BASELINE_STRATEGIES, budgets: [1_000] };
 * console.log(runEvals([], options).sessions); // { given: 0, measured: 0 }
 * ```
 */
export function runEvals(sessions: readonly EvalSession[], options: RunEvalsOptions): EvalResult {
  assertArray("sessions", sessions);
  assertFunction("options.clock", options.clock);
  assertFunction("options.random", options.random);
  const { strategies = BASELINE_STRATEGIES, budgets = EVAL_BUDGETS, resamples = DEFAULT_RESAMPLES } = options;
  for (const budget of budgets) assertNumber("options.budgets", budget, 1);
  assertNumber("options.resamples", resamples, 1);
  const { leastLogTokens = 0, places = BOUNDARY_PLACES, groupsOf = () => [] } = options;
  const { boundariesPerSession = Number.POSITIVE_INFINITY } = options;
  assertNumber("options.leastLogTokens", leastLogTokens, 0);
  checkPlaces(places);
  if (boundariesPerSession !== Number.POSITIVE_INFINITY)
    assertNumber("options.boundariesPerSession", boundariesPerSession, 1);
  assertFunction("options.groupsOf", groupsOf);
  const contestants = createContestants(strategies);
  const boundaries = sessions.map((session) =>
    spread(
      findBoundaries(session, places).filter(({ tokens }) => tokens >= leastLogTokens),
      boundariesPerSession,
    ),
  );
  const common = findCommonIdentifiers(sessions.filter((_, index) => (boundaries[index] ?? []).length > 0));
  const scores = sessions.map((session, index): SessionScores => {
    options.onSession?.(session, index);
    const cases = (boundaries[index] ?? []).map((boundary) => createEvalCase(session, boundary, common));
    return {
      name: session.name,
      cases: scoreCases(cases, { contestants, budgets, clock: options.clock }),
      groupsOf: (logTokens) => groupsOf(session, logTokens),
    };
  });
  const names = contestants.map(({ name }) => name);
  return summarizeScores(scores, { names, budgets, resamples, random: options.random });
}

/** At most `count` of the items at even distances, including the first and the last. */
function spread<Item>(items: readonly Item[], count: number): readonly Item[] {
  if (items.length <= count) return items;
  if (count === 1) return items.slice(-1);
  const places = Array.from({ length: count }, (_, place) => Math.round((place * (items.length - 1)) / (count - 1)));
  return places.flatMap((place) => items[place] ?? []);
}

interface Run {
  readonly contestants: readonly Contestant[];
  readonly budgets: readonly number[];
  readonly clock: () => number;
}

/** The scores for each budget, at the boundaries whose log is over it. */
function scoreCases(cases: readonly EvalCase[], run: Run): readonly CaseScores[] {
  return run.budgets.flatMap((budgetTokens) => {
    const tooLarge = cases.filter(({ boundary }) => boundary.tokens > budgetTokens);
    return tooLarge.map((evalCase): CaseScores => {
      const isLast = evalCase === tooLarge.at(-1);
      return {
        budgetTokens,
        needed: evalCase.questions.identifiers.size,
        editLines: evalCase.questions.editLines.size,
        logTokens: evalCase.boundary.tokens,
        scores: run.contestants.map((contestant) => ({
          ...scoreContestant(contestant, { evalCase, budgetTokens, clock: run.clock }),
          ...(isLast && successiveScore(contestant, evalCase, budgetTokens)),
        })),
      };
    });
  });
}

interface Turn {
  readonly evalCase: EvalCase;
  readonly budgetTokens: number;
  readonly clock: () => number;
}

function scoreContestant(contestant: Contestant, { evalCase, budgetTokens, clock }: Turn): TimedScore {
  const startMs = clock();
  const view = contestant.view(evalCase, budgetTokens);
  const latencyMs = clock() - startMs;
  const score = view === WHOLE_LOG ? scoreWholeLog(evalCase) : scoreView(evalCase, view, budgetTokens);
  return { ...score, latencyMs };
}

function successiveScore({ strategy }: Contestant, evalCase: EvalCase, budgetTokens: number): { successive?: number } {
  if (strategy === undefined) return {};
  const { cfrr } = scoreView(evalCase, compactSuccessively(strategy, evalCase.log, budgetTokens), budgetTokens);
  return cfrr === undefined ? {} : { successive: cfrr };
}

/** How often a log is compacted as it grows, for the measure of successive compactions. */
const SUCCESSIVE_COMPACTIONS = 10;

/** Compacts a log at ten evenly spaced model calls, the last one at its end; each time the previous view and the messages since. */
export function compactSuccessively(strategy: EvalStrategy, log: readonly Message[], budgetTokens: number): View {
  let view: View = [];
  let start = 0;
  for (const end of stops(log)) {
    view = strategy.compact([...asMessages(view), ...log.slice(start, end)], budgetTokens);
    start = end;
  }
  return view;
}

function stops(log: readonly Message[]): readonly number[] {
  const starts = callStarts(log);
  const places = Array.from({ length: SUCCESSIVE_COMPACTIONS - 1 }, (_, index) => {
    return starts[Math.floor(((index + 1) * starts.length) / SUCCESSIVE_COMPACTIONS)] ?? 0;
  });
  return [...new Set(places.filter((place) => place > 0)), log.length];
}

function asMessages(view: View): readonly Message[] {
  if (typeof view !== "string") return view;
  return view === "" ? [] : [{ role: "user", content: view }];
}
