import { assertArray, assertFunction, assertNumber, assertObject } from "../assert.ts";
import type { MeteredPrices, ModelEntry } from "../models/model-entry.ts";
import { runSteps, type Steps } from "../steps.ts";
import { billWithoutFolds, billWithSummaryAt } from "./bill.ts";
import { type CacheDiagnosis, sumCacheMisses } from "./cache-diagnosis.ts";
import type { CallSize } from "./call-size.ts";
import { createFoldAccount } from "./fold-account.ts";
import { optimumSteps } from "./offline-optimum.ts";
import { CACHE_LIFETIME_MS, effectivePrices, type RealCall, realCalls, unfoldedCalls } from "./real-calls.ts";
import { type Alternatives, costsOf, forecastError, sumAlternatives } from "./request-costs.ts";
import { isRequestRecord, type RequestRecord } from "./request-record.ts";
import type { RequestCosts, Statement, StatementHistory, UsageTotals } from "./statement.ts";

/** What one session has to tell for a statement. */
export interface SessionAccount {
  /** In the order in which they were sent. */
  readonly requests: readonly RequestRecord[];
  /** What condensing cost, in USD, also where no request followed it; from `since` on. */
  readonly condensingUsd: number;
}

export interface StatementOptions {
  /** What is known of a model. */
  readonly findModel: (modelId: string) => ModelEntry;
  /** What a fold of the optimum leaves of a conversation that was never folded; of others, what their folds left. @default 16_000 */
  readonly leftTokens?: number | undefined;
  /** Only requests from this moment on are summed, in milliseconds since the epoch; those before tell what they followed. @default all */
  readonly since?: number | undefined;
}

const DEFAULT_LEFT_TOKENS = 16_000;
const SUMMARY_SHARE = 0.8;

/**
 * Sums up what sessions cost, and what the same requests would have cost otherwise. Takes O(n²) steps in the requests of a session at most.
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

/** The same in steps: the optimum of ten thousand requests takes longer than an event loop should be held. */
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
  // A session may have been written by hand, or by a version that knew more: what cannot be read is passed over.
  return { ...session, requests: session.requests.filter(isRequestRecord) };
}

/**
 * The requests and folds of one session, one by one, with what each cost and would have cost otherwise. Their sums are those of
 * {@link sumStatement}, but for condensing that no request followed and what folds before `since` earned after it.
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

/** The same in steps, as {@link statementSteps}. */
export function* historySteps(session: SessionAccount, options: StatementOptions): Steps<StatementHistory> {
  const sum = createSum(checkedOptions(options));
  yield* sum.add(checkedAccount("session", session));
  return sum.history();
}

/** Of models whose prices are not known: folds are counted, and neither cost nor earn anything that could be told. */
const FREE: MeteredPrices = { type: "metered", input: 0, output: 0 };

interface SumOptions {
  readonly findModel: (modelId: string) => ModelEntry;
  readonly leftTokens: number;
  readonly since: number;
}

