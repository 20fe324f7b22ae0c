import type { JsonSchema } from "../shape.ts";
import { BOOLEAN, COUNT, choice, described, NUMBER, page, record, ref, STRING, TIME } from "./schema-parts.ts";
import { REQUEST_RECORD } from "./statement-schemas.ts";

const TRUE: JsonSchema = { const: true };
const FALSE: JsonSchema = { const: false };

const { "body?": _, decision: __, ...recorded } = REQUEST_RECORD;

const body: JsonSchema = {
  oneOf: [
    record({
      isKept: TRUE,
      bytes: COUNT,
      wire: described(STRING, "The API that it is for."),
      isAsItCame: described(BOOLEAN, "Whether it is what the agent sent, byte for byte."),
    }),
    record({ isKept: FALSE, reason: STRING }),
  ],
};

/** Schemas of requests and what is derived from them. */
export const REQUEST_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Request: record({
    index: described(COUNT, "Among the session's requests, counted from 0."),
    at: TIME,
    ...recorded,
    decision: record({
      policy: choice("threshold", "rent"),
      reason: choice("pays", "cold", "threshold", "limit", "request", "fits", "waits", "nothing to fold"),
      "numbers?": { type: "object", additionalProperties: NUMBER },
      sentence: described(STRING, "Why something was folded for it, or why not, with the numbers."),
    }),
    "cachedShare?": described(NUMBER, "What of the prompt the provider read from its cache, from 0 to 1."),
    body,
  }),
  RequestPage: page("requests", ref("Request")),
};
