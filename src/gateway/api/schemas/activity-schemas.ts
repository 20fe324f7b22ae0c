import type { JsonSchema } from "../shape.ts";
import { always, BOOLEAN, COUNT, choice, listOf, NUMBER, record, ref, STRING, said, TIME } from "./schema-parts.ts";

const USD: JsonSchema = { type: "number", description: "In USD, as far as prices are known." };

const totals = {
  requests: COUNT,
  tokensIn: said(COUNT, "Of the prompts as agents sent them."),
  tokensSent: said(COUNT, "Of the prompts as they went upstream."),
  folds: COUNT,
  retries: said(COUNT, "Refused upstream as too long, then sent again shorter."),
  costUsd: USD,
  savedUsd: USD,
};

const usage = record({
  inputTokens: COUNT,
  "cacheReadTokens?": COUNT,
  "cacheWriteTokens?": COUNT,
  "outputTokens?": COUNT,
  "reasoningTokens?": COUNT,
});

/** Schemas of what the gateway tells about itself. */
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
    statuses: said(
      { type: "object", additionalProperties: COUNT },
      'Requests by what the upstream answered; "none" where it did not.',
    ),
    incidents: said(COUNT, "Something of ours failed, and the request went on without it."),
    version: STRING,
    uptimeMs: NUMBER,
    savedTokens: said({ type: "integer" }, "tokensIn less tokensSent."),
    eventStreams: said(COUNT, "Clients of /palimpsest/api/events that are connected."),
    residentMemoryBytes: COUNT,
  }),
  RequestActivity: record(
    {
      type: always("request"),
      at: TIME,
      startedAt: TIME,
      api: said(STRING, "The API that was spoken, such as anthropic or openai-chat."),
      operation: choice("generate", "count-tokens"),
      modelId: STRING,
      "sessionId?": said(STRING, "Missing where the request belongs to no session."),
      "status?": said({ type: "integer" }, "Missing where the upstream never answered."),
      isStreaming: BOOLEAN,
      isComplete: BOOLEAN,
      tokensIn: COUNT,
      tokensSent: COUNT,
      foldIds: listOf(STRING, "The folds that were made for this request."),
      retries: COUNT,
      addedMs: said(NUMBER, "What the gateway added before the request went upstream."),
      "usage?": usage,
      "costUsd?": USD,
      "savedUsd?": USD,
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
      code: said(STRING, "For programs."),
      message: said(STRING, "For people: what is wrong, and what to do."),
    }),
  }),
};
