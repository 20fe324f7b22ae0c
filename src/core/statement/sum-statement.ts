import { assertArray, assertFunction, assertNumber, assertObject } from "../assert.ts";
import type { MeteredPrices, ModelEntry } from "../models/model-entry.ts";
import { runSteps, type Steps } from "../steps.ts";
import { type CacheDiagnosis, sumCacheMisses } from "./cache-diagnosis.ts";
import { createFoldAccount } from "./fold-account.ts";
import { effectivePrices, realCalls } from "./real-calls.ts";
import { alternativeCosts, costsOf, sumAlternatives } from "./request-costs.ts";
import { isRequestRecord, type RequestRecord } from "./request-record.ts";
import type { RequestCosts, Statement, StatementHistory, UsageTotals } from "./statement.ts";

/** The data of one session that a statement sums. */
export interface SessionAccount {
  /** In the order in which they were sent. */
  readonly requests: readonly RequestRecord[];
  /** The cost of all condensing from `since` on, in USD, also where no request followed it. */
  readonly condensingUsd: number;
}

export interface StatementOptions {
  /** Finds a model's prices and cache lifetime. */
  readonly findModel: (modelId: string) => ModelEntry;
  /** Tokens that a fold of the optimum leaves of a conversation that was never folded; for others, the mean of their own folds. @default 16_000 */
  readonly leftTokens?: number | undefined;
  /** Sums only requests from this time on, in milliseconds since the epoch; earlier ones are used as the context of those. @default all */
  readonly since?: number | undefined;
}

const DEFAULT_LEFT_TOKENS = 16_000;

/**
 * Sums up what sessions cost, and what the same requests would have cost with other policies. Takes at most O(n²) steps for a session of n requests.
 * @example
 * ```ts
 * import { findModel, sumStatement } from "palimpsest/core";
 * const statement = sumStatement([{ requests: [], condensingUsd: 0 }], { findModel });
 * console.log(statement.requests, statement.spentUsd, statement.savedUsd.againstNothing); // 0 0 0
 * ```
 */
export function sumStatement(sessions: readonly SessionAccount[], options: StatementOptions): Statement {
  return runSteps(statementSteps(sessions, options));
}

/** {@link sumStatement} in steps: the optimum of ten thousand requests would block an event loop for too long. */
export function* statementSteps(sessions: readonly SessionAccount[], options: StatementOptions): Steps<Statement> {
  assertArray("sessions", sessions);
  const sum = createSum(checkedOptions(options));
  for (const [index, session] of sessions.entries()) yield* sum.add(checkedAccount(`sessions[${index}]`, session));
  return sum.total(sessions.length);
}

function checkedOptions(options: StatementOptions): SumOptions {
  assertObject("options", options);
  assertFunction("options.findModel", options.findModel);
  const { findModel, leftTokens = DEFAULT_LEFT_TOKENS, since = 0 } = options;
  assertNumber("options.leftTokens", leftTokens, 0);
  assertNumber("options.since", since);
  return { findModel, leftTokens, since };
}

function checkedAccount(name: string, session: SessionAccount): SessionAccount {
  assertObject(name, session);
  assertArray(`${name}.requests`, session.requests);
  assertNumber(`${name}.condensingUsd`, session.condensingUsd, 0);
  // A session may have been written by hand, or by a newer version: records that cannot be read are skipped.
  return { ...session, requests: session.requests.filter(isRequestRecord) };
}

/**
 * The requests and folds of one session, one by one, with the cost of each and its cost with other policies. Their sums are those of
 * {@link sumStatement}, but for condensing that no request followed and the earnings of folds from before `since`.
 * @example
 * ```ts
 * import { findModel, statementHistory } from "palimpsest/core";
 * const { requests, folds } = statementHistory({ requests: [], condensingUsd: 0 }, { findModel });
 * console.log(requests.length, folds.length); // 0 0
 * ```
 */
export function statementHistory(session: SessionAccount, options: StatementOptions): StatementHistory {
  return runSteps(historySteps(session, options));
}

/** {@link statementHistory} in steps. */
export function* historySteps(session: SessionAccount, options: StatementOptions): Steps<StatementHistory> {
  const sum = createSum(checkedOptions(options));
  yield* sum.add(checkedAccount("session", session));
  return sum.history();
}

/** For models with unknown prices: their folds are counted, with costs and earnings of 0. */
const FREE: MeteredPrices = { type: "metered", input: 0, output: 0 };

interface SumOptions {
  readonly findModel: (modelId: string) => ModelEntry;
  readonly leftTokens: number;
  readonly since: number;
}

