import type { CaseSummary, Estimate, EvalResult, EvalRow, Latency, SuccessiveRow } from "../eval-types.ts";
import type { ViewScore } from "../measures/score-view.ts";

/** The scores of one session. */
export interface SessionScores {
  readonly name: string;
  readonly cases: readonly CaseScores[];
  /** The groups to which a boundary with a log of this size belongs. */
  groupsOf(logTokens: number): readonly string[];
}

/** The scores at one boundary with one budget. */
export interface CaseScores {
  readonly budgetTokens: number;
  readonly needed: number;
  readonly editLines: number;
  readonly logTokens: number;
  /** In the order of the contestants. */
  readonly scores: readonly TimedScore[];
}

export interface TimedScore extends ViewScore {
  readonly latencyMs: number;
  /** `cfrr` after successive compactions; at the last boundary of a session only. */
  readonly successive?: number;
}

export interface SummarizeOptions extends EstimateOptions {
  /** Names of the contestants, in the order of their scores. */
  readonly names: readonly string[];
  readonly budgets: readonly number[];
}

/** Averages the scores over the boundaries of each session, then over sessions: of all boundaries, and of each group. */
export function summarizeScores(sessions: readonly SessionScores[], options: SummarizeOptions): EvalResult {
  const { budgets } = options;
  const measured = sessions.filter(({ cases }) => cases.length > 0);
  return {
    budgets,
    sessions: { given: sessions.length, measured: measured.length },
    ...summarizeGroup(measured, options),
    groups: groupNames(measured).map((name) => ({
      name,
      ...summarizeGroup(
        measured.map((session) => membersOf(session, name)),
        options,
      ),
    })),
  };
}

function groupNames(sessions: readonly SessionScores[]): readonly string[] {
  const names = sessions.flatMap((session) => session.cases.flatMap(({ logTokens }) => session.groupsOf(logTokens)));
  return [...new Set(names)];
}

function membersOf(session: SessionScores, name: string): SessionScores {
  return { ...session, cases: session.cases.filter(({ logTokens }) => session.groupsOf(logTokens).includes(name)) };
}

function summarizeGroup(
  sessions: readonly SessionScores[],
  options: SummarizeOptions,
): Pick<EvalResult, "cases" | "rows"> {
  const { names, budgets } = options;
  return {
    cases: budgets.map((budgetTokens) => summarizeCases(atBudget(sessions, budgetTokens), budgetTokens)),
    rows: budgets.flatMap((budgetTokens) => {
      const groups = atBudget(sessions, budgetTokens);
      return names.map((strategy, index) => ({
        strategy,
        budgetTokens,
        ...summarizeRow(
          groups.map((cases) => cases.flatMap(({ scores }) => scores[index] ?? [])),
          options,
        ),
      }));
    }),
  };
}

/** The cases with this budget, by session; sessions without any are left out. */
function atBudget(sessions: readonly SessionScores[], budgetTokens: number): readonly (readonly CaseScores[])[] {
  return sessions
    .map(({ cases }) => cases.filter((each) => each.budgetTokens === budgetTokens))
    .filter((cases) => cases.length > 0);
}

function summarizeCases(groups: readonly (readonly CaseScores[])[], budgetTokens: number): CaseSummary {
  const cases = groups.flat();
  return {
    budgetTokens,
    sessions: groups.length,
    boundaries: cases.length,
    meanNeeded: meanOf(cases.map(({ needed }) => needed)),
    meanEditLines: meanOf(cases.map(({ editLines }) => editLines)),
    meanLogTokens: meanOf(cases.map(({ logTokens }) => logTokens)),
  };
}

type RowMeasures = Omit<EvalRow, "strategy" | "budgetTokens">;
type Share = "frr" | "cfrr" | "ear" | "cfrrWithRecall";

function summarizeRow(groups: readonly (readonly TimedScore[])[], options: EstimateOptions): RowMeasures {
  const scores = groups.flat();
  const share = (name: Share) => {
    const estimate: Estimate | undefined = estimateMean(sessionMeans(groups, name), options);
    return estimate === undefined ? {} : { [name]: estimate };
  };
  const successive = summarizeSuccessive(scores);
  return {
    boundaries: scores.length,
    ...share("frr"),
    ...share("cfrr"),
    ...share("ear"),
    ...share("cfrrWithRecall"),
    ...(successive !== undefined && { successive }),
    meanViewTokens: meanOf(scores.map(({ tokens }) => tokens)),
    overBudget: scores.filter(({ isOverBudget }) => isOverBudget).length,
    latencyMs: summarizeLatency(scores),
  };
}

function sessionMeans(groups: readonly (readonly TimedScore[])[], name: Share): readonly number[] {
  return groups.flatMap((scores) => {
    const values = scores.flatMap((score) => score[name] ?? []);
    return values.length === 0 ? [] : [meanOf(values)];
  });
}

/** The ratio of the means, not the mean of ratios, because a session in which a single compaction keeps nothing has no ratio. */
function summarizeSuccessive(scores: readonly TimedScore[]): SuccessiveRow | undefined {
  const pairs = scores.flatMap(({ cfrr, successive }) =>
    cfrr === undefined || successive === undefined ? [] : [{ cfrr, successive }],
  );
  if (pairs.length === 0) return undefined;
  const single = meanOf(pairs.map(({ cfrr }) => cfrr));
  const successive = meanOf(pairs.map((pair) => pair.successive));
  return { single, successive, ...(single > 0 && { kept: successive / single }), sessions: pairs.length };
}

function summarizeLatency(scores: readonly TimedScore[]): Latency {
  const ascending = Float64Array.from(scores, ({ latencyMs }) => latencyMs).sort();
  return { p50: quantile(ascending, 0.5), p95: quantile(ascending, 0.95) };
}

interface EstimateOptions {
  readonly resamples: number;
  readonly random: () => number;
}

const LOW = 0.025;
const HIGH = 0.975;

/** The mean of one value per session, with its 95 % bootstrap interval; undefined without values. */
export function estimateMean(values: readonly number[], { resamples, random }: EstimateOptions): Estimate | undefined {
  if (values.length === 0) return undefined;
  const means = Float64Array.from({ length: resamples }, () => {
    let sum = 0;
    for (let drawn = 0; drawn < values.length; drawn++) sum += values[Math.floor(random() * values.length)] ?? 0;
    return sum / values.length;
  }).sort();
  return {
    mean: meanOf(values),
    low: quantile(means, LOW),
    high: quantile(means, HIGH),
    sessions: values.length,
  };
}

function meanOf(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The nearest-rank quantile of numbers in ascending order; 0 where there are none. */
export function quantile(ascending: ArrayLike<number>, share: number): number {
  const rank = Math.ceil(share * ascending.length) - 1;
  return ascending[Math.min(ascending.length - 1, Math.max(0, rank))] ?? 0;
}
