import type { CountTokens, Message } from "../message/message.ts";
import type { ModelEntry } from "../models/model-entry.ts";
import { callUsd } from "../statement/call-cost.ts";
import { countCategories } from "../statement/count-categories.ts";
import type { RequestRecord, TokenCategory } from "../statement/request-record.ts";
import { countContentTokens } from "../tokens/count-content.ts";
import { countMessagesTokens } from "../tokens/count-messages.ts";

/** A part of the window: what the prompt consists of, what is still free, and what is kept free for the reply. */
export interface WindowPart {
  readonly category: TokenCategory | "free" | "reserved";
  readonly tokens: number;
}

const CATEGORIES: readonly TokenCategory[] = [
  "system",
  "tools",
  "user",
  "assistant",
  "toolResults",
  "reasoning",
  "images",
  "standIns",
];

export interface NextPrompt {
  readonly promptTokens: number;
  /** In the order in which people read it; parts of nothing are left out. With a request before it, the parts are the whole window. */
  readonly bar: readonly WindowPart[];
}

/** What the next request would consist of: this view, beside what the last request had for its system prompt and tools. */
export function nextPrompt(
  view: readonly Message[],
  last: RequestRecord | undefined,
  countTokens: CountTokens = countContentTokens,
): NextPrompt {
  const ratio = last !== undefined && last.tokenRatio > 0 ? last.tokenRatio : 1;
  const counts = new Map<TokenCategory, number>([
    ["system", (last?.tokens.system ?? 0) / ratio],
    ["tools", (last?.tokens.tools ?? 0) / ratio],
  ]);
  for (const message of view) {
    for (const [category, tokens] of countCategories(message, countTokens)) {
      counts.set(category, (counts.get(category) ?? 0) + tokens);
    }
  }
  const shown = CATEGORIES.map((category) => ({ category, tokens: Math.round((counts.get(category) ?? 0) * ratio) }));
  const promptTokens = shown.reduce((sum, { tokens }) => sum + tokens, 0);
  const rest: readonly WindowPart[] =
    last === undefined
      ? []
      : [
          { category: "free", tokens: Math.max(0, last.allowedTokens - promptTokens) },
          {
            category: "reserved",
            tokens: Math.max(0, last.contextWindow - Math.max(last.allowedTokens, promptTokens)),
          },
        ];
  return { promptTokens, bar: [...shown, ...rest].filter(({ tokens }) => tokens > 0) };
}

/** What a request of this size costs: where the provider still has what it shares with the last one, and where it has forgotten all. */
export interface RequestPrice {
  readonly cachedUsd?: number;
  readonly coldUsd?: number;
}

export interface PricedRequest {
  readonly promptTokens: number;
  /** Equal to the beginning of the last request. */
  readonly sharedTokens: number;
  readonly outputTokens: number;
}

/** Nothing where the model's prices are not known. */
export function priceRequest(entry: ModelEntry, request: PricedRequest): RequestPrice {
  const { pricesUsdPerMillion: usdPerMillion, cacheTtlMs } = entry;
  if (usdPerMillion.type === "unknown") return {};
  if (usdPerMillion.type === "self-hosted") return { cachedUsd: 0, coldUsd: 0 };
  const priced = (isWarm: boolean) => callUsd({ usdPerMillion, cacheTtlMs }, { ...request, isWarm });
  return { cachedUsd: priced(cacheTtlMs > 0), coldUsd: priced(false) };
}

/** Our tokens that two views begin with alike. */
export function sharedViewTokens(
  before: readonly Message[],
  now: readonly Message[],
  countTokens: CountTokens = countContentTokens,
): number {
  let count = 0;
  while (count < before.length && count < now.length && isSame(before[count], now[count])) count++;
  return countMessagesTokens(now.slice(0, count), countTokens);
}

function isSame(one: Message | undefined, other: Message | undefined): boolean {
  if (one === other) return true;
  return one?.role === other?.role && JSON.stringify(one?.content) === JSON.stringify(other?.content);
}

export interface PriceContext {
  readonly entry: ModelEntry;
  readonly last: RequestRecord;
  /** The view that the last request was sent with. */
  readonly lastView: readonly Message[];
  readonly outputTokens: number;
}

/** The next request with this view: its size, and its price. */
export function priceView(view: readonly Message[], { entry, last, lastView, outputTokens }: PriceContext) {
  const { promptTokens } = nextPrompt(view, last);
  const sharedTokens = Math.round(last.overheadTokens + last.tokenRatio * sharedViewTokens(lastView, view));
  return { promptTokens, ...priceRequest(entry, { promptTokens, sharedTokens, outputTokens }) };
}
