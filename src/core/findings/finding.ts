import type { Message } from "../message/message.ts";
import type { ModelEntry } from "../models/model-entry.ts";
import { ratesFor } from "../models/price.ts";
import type { RequestRecord } from "../statement/request-record.ts";

export type FindingKind =
  | "repeated-read"
  | "unused-tools"
  | "large-result"
  | "thrash"
  | "hidden-instruction"
  | "cold-calls";

/** Something in a session that costs more than it must, or that its agent no longer sees. */
export interface Finding {
  readonly kind: FindingKind;
  /** One line, and a few more. */
  readonly title: string;
  readonly detail: string;
  /** What it takes, in the model's tokens. */
  readonly tokens: number;
  /** What it costs with each further request, or has cost so far; absent where prices are not known. */
  readonly usd?: number | undefined;
  readonly per: "request" | "session";
  readonly messageIds: readonly string[];
  readonly foldIds: readonly string[];
  /** Of tools or files. */
  readonly names: readonly string[];
  readonly remedy: Remedy;
}

/** What can be done about it here, or why nothing can. */
export type Remedy =
  /** Hides the results of the finding's messages. */
  | { readonly type: "clear"; readonly messageIds: readonly string[] }
  | { readonly type: "restore"; readonly from: string; readonly to: string }
  | { readonly type: "none"; readonly reason: string };

/** What findings are looked for in. */
export interface FindingSource {
  /** With summaries and markers. */
  readonly log: readonly Message[];
  readonly view: readonly Message[];
  /** The oldest first. */
  readonly requests: readonly RequestRecord[];
  /** The model of the last request; undefined where there was none. */
  readonly entry: ModelEntry | undefined;
  /** What the last request declared, with what each takes of it; empty where that is not known. */
  readonly tools: readonly DeclaredTool[];
}

export interface DeclaredTool {
  readonly name: string;
  /** Of its declaration. */
  readonly characters: number;
}

/** What it costs to send so many tokens once more, from the cache where there is one; undefined where prices are not known. */
export function carryingUsd(entry: ModelEntry | undefined, tokens: number, promptTokens: number): number | undefined {
  const prices = entry?.pricesUsdPerMillion;
  if (prices === undefined || prices.type === "unknown") return undefined;
  if (prices.type === "self-hosted") return 0;
  const { input, cacheRead = input } = ratesFor(prices, promptTokens);
  return (cacheRead * tokens) / 1_000_000;
}
