import type { CountTokens, Message } from "../message/message.ts";
import type { ModelEntry } from "../models/model-entry.ts";
import { callUsd } from "../statement/call-cost.ts";
import { countCategories } from "../statement/count-categories.ts";
import type { RequestRecord, TokenCategory } from "../statement/request-record.ts";
import { countContentTokens } from "../tokens/count-content.ts";
import { countMessagesTokens } from "../tokens/count-messages.ts";
import { isSameMessage } from "./describe-difference.ts";

/** A part of the window: a category of the prompt, the `free` rest, or the part that is `reserved` for the reply. */
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
  /** The non-empty parts in the order of display. Where there was a request before, they add up to the whole window. */
  readonly bar: readonly WindowPart[];
}

/** The next request with this view, and with the system prompt and tools of the last request. */
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

/** The cost of a request: with the last request in the provider's cache (`cachedUsd`), and with an empty cache (`coldUsd`). */
export interface RequestPrice {
  readonly cachedUsd?: number;
  readonly coldUsd?: number;
}

export interface PricedRequest {
  readonly promptTokens: number;
  /** The length of the prefix that it shares with the last request. */
  readonly sharedTokens: number;
  readonly outputTokens: number;
}

/** The cost of a request; an empty object where the model's prices are unknown. */
export function priceRequest(entry: ModelEntry, request: PricedRequest): RequestPrice {
  const { pricesUsdPerMillion: usdPerMillion, cacheTtlMs } = entry;
  if (usdPerMillion.type === "unknown") return {};
  if (usdPerMillion.type === "self-hosted") return { cachedUsd: 0, coldUsd: 0 };
  const priced = (isWarm: boolean) => callUsd({ usdPerMillion, cacheTtlMs }, { ...request, isWarm });
  return { cachedUsd: priced(cacheTtlMs > 0), coldUsd: priced(false) };
}

/** The length of two views' common prefix, in our tokens. */
export function sharedViewTokens(
  before: readonly Message[],
  now: readonly Message[],
  countTokens: CountTokens = countContentTokens,
): number {
  let count = 0;
  while (count < before.length && count < now.length && isSameMessage(before[count], now[count])) count++;
  return countMessagesTokens(now.slice(0, count), countTokens);
}

export interface PriceContext {
  readonly entry: ModelEntry;
  readonly last: RequestRecord;
  /** The view of the last request. */
  readonly lastView: readonly Message[];
  readonly outputTokens: number;
}

/** The size and the cost of the next request, if it had this view. */
export function priceView(view: readonly Message[], { entry, last, lastView, outputTokens }: PriceContext) {
  const { promptTokens } = nextPrompt(view, last);
  const sharedTokens = Math.round(last.overheadTokens + last.tokenRatio * sharedViewTokens(lastView, view));
  return { promptTokens, ...priceRequest(entry, { promptTokens, sharedTokens, outputTokens }) };
}
