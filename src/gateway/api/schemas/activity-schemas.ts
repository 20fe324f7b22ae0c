import type { JsonSchema } from "../shape.ts";
import {
  always,
  BOOLEAN,
  COUNT,
  choice,
  described,
  listOf,
  NUMBER,
  record,
  ref,
  STRING,
  TIME,
} from "./schema-parts.ts";

const USD: JsonSchema = { type: "number", description: "In USD, as far as prices are known." };

const totals = {
  requests: COUNT,
  tokensIn: described(COUNT, "Of the prompts as agents sent them."),
  tokensSent: described(COUNT, "Of the prompts as they went upstream."),
  folds: COUNT,
  retries: described(COUNT, "Refused upstream as too long, then sent again shorter."),
  costUsd: USD,
};

const usage = record({
  inputTokens: COUNT,
  "cacheReadTokens?": COUNT,
  "cacheWriteTokens?": COUNT,
  "outputTokens?": COUNT,
  "reasoningTokens?": COUNT,
});

/** Schemas of activities, statistics and health. */
export const ACTIVITY_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Health: record({
    status: choice("ok", "degraded"),
    version: STRING,
    uptimeMs: NUMBER,
    store: choice("ok", "unreachable"),
  }),
  RequestTotals: record(totals, "Sums over the requests since the gateway was started."),
  Stats: record({
    ...totals,
    startedAt: TIME,
    statuses: described(
      { type: "object", additionalProperties: COUNT },
      'Requests by what the upstream answered; "none" where it did not.',
    ),
    incidents: described(COUNT, "Something of ours failed, and the request went on without it."),
    version: STRING,
    uptimeMs: NUMBER,
    savedTokens: described({ type: "integer" }, "tokensIn less tokensSent."),
    eventStreams: described(COUNT, "Clients of /palimpsest/api/events that are connected."),
    residentMemoryBytes: COUNT,
  }),
  RequestActivity: record(
    {
      type: always("request"),
      at: TIME,
      startedAt: TIME,
      api: described(STRING, "The API that was spoken, such as anthropic or openai-chat."),
      operation: choice("generate", "count-tokens", "compact"),
      modelId: STRING,
      "sessionId?": described(STRING, "Missing where the request belongs to no session."),
      "status?": described({ type: "integer" }, "Missing where the upstream never answered."),
      isStreaming: BOOLEAN,
      isComplete: BOOLEAN,
      tokensIn: COUNT,
      tokensSent: COUNT,
      foldIds: listOf(STRING, "The folds that were made for this request."),
      retries: COUNT,
      addedMs: described(NUMBER, "What the gateway added before the request went upstream."),
      "usage?": usage,
      "costUsd?": USD,
    },
    "One request to an upstream that is over.",
  ),
  SessionActivity: record(
    {
      type: always("session"),
      at: TIME,
      sessionId: STRING,
      change: choice("created", "appended", "folded", "rewound", "restored", "updated", "deleted"),
    },
    "A session's log, folds or events are no longer what they were.",
  ),
  IncidentActivity: record(
    { type: always("incident"), at: TIME, what: STRING, error: STRING },
    "Something of ours failed, and the request went on without it.",
  ),
  Activity: { oneOf: [ref("RequestActivity"), ref("SessionActivity"), ref("IncidentActivity")] },
  Error: record({
    error: record({
      code: described(STRING, "For programs."),
      message: described(STRING, "For people: what is wrong, and what to do."),
    }),
  }),
};