function createSum(options: SumOptions) {
  const isCounted = ({ at }: RequestRecord) => at >= options.since;
  const folds = createFoldAccount();
  const errors: number[] = [];
  const diagnoses: CacheDiagnosis[] = [];
  const usage = { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };
  const sums = { requests: 0, unpriced: 0, requestsUsd: 0, condensingUsd: 0, coldCalls: 0 };
  const history: RequestCosts[] = [];
  const cacheHits = { expectedTokens: 0, reportedTokens: 0 };
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
    const error = forecastError(record);
    if (error !== undefined) errors.push(error);
  }

  function* addStretch(records: readonly RequestRecord[]): Steps<void> {
    const [first] = records;
    if (first === undefined) return;
    const { pricesUsdPerMillion: prices, cacheTtlMs } = options.findModel(first.modelId);
    const calls = realCalls(records, cacheTtlMs);
    // What has no cache cannot go cold.
    const cold = calls.filter(({ record, isWarm }, index) => index > 0 && !isWarm && isCounted(record));
    if (cacheTtlMs > 0) sums.coldCalls += cold.length;
    for (const { record, isWarm, sharedTokens } of calls) {
      if (record.usage === undefined || !isCounted(record)) continue;
      cacheHits.expectedTokens += isWarm ? sharedTokens : 0;
      cacheHits.reportedTokens += record.usage.cacheReadTokens ?? 0;
    }
    const effective = prices.type === "metered" ? effectivePrices(prices, calls) : undefined;
    const bills = effective === undefined ? [] : yield* billsOf(calls, effective);
    for (const [index, call] of calls.entries()) {
      if (isCounted(call.record)) history.push(costsOf(call, bills[index]));
    }
    folds.add(calls, { prices: effective ?? FREE, isCounted });
  }

  /** What each call would have cost otherwise. */
  function* billsOf(calls: readonly RealCall[], prices: MeteredPrices): Steps<readonly Alternatives[]> {
    const callPrices = { usdPerMillion: prices, cacheTtlMs: CACHE_LIFETIME_MS };
    const sizes = unfoldedCalls(calls);
    // What a fold made the agent read again, nobody would have read where nothing is folded.
    const withoutRereads = sizes.map((size, index) => withoutReread(size, calls[index]));
    const contextWindow = calls.reduce((most, { record }) => Math.max(most, record.contextWindow), 0);
    const allowedTokens = calls.reduce((most, { record }) => Math.max(most, record.allowedTokens), 0);
    const optimum = { leftTokens: meanLeft(calls) ?? options.leftTokens, allowedTokens };
    yield;
    const nothing = billWithoutFolds(withoutRereads, callPrices);
    yield;
    const summary = billWithSummaryAt(sizes, callPrices, { share: SUMMARY_SHARE, contextWindow });
    yield;
    const best = yield* optimumSteps(sizes, callPrices, optimum);
    yield;
    return calls.map((_, index) => ({
      withoutFoldsUsd: nothing.callsUsd[index] ?? 0,
      withSummaryAt80Usd: summary.callsUsd[index] ?? 0,
      optimumUsd: best.callsUsd[index] ?? 0,
    }));
  }

  return {
    *add({ requests, condensingUsd }: SessionAccount): Steps<void> {
      const counted = requests.filter(isCounted);
      for (const record of counted) addRequest(record);
      for (const stretch of stretchesOf(requests)) yield* addStretch(stretch);
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
        cacheHits: { ...cacheHits },
        ...(diagnoses.length === 0 ? {} : { cacheMisses: sumCacheMisses(diagnoses) }),
        rereads: { ...rereads },
        ...(criticalFacts.facts === 0 ? {} : { criticalFacts: { ...criticalFacts } }),
        ...(errors.length === 0 ? {} : { forecastErrorPercent: percentiles(errors) }),
      };
    },
  };
}

/** What folds left of the conversation, on average; undefined where nothing was folded. */
function meanLeft(calls: readonly RealCall[]): number | undefined {
  const folded = calls.filter(({ record }) => record.foldIds.length > 0);
  if (folded.length === 0) return undefined;
  return folded.reduce((sum, { shownTokens }) => sum + shownTokens, 0) / folded.length;
}

function withoutReread(size: CallSize, call: RealCall | undefined): CallSize {
  const { rereadTokens = 0 } = call?.record ?? {};
  return { ...size, arrivedTokens: Math.max(0, size.arrivedTokens - rereadTokens) };
}

function addUsage(totals: { -readonly [Field in keyof UsageTotals]: number }, { usage }: RequestRecord): void {
  if (usage === undefined) return;
  totals.inputTokens += usage.inputTokens;
  totals.cacheReadTokens += usage.cacheReadTokens ?? 0;
  totals.cacheWriteTokens += usage.cacheWriteTokens ?? 0;
  totals.outputTokens += (usage.outputTokens ?? 0) + (usage.reasoningTokens ?? 0);
}

/** Another model has another cache, and other prices. */
function stretchesOf(requests: readonly RequestRecord[]): readonly (readonly RequestRecord[])[] {
  const stretches: RequestRecord[][] = [];
  for (const request of requests) {
    const newest = stretches.at(-1);
    if (newest?.[0]?.modelId === request.modelId) newest.push(request);
    else stretches.push([request]);
  }
  return stretches;
}

function percentiles(errors: readonly number[]): { readonly p50: number; readonly p99: number } {
  const sorted = errors.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}
