import { tryParseJson } from "../json/parse-json.ts";
import { fieldAt, isRecord } from "../json/read-json.ts";
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

/** A needless cost in a session, or an instruction that its agent no longer sees. */
export interface Finding {
  readonly kind: FindingKind;
  /** One line. */
  readonly title: string;
  /** A few more lines. */
  readonly detail: string;
  /** The tokens that it takes, in the model's tokens. */
  readonly tokens: number;
  /** Its cost with each further request, or so far, as `per` says; absent where prices are unknown. */
  readonly usd?: number | undefined;
  readonly per: "request" | "session";
  readonly messageIds: readonly string[];
  readonly foldIds: readonly string[];
  /** The names of tools or files. */
  readonly names: readonly string[];
  readonly remedy: Remedy;
}

/** The operation that fixes a finding, or why there is none. */
export type Remedy =
  /** Hides the results of the finding's messages. */
  | { readonly type: "clear"; readonly messageIds: readonly string[] }
  | { readonly type: "restore"; readonly from: string; readonly to: string }
  | { readonly type: "none"; readonly reason: string };

/** The session in which findings are searched. */
export interface FindingSource {
  /** With summaries and markers. */
  readonly log: readonly Message[];
  readonly view: readonly Message[];
  /** The oldest first. */
  readonly requests: readonly RequestRecord[];
  /** The model of the last request; undefined where there was none. */
  readonly entry: ModelEntry | undefined;
  /** The tools that the last request declared; empty where they are unknown. */
  readonly tools: readonly DeclaredTool[];
}

export interface DeclaredTool {
  readonly name: string;
  /** The length of its declaration. */
  readonly characters: number;
}

/** The cost of sending so many tokens once more, from the cache where the model has one; undefined where prices are unknown. */
export function carryingUsd(entry: ModelEntry | undefined, tokens: number, promptTokens: number): number | undefined {
  const prices = entry?.pricesUsdPerMillion;
  if (prices === undefined || prices.type === "unknown") return undefined;
  if (prices.type === "self-hosted") return 0;
  const { input, cacheRead = input } = ratesFor(prices, promptTokens);
  return (cacheRead * tokens) / 1_000_000;
}

/** The tools that the body of a request to any API declares; none where it is not JSON. */
export function declaredTools(body: string): readonly DeclaredTool[] {
  const value = tryParseJson(body);
  const tools = fieldAt(value, "tools") ?? fieldAt(value, "request", "tools");
  return Array.isArray(tools) ? tools.flatMap(toolsIn) : [];
}

/** The tools in one entry of the list: the name may be in the entry or in its `function`, and Gemini groups declarations in an entry. */
function toolsIn(tool: unknown): readonly DeclaredTool[] {
  if (!isRecord(tool)) return [];
  const grouped = tool.functionDeclarations ?? tool.function_declarations;
  if (Array.isArray(grouped)) return grouped.flatMap(toolsIn);
  const name = tool.name ?? fieldAt(tool, "function", "name");
  return typeof name === "string" ? [{ name, characters: JSON.stringify(tool).length }] : [];
}
