import { ratesFor } from "../models/price.ts";
import { count } from "../requests/describe-decision.ts";
import { type RequestRecord, reportedPrompt } from "../statement/request-record.ts";
import { usedTools } from "../tools/used-tools.ts";
import { carryingUsd, type Finding, type FindingSource } from "./finding.ts";

/** From 3 folded requests among the newest 10 on, the session folds too often. */
const LATELY = 10;
const LEAST_FOLDED = 3;
/** After fewer requests, it is too early to call a tool unused. */
const FEWEST_REQUESTS = 10;
const MOST_NAMES = 50;

/** Folds in quick succession, calls that found no cache, and tools that were declared and never called. */
export function findInRequests(source: FindingSource): readonly Finding[] {
  return [...thrash(source), ...coldCalls(source), ...unusedTools(source)];
}

function thrash({ requests, entry }: FindingSource): readonly Finding[] {
  const lately = requests.slice(-LATELY);
  const folded = lately.filter(({ foldIds }) => foldIds.length > 0);
  if (folded.length < LEAST_FOLDED) return [];
  const rereadTokens = lately.reduce((sum, { rereadTokens = 0 }) => sum + rereadTokens, 0);
  const last = requests.at(-1);
  return [
    {
      kind: "thrash",
      title: `Folded for ${folded.length} of the last ${lately.length} requests`,
      detail: `Each fold has the provider write to its cache anew what it leaves, and the agent read ${count(rereadTokens)} tokens again. A larger budget folds less often.`,
      tokens: rereadTokens,
      usd: carryingUsd(entry, rereadTokens, last?.promptTokens ?? 0),
      per: "session",
      messageIds: [],
      foldIds: folded.flatMap(({ foldIds }) => foldIds),
      names: [],
      remedy: {
        type: "none",
        reason:
          "How often to fold is set when the gateway is started: --economy careful leaves more of the conversation, --window names a larger window.",
      },
    },
  ];
}

/** Requests after a pause in which the provider's cache expired. */
function coldCalls({ requests, entry }: FindingSource): readonly Finding[] {
  const ttlMs = entry?.cacheTtlMs ?? 0;
  if (ttlMs === 0) return [];
  const cold = requests.filter((request, index) => index > 0 && isCold(request, requests[index - 1], ttlMs));
  const tokens = cold.reduce((sum, request) => sum + (reportedPrompt(request.usage) ?? 0), 0);
  if (tokens === 0) return [];
  const minutes = Math.round(ttlMs / 60_000);
  return [
    {
      kind: "cold-calls",
      title: `${cold.length} ${cold.length === 1 ? "request" : "requests"} found nothing in the provider's cache`,
      detail: `They came more than ${minutes} minutes after the one before, so ${count(tokens)} tokens were paid for in full.`,
      tokens,
      usd: surchargeUsd(entry, cold),
      per: "session",
      messageIds: [],
      foldIds: [],
      names: [],
      remedy: {
        type: "none",
        reason:
          "How long a provider keeps a prompt is its own rule; on Anthropic, --cache-ttl 1h keeps system prompt and tools longer.",
      },
    },
  ];
}

function isCold({ at, usage }: RequestRecord, before: RequestRecord | undefined, ttlMs: number): boolean {
  if (usage === undefined || before === undefined || at - before.at <= ttlMs) return false;
  return (usage.cacheReadTokens ?? 0) === 0;
}

/** The additional cost of the requests, compared with reading their prompts from the cache. */
function surchargeUsd(entry: FindingSource["entry"], cold: readonly RequestRecord[]): number | undefined {
  const prices = entry?.pricesUsdPerMillion;
  if (prices?.type !== "metered") return prices?.type === "self-hosted" ? 0 : undefined;
  return cold.reduce((sum, { usage }) => {
    const tokens = reportedPrompt(usage) ?? 0;
    const { input, cacheRead = input, cacheWrite = input } = ratesFor(prices, tokens);
    const { inputTokens = 0, cacheWriteTokens = 0 } = usage ?? {};
    return sum + (inputTokens * input + cacheWriteTokens * cacheWrite - tokens * cacheRead) / 1_000_000;
  }, 0);
}

function unusedTools({ requests, log, tools, entry }: FindingSource): readonly Finding[] {
  const last = requests.at(-1);
  if (last === undefined || requests.length < FEWEST_REQUESTS) return [];
  const used = new Set(usedTools(log));
  const unused = tools.filter(({ name }) => !used.has(name));
  const all = tools.reduce((sum, { characters }) => sum + characters, 0);
  const share = all === 0 ? 0 : unused.reduce((sum, { characters }) => sum + characters, 0) / all;
  const tokens = Math.round((last.tokens.tools ?? 0) * share);
  if (unused.length === 0 || tokens === 0) return [];
  return [
    {
      kind: "unused-tools",
      title: `${unused.length} of ${tools.length} tools were never called in ${requests.length} requests`,
      detail: `Their declarations take ${count(tokens)} tokens of each request.`,
      tokens,
      usd: carryingUsd(entry, tokens, last.promptTokens),
      per: "request",
      messageIds: [],
      foldIds: [],
      names: unused.map(({ name }) => name).slice(0, MOST_NAMES),
      remedy: {
        type: "none",
        reason:
          "Which tools are declared is the agent's own setting: switch off the servers or tools there that this work does not need.",
      },
    },
  ];
}