function createSum(options: SumOptions) {
  const isCounted = ({ at }: RequestRecord) => at >= options.since;
  const folds = createFoldAccount();
  const diagnoses: CacheDiagnosis[] = [];
  const usage = { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };
  const sums = { requests: 0, unpriced: 0, requestsUsd: 0, condensingUsd: 0, coldCalls: 0 };
  const history: RequestCosts[] = [];
  const rereads = { requests: 0, tokens: 0 };
  const criticalFacts = { facts: 0, visible: 0 };

  function addRequest(record: RequestRecord): void {
    sums.requests += 1;
    sums.requestsUsd += record.costUsd ?? 0;
    if (record.costUsd === undefined) sums.unpriced += 1;
    addUsage(usage, record);
    if (record.cacheDiagnosis !== undefined) diagnoses.push(record.cacheDiagnosis);
    const { rereadTokens = 0 } = record;
    rereads.requests += rereadTokens > 0 ? 1 : 0;
    rereads.tokens += rereadTokens;
    criticalFacts.facts += record.criticalFacts?.facts ?? 0;
    criticalFacts.visible += record.criticalFacts?.visible ?? 0;
  }

  function* addRun(records: readonly RequestRecord[]): Steps<void> {
    const [first] = records;
    if (first === undefined) return;
    const { pricesUsdPerMillion: prices, cacheTtlMs } = options.findModel(first.modelId);
    const calls = realCalls(records, cacheTtlMs);
    // Without a cache, no call is cold.
    const cold = calls.filter(({ record, isWarm }, index) => index > 0 && !isWarm && isCounted(record));
    if (cacheTtlMs > 0) sums.coldCalls += cold.length;
    const effective = prices.type === "metered" ? effectivePrices(prices, calls) : undefined;
    const bills = effective === undefined ? [] : yield* alternativeCosts(calls, effective, options.leftTokens);
    for (const [index, call] of calls.entries()) {
      if (isCounted(call.record)) history.push(costsOf(call, bills[index]));
    }
    folds.add(calls, { prices: effective ?? FREE, isCounted });
  }

  return {
    *add({ requests, condensingUsd }: SessionAccount): Steps<void> {
      const counted = requests.filter(isCounted);
      for (const record of counted) addRequest(record);
      for (const run of runsOfOneModel(requests)) yield* addRun(run);
      sums.condensingUsd += condensingUsd;
      folds.addByHand(condensingUsd - counted.reduce((total, { condenseUsd }) => total + condenseUsd, 0));
      folds.endSession();
      yield;
    },
    history: (): StatementHistory => ({ requests: history, folds: folds.each() }),
    total: (sessions: number): Statement => {
      const { requestsUsd, ...counts } = sums;
      const spentUsd = requestsUsd + sums.condensingUsd;
      const bills = sumAlternatives(history);
      const { optimumUsd } = bills;
      const errors = history.flatMap(({ forecastErrorPercent }) => forecastErrorPercent ?? []);
      return {
        sessions,
        ...counts,
        spentUsd,
        usage: { ...usage },
        ...bills,
        ...(optimumUsd > 0 ? { ratioToOptimum: spentUsd / optimumUsd } : {}),
        savedUsd: {
          againstNothing: bills.withoutFoldsUsd - spentUsd,
          againstSummaryAt80: bills.withSummaryAt80Usd - spentUsd,
        },
        folds: folds.totals(),
        cacheHits: sumCacheHits(history),
        ...(diagnoses.length === 0 ? {} : { cacheMisses: sumCacheMisses(diagnoses) }),
        rereads: { ...rereads },
        ...(criticalFacts.facts === 0 ? {} : { criticalFacts: { ...criticalFacts } }),
        ...(errors.length === 0 ? {} : { forecastErrorPercent: percentiles(errors) }),
      };
    },
  };
}

function sumCacheHits(history: readonly RequestCosts[]): Statement["cacheHits"] {
  const sum = { expectedTokens: 0, reportedTokens: 0 };
  for (const { cacheHits } of history) {
    sum.expectedTokens += cacheHits?.expectedTokens ?? 0;
    sum.reportedTokens += cacheHits?.reportedTokens ?? 0;
  }
  return sum;
}

function addUsage(totals: { -readonly [Field in keyof UsageTotals]: number }, { usage }: RequestRecord): void {
  if (usage === undefined) return;
  totals.inputTokens += usage.inputTokens;
  totals.cacheReadTokens += usage.cacheReadTokens ?? 0;
  totals.cacheWriteTokens += usage.cacheWriteTokens ?? 0;
  totals.outputTokens += (usage.outputTokens ?? 0) + (usage.reasoningTokens ?? 0);
}

/** Splits the requests where the model changes: another model has another cache, and other prices. */
function runsOfOneModel(requests: readonly RequestRecord[]): readonly (readonly RequestRecord[])[] {
  const runs: RequestRecord[][] = [];
  for (const request of requests) {
    const newest = runs.at(-1);
    if (newest?.[0]?.modelId === request.modelId) newest.push(request);
    else runs.push([request]);
  }
  return runs;
}

function percentiles(errors: readonly number[]): { readonly p50: number; readonly p99: number } {
  const sorted = errors.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}
