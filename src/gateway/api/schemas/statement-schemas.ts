import type { JsonSchema } from "../shape.ts";
import { CACHE_DIAGNOSIS } from "./cache-schema.ts";
import { BOOLEAN, COUNT, choice, described, listOf, NUMBER, record, STRING, TIME } from "./schema-parts.ts";

const USD: JsonSchema = { type: "number", description: "In USD." };
const usd = (description: string) => described({ type: "number" }, `In USD. ${description}`);

const CAUSE = choice("pays", "cold", "threshold", "limit", "request", "hand");

const fold = record({
  cause: CAUSE,
  requests: described(COUNT, "That were folded for it."),
  hiddenTokens: COUNT,
  costUsd: usd("Condensing, and writing to the cache again what the folds left."),
  earnedUsd: usd("What the hidden tokens would have cost since."),
});

const CACHE_HITS = record({
  expectedTokens: described(COUNT, "That should have come from the provider's cache."),
  reportedTokens: described(COUNT, "That did, as the provider says."),
});

const CRITICAL_FACTS = record({ facts: COUNT, visible: described(COUNT, "Those that were still in view.") });

/** What a request consisted of, and what it cost. */
export const REQUEST_RECORD: Readonly<Record<string, JsonSchema>> = {
  modelId: STRING,
  contextWindow: COUNT,
  allowedTokens: described(COUNT, "The most that the prompt might take."),
  version: described(COUNT, "Of the session when its view was made."),
  promptTokens: described(COUNT, "As it was foretold."),
  overheadTokens: described(COUNT, "System prompt and tool definitions."),
  arrivedTokens: described(COUNT, "What was said since the request before."),
  "rereadTokens?": described(COUNT, "What of it the agent read again because a fold hid it."),
  hiddenTokens: described(COUNT, "What the log holds and the view did not show."),
  tokenRatio: described(NUMBER, "The model's tokens for one of ours."),
  tokens: described(
    { type: "object", additionalProperties: COUNT },
    "What the prompt consisted of: system, tools, user, assistant, toolResults, reasoning, images, standIns.",
  ),
  foldIds: listOf(STRING, "The folds that were made for it."),
  "criticalFacts?": described(CRITICAL_FACTS, "What these folds hid that later work will probably need."),
  decision: record({
    policy: choice("threshold", "rent"),
    reason: choice("pays", "cold", "threshold", "limit", "request", "fits", "waits", "nothing to fold"),
    "numbers?": { type: "object", additionalProperties: NUMBER },
  }),
  condenseUsd: usd("What condensing for it cost."),
  "usage?": record({
    inputTokens: COUNT,
    "cacheReadTokens?": COUNT,
    "cacheWriteTokens?": COUNT,
    "outputTokens?": COUNT,
    "reasoningTokens?": COUNT,
  }),
  "cacheDiagnosis?": CACHE_DIAGNOSIS,
  "costUsd?": USD,
  "body?": described(
    record({ wire: STRING, bytes: COUNT, root: STRING, levels: COUNT, isAsItCame: BOOLEAN }),
    "Where what was sent is kept.",
  ),
};

export const STATEMENT_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Statement: record(
    {
      sessions: COUNT,
      requests: COUNT,
      unpriced: described(COUNT, "Requests whose cost is not known; they are in no figure of money."),
      spentUsd: usd("By the reported usage, with what condensing cost."),
      condensingUsd: usd("What of it condensing cost."),
      usage: record({
        inputTokens: described(COUNT, "Neither read from a cache nor written to one."),
        cacheReadTokens: COUNT,
        cacheWriteTokens: COUNT,
        outputTokens: COUNT,
      }),
      withoutFoldsUsd: usd("With the whole conversation in each request, however large."),
      withSummaryAt80Usd: usd("Where a model summarises at 80 % of the window."),
      optimumUsd: usd("At best, with folds like ours."),
      "ratioToOptimum?": described(NUMBER, "What was spent, as a multiple of the optimum."),
      savedUsd: record({
        againstNothing: usd("Negative where folding cost more than it saved."),
        againstSummaryAt80: usd("Negative where a summary at 80 % would have been cheaper."),
      }),
      folds: listOf(fold, "By why they were made, the dearest cause last."),
      coldCalls: described(COUNT, "Requests after a pause in which the provider forgot the prompt."),
      cacheHits: CACHE_HITS,
      "cacheMisses?": listOf(
        record({ reason: STRING, requests: COUNT, missedTokens: COUNT, byAgent: COUNT, byGateway: COUNT }),
        "Why the provider's cache missed, by reason, and for how many of them we name who made the change.",
      ),
      rereads: described(
        record({ requests: COUNT, tokens: COUNT }),
        "Requests in which the agent read again what a fold hid, and how much that was.",
      ),
      "criticalFacts?": described(CRITICAL_FACTS, "What folds hid that later work will probably need."),
      "forecastErrorPercent?": record({ p50: NUMBER, p99: NUMBER }),
    },
    "What requests cost, and what the same ones would have cost otherwise; net of the cache as it was really used.",
  ),
  StatementHistory: record({
    requests: listOf(
      record({
        at: TIME,
        promptTokens: described(COUNT, "As it was foretold."),
        hiddenTokens: described(COUNT, "What the log held and it did not show."),
        spentUsd: usd("With what condensing for it cost; 0 where the cost is not known, as are all others."),
        withoutFoldsUsd: usd("With the whole conversation in it, however large."),
        withSummaryAt80Usd: usd("Where a model summarises at 80 % of the window."),
        optimumUsd: usd("At best, with folds like ours."),
        "cacheHits?": CACHE_HITS,
        "forecastErrorPercent?": NUMBER,
      }),
      "In the order in which they were sent.",
    ),
    folds: listOf(
      record({
        request: described(COUNT, "The first one that showed it, counted from 0."),
        at: TIME,
        cause: CAUSE,
        hiddenTokens: described(COUNT, "0 where something was brought back."),
        costUsd: usd("Condensing, and writing to the cache again what it left."),
        earnedUsd: usd("What the hidden tokens would have cost since."),
      }),
      "In the order in which they were first shown.",
    ),
  }),
};
