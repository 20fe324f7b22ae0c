import { setImmediate } from "node:timers/promises";
import type { Message } from "palimpsest";
import type { ModelEntry, TokenPrices } from "palimpsest/core";
import { sharedPrefix, tokensOfAll } from "./counted.ts";
import { createNameWatch } from "./names.ts";
import { type Policy, type PolicyView, promptTokensOf, type Replay, type Setting, type ViewUsage } from "./policy.ts";
import type { RecordedCall } from "./recorded-sessions.ts";

/** What one session cost under a policy. */
export interface SessionBill {
  readonly usd: number;
  /** Indexes of the calls whose view did not go on from the one before. */
  readonly folds: readonly number[];
  /** Calls whose prompt was larger than the window. */
  readonly tooLong: number;
  readonly neededNames: number;
  readonly lostNames: number;
}

/** What the agent is taken to read again after a fold, where so much was hidden. */
export const REREAD_TOKENS = 1_000;

/** Replays a session under a policy and bills what was really sent. */
export async function billSession(policy: Policy, setting: Setting): Promise<SessionBill> {
  // what the engine leaves to idle time, and what it only refers to weakly, is released when the event loop turns
  await setImmediate();
  const replay = await policy.start(setting);
  const names = createNameWatch();
  const folds: number[] = [];
  let usd = 0;
  let tooLong = 0;
  let previous: SentView = { messages: [], atMs: Number.NEGATIVE_INFINITY };
  for (const [index, call] of setting.session.calls.entries()) {
    names.said(call.newMessages);
    const view = await sentView(replay, setting, call);
    const billed = billCall(setting, previous, { call, view });
    usd += billed.usd;
    if (billed.isFold) folds.push(index);
    if (billed.promptTokens > setting.contextWindow) tooLong++;
    names.answered(view.messages, call.reply);
    replay.observe?.(billed.usage);
    previous = { messages: view.messages, atMs: call.atMs };
  }
  return { usd, folds, tooLong, neededNames: names.needed, lostNames: names.lost };
}

/** The view that the provider takes: one that is longer than its window it refuses once. */
async function sentView(replay: Replay, setting: Setting, call: RecordedCall): Promise<PolicyView> {
  const view = await replay.view(call);
  const promptTokens = promptTokensOf(setting, tokensOfAll(view.messages));
  return promptTokens > setting.contextWindow ? ((await replay.refused?.(promptTokens)) ?? view) : view;
}

interface SentView {
  readonly messages: readonly Message[];
  readonly atMs: number;
}

interface BilledView {
  readonly usd: number;
  readonly isFold: boolean;
  readonly promptTokens: number;
  readonly usage: ViewUsage;
}

function billCall(
  setting: Setting,
  previous: SentView,
  { call, view }: { readonly call: RecordedCall; readonly view: PolicyView },
): BilledView {
  const { entry, session } = setting;
  const shared = sharedPrefix(previous.messages, view.messages);
  const isFold = shared.messages < previous.messages.length;
  const promptTokens = promptTokensOf(setting, tokensOfAll(view.messages));
  // a clock that went backwards is no pause
  const isWarm = entry.cacheTtlMs > 0 && call.atMs - previous.atMs <= entry.cacheTtlMs;
  const cacheReadTokens = isWarm ? promptTokensOf(setting, shared.tokens) : 0;
  const cacheWriteTokens = promptTokens - cacheReadTokens;
  const { outputTokens } = call;
  const rates = ratesAt(entry, promptTokens);
  const hiddenTokens = hiddenBy(previous.messages, call, view.messages) * session.tokenRatio;
  const rereadTokens = isFold ? Math.min(REREAD_TOKENS, Math.max(0, hiddenTokens)) : 0;
  const microUsd =
    rates.cacheRead * (cacheReadTokens + rereadTokens) +
    rates.cacheWrite * (cacheWriteTokens + rereadTokens) +
    rates.output * outputTokens;
  const usage = { inputTokens: 0, cacheReadTokens, cacheWriteTokens, outputTokens };
  return { usd: microUsd / 1_000_000 + summaryUsd(entry, view), isFold, promptTokens, usage };
}

/** What is in the view no longer, as we count. */
function hiddenBy(before: readonly Message[], { newMessages }: RecordedCall, after: readonly Message[]): number {
  return tokensOfAll(before) + tokensOfAll(newMessages) - tokensOfAll(after);
}

function summaryUsd(entry: ModelEntry, { summary }: PolicyView): number {
  if (summary === undefined) return 0;
  const rates = ratesAt(entry, summary.promptTokens);
  return (rates.cacheRead * summary.promptTokens + rates.output * summary.outputTokens) / 1_000_000;
}

function ratesAt({ id, pricesUsdPerMillion: prices }: ModelEntry, promptTokens: number): Required<TokenPrices> {
  if (prices.type !== "metered") throw new Error(`The bench bills by prices, and those of ${id} are ${prices.type}.`);
  const rates = prices.longPrompts?.findLast(({ aboveTokens }) => promptTokens > aboveTokens) ?? prices;
  const { input, output, cacheRead = input, cacheWrite = input } = rates;
  return { input, output, cacheRead, cacheWrite };
}
