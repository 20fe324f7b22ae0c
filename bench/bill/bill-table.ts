import { allowedTokens, type Bill, billWithFolds, type FoldModel, offlineOptimum } from "palimpsest/core";
import { billSession, REREAD_TOKENS, type SessionBill } from "./bill-session.ts";
import { callSizes } from "./call-sizes.ts";
import { REFERENCE } from "./policies.ts";
import type { Policy, Setting } from "./policy.ts";
import type { Profile } from "./profiles.ts";
import type { RecordedSession } from "./recorded-sessions.ts";

/** What all sessions cost under one policy. */
export interface BillRow {
  readonly policy: string;
  readonly usd: number;
  /** Against a summary at 80 %, in percent: negative is cheaper. */
  readonly againstSummaryPercent: number;
  readonly timesOptimum: number;
  readonly worstTimesOptimum: number;
  /** The same folds billed at the optimum's sizes: what choosing other moments would save. */
  readonly timing?: number;
  readonly worstTiming?: number;
  readonly foldsPer100Calls: number;
  /** Of the names that were needed next and had been said; absent where nothing was sent. */
  readonly lostPercent?: number;
  readonly tooLongCalls?: number;
}

export interface TableOptions {
  readonly profile: Profile;
  readonly contextWindow: number;
  readonly policies: readonly Policy[];
}

const USUAL_LEFT_TOKENS = 16_000;
/** In a small window a fold leaves no more than this share of what is allowed beside system prompt and tools. */
const MOST_LEFT_SHARE = 0.5;
const LEAST_LEFT_TOKENS = 1_000;
/** An agent for a small window brings less: of larger system prompts only so much is taken. */
const MOST_FIXED_SHARE = 0.25;

/** Bills every session under every policy. The summary at 80 % must be one of them. */
export async function measureTable(
  sessions: readonly RecordedSession[],
  { profile, contextWindow, policies }: TableOptions,
): Promise<readonly BillRow[]> {
  const settings = sessions.map((session): Setting => {
    const fixedTokens = Math.min(session.fixedTokens, MOST_FIXED_SHARE * contextWindow);
    return { session, contextWindow, entry: profile.entry, fixedTokens };
  });
  const measured: MeasuredPolicy[] = [];
  for (const policy of policies) {
    const bills: SessionBill[] = [];
    for (const setting of settings) bills.push(await billSession(policy, setting));
    measured.push({ policy, bills });
  }
  const summaryUsd = sum(measured.find(({ policy }) => policy === REFERENCE)?.bills.map(({ usd }) => usd) ?? []);
  const optimum = optimumRow(settings, { profile, summaryUsd });
  return [...measured.map((each) => rowOf(each, { settings, profile, summaryUsd })), optimum];
}

interface MeasuredPolicy {
  readonly policy: Policy;
  readonly bills: readonly SessionBill[];
}

interface RowOptions {
  readonly settings: readonly Setting[];
  readonly profile: Profile;
  readonly summaryUsd: number;
}

function rowOf({ policy, bills }: MeasuredPolicy, { settings, profile, summaryUsd }: RowOptions): BillRow {
  const { leftTokens = USUAL_LEFT_TOKENS } = policy;
  const optima = settings.map((setting) => optimumOf(setting, profile, leftTokens).usd);
  const usd = sum(bills.map((bill) => bill.usd));
  const timing = policy.leftTokens === undefined ? undefined : timingOf(settings, { bills, profile, leftTokens });
  const lost = sum(bills.map(({ lostNames }) => lostNames)) / sum(bills.map(({ neededNames }) => neededNames));
  return {
    policy: policy.name,
    usd,
    againstSummaryPercent: 100 * (usd / summaryUsd - 1),
    timesOptimum: usd / sum(optima),
    worstTimesOptimum: Math.max(...bills.map((bill, i) => bill.usd / (optima[i] ?? Number.NaN))),
    ...(timing && { timing: sum(timing) / sum(optima) }),
    ...(timing && { worstTiming: Math.max(...timing.map((each, i) => each / (optima[i] ?? Number.NaN))) }),
    foldsPer100Calls: (100 * sum(bills.map(({ folds }) => folds.length))) / callsIn(settings),
    lostPercent: 100 * lost,
    tooLongCalls: sum(bills.map(({ tooLong }) => tooLong)),
  };
}

function optimumRow(settings: readonly Setting[], { profile, summaryUsd }: Omit<RowOptions, "settings">): BillRow {
  const optima = settings.map((setting) => optimumOf(setting, profile, USUAL_LEFT_TOKENS));
  const usd = sum(optima.map((bill) => bill.usd));
  return {
    policy: "optimum, found afterwards",
    usd,
    againstSummaryPercent: 100 * (usd / summaryUsd - 1),
    timesOptimum: 1,
    worstTimesOptimum: 1,
    foldsPer100Calls: (100 * sum(optima.map(({ folds }) => folds.length))) / callsIn(settings),
  };
}

/** A policy's own folds at the sizes of the optimum, in USD for each session. */
function timingOf(
  settings: readonly Setting[],
  { bills, profile, leftTokens }: { bills: readonly SessionBill[]; profile: Profile; leftTokens: number },
): readonly number[] {
  return settings.map((setting, i) => {
    const prices = { usdPerMillion: profile.prices, cacheTtlMs: profile.entry.cacheTtlMs };
    const folds = bills[i]?.folds ?? [];
    return billWithFolds(callSizes(setting), prices, { ...foldModel(setting, leftTokens), folds }).usd;
  });
}

function optimumOf(setting: Setting, { prices, entry }: Profile, leftTokens: number): Bill {
  const calls = callSizes(setting);
  return offlineOptimum(calls, { usdPerMillion: prices, cacheTtlMs: entry.cacheTtlMs }, foldModel(setting, leftTokens));
}

/** What a fold leaves in this window, beside what binds the agent. */
function foldModel(setting: Setting, wantedTokens: number): FoldModel {
  const allowed = limitOf(setting);
  const standing = sum(callSizes(setting).map(({ fixedTokens }) => fixedTokens - setting.fixedTokens));
  const room = MOST_LEFT_SHARE * (allowed - setting.fixedTokens) - standing / setting.session.calls.length;
  const leftTokens = Math.max(LEAST_LEFT_TOKENS, Math.min(wantedTokens, room));
  return { leftTokens, rereadTokens: REREAD_TOKENS, allowedTokens: allowed };
}

function limitOf({ contextWindow, fixedTokens }: Setting): number {
  return allowedTokens({ contextWindow, overheadTokens: fixedTokens });
}

function callsIn(settings: readonly Setting[]): number {
  return sum(settings.map(({ session }) => session.calls.length));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** The rows as lines of text. */
export function billTable(rows: readonly BillRow[]): string {
  const head = [
    "policy",
    "USD",
    "to summary 80 %",
    "× optimum",
    "worst",
    "timing",
    "worst",
    "folds/100",
    "lost %",
    "too long",
  ];
  const lines = rows.map((row) => [
    row.policy,
    row.usd.toFixed(2),
    signedPercent(row.againstSummaryPercent),
    row.timesOptimum.toFixed(3),
    row.worstTimesOptimum.toFixed(3),
    row.timing?.toFixed(3) ?? "",
    row.worstTiming?.toFixed(3) ?? "",
    row.foldsPer100Calls.toFixed(1),
    row.lostPercent?.toFixed(2) ?? "",
    String(row.tooLongCalls ?? ""),
  ]);
  return [head, ...lines].map(([first = "", ...cells]) => first.padEnd(28) + cells.map(pad).join("")).join("\n");
}

/** Our folds by what they leave, as lines of text. */
export function curveTable(rows: readonly BillRow[]): string {
  const head = ["a fold leaves", "USD", "to summary 80 %", "optimum to that", "× optimum", "worst", "lost %"];
  const lines = rows.map((row) => [
    row.policy,
    row.usd.toFixed(2),
    signedPercent(row.againstSummaryPercent),
    signedPercent((100 + row.againstSummaryPercent) / row.timesOptimum - 100),
    row.timesOptimum.toFixed(3),
    row.worstTimesOptimum.toFixed(3),
    row.lostPercent?.toFixed(2) ?? "",
  ]);
  return [head, ...lines].map(([first = "", ...cells]) => first.padEnd(16) + cells.map(pad).join("")).join("\n");
}

function signedPercent(percent: number): string {
  const digits = percent.toFixed(1);
  if (digits === "0.0" || digits === "-0.0") return "0.0 %";
  return `${percent > 0 ? "+" : ""}${digits} %`;
}

function pad(cell: string): string {
  return cell.padStart(Math.max(11, cell.length + 2));
}
