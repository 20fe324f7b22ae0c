import type { JsonSchema } from "../shape.ts";
import { CACHE_DIAGNOSIS } from "./cache-schema.ts";
import {
  always,
  BOOLEAN,
  COUNT,
  choice,
  described,
  listOf,
  NUMBER,
  page,
  record,
  ref,
  STRING,
  TIME,
} from "./schema-parts.ts";
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

const CATEGORIES = ["system", "tools", "user", "assistant", "toolResults", "reasoning", "images", "standIns"] as const;
const STATES = ["sent", "cached", "stand-in", "hidden", "restored"] as const;

function tuple(...items: readonly JsonSchema[]): JsonSchema {
  return { type: "array", prefixItems: items, items: false, minItems: items.length, maxItems: items.length };
}

const MESSAGE_KIND = choice("text", "tool-call", "tool-result", "reasoning", "image", "summary", "other");

/** How requests showed a message, or a block of it. */
const SHOWN: Readonly<Record<string, JsonSchema>> = {
  "nowState?": described(
    choice("sent", "stand-in", "hidden"),
    "How the view shows it now; missing where the log does not have it.",
  ),
  "nowFoldId?": STRING,
  runs: listOf(
    { oneOf: [tuple(COUNT, COUNT, choice(...STATES)), tuple(COUNT, COUNT, choice(...STATES), STRING)] },
    "The first and the last request of a run, how they showed it, and the fold that did.",
  ),
};

const block = record({
  kind: MESSAGE_KIND,
  label: described(STRING, "Its beginning, in one line."),
  "toolName?": STRING,
  tokens: COUNT,
  ...SHOWN,
});

const row = record({
  index: described(COUNT, "Among all rows, counted from 0."),
  "id?": STRING,
  role: choice("user", "assistant"),
  kind: MESSAGE_KIND,
  label: described(STRING, "Its beginning, in one line."),
  "toolName?": STRING,
  tokens: COUNT,
  "blockCount?": described(COUNT, "Where it has more than one block."),
  "blocks?": listOf(block, "Where they were asked for, in the order of the message."),
  "standIn?": described(TRUE, "It is a summary or a marker: nobody said it."),
  "foldId?": described(STRING, "The fold that a summary or a marker was made for."),
  "isRewound?": described(TRUE, "A rewind took it out of the log."),
  "important?": TRUE,
  ...SHOWN,
});

const column = record({
  index: COUNT,
  at: TIME,
  promptTokens: COUNT,
  hiddenTokens: described(COUNT, "What folds kept out of it."),
  "cacheReadTokens?": COUNT,
  foldIds: listOf(STRING),
  reason: STRING,
});

/** Schemas of requests and of what is computed from them. */
export const REQUEST_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Request: record({
    index: described(COUNT, "Among the session's requests, counted from 0."),
    at: TIME,
    ...recorded,
    shownFoldIds: listOf(STRING, "The folds whose stand-ins it showed."),
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
  Now: record({
    version: COUNT,
    "modelId?": described(
      STRING,
      "Of the last request; missing where there was none, as is all that depends on a model.",
    ),
    "contextWindow?": COUNT,
    "allowedTokens?": COUNT,
    promptTokens: described(COUNT, "Of the next request, as far as it is known."),
    bar: listOf(
      record({ category: choice(...CATEGORIES, "free", "reserved"), tokens: COUNT }),
      "What the window is filled with; where there was a request, all parts together are the window.",
    ),
    growthTokens: described(COUNT, "What came with each of the newest requests, on average."),
    "turnsLeft?": described(COUNT, "Requests until nothing more fits, at this growth, if nothing is folded."),
    nextRequest: described(
      record({ "cachedUsd?": NUMBER, "coldUsd?": NUMBER }),
      "What the next request costs, in USD: where the provider still has what both share, and where it has forgotten all.",
    ),
    "last?": ref("Request"),
  }),
  RestorePrice: record({
    "foldId?": STRING,
    "from?": STRING,
    "to?": STRING,
    tokens: described({ type: "integer" }, "What the prompt grows by."),
    promptTokens: described(COUNT, "Of the next request, with the fold undone."),
    "allowedTokens?": COUNT,
    "fits?": BOOLEAN,
    "modelId?": STRING,
    extraUsd: described(
      record({ "cached?": NUMBER, "cold?": NUMBER }),
      "What the next request costs more, in USD: where the provider still has the last one in its cache, and where it has forgotten it.",
    ),
  }),
  Strata: record({
    version: COUNT,
    messages: record({ total: COUNT, from: COUNT, rows: listOf(row) }),
    requests: record({ total: COUNT, from: COUNT, columns: listOf(column) }),
    folds: listOf(
      record({
        foldId: STRING,
        "kind?": described(STRING, "Missing where the fold no longer holds."),
        request: described(COUNT, "The first request that shows it."),
        cause: described(
          STRING,
          "Why it was made for that request; hand where it was made by a person, or came back by a rewind.",
        ),
        isHeld: described(BOOLEAN, "Whether it holds now."),
      }),
    ),
  }),
  RequestDiff: record({
    a: COUNT,
    b: COUNT,
    isSame: BOOLEAN,
    sharedBytes: described(COUNT, "That both begin with."),
    bytes: record({ a: COUNT, b: COUNT }),
    sharedTokens: described(COUNT, "Of the second one's prompt, estimated from the bytes."),
    "first?": described(
      record({
        byte: COUNT,
        a: STRING,
        b: STRING,
        where: choice("fields", "message", "end"),
        "field?": STRING,
        "item?": described(COUNT, "Of the list of messages on the wire."),
        "messageId?": STRING,
        "messageIndex?": COUNT,
        "role?": STRING,
      }),
      "The first byte that differs, with what stands there in both.",
    ),
    cause: described(
      choice("agent", "us", "provider", "none"),
      "Who changed it, or, of two in a row that begin alike, that the provider lost what it had cached; none where the second one only goes on, or where only a mark for the provider's cache moved.",
    ),
    "foldId?": STRING,
    "provider?": described(
      record({ cacheReadTokens: COUNT, expectedTokens: COUNT }),
      "What the provider says that it read from its cache for the second one, and what both share.",
    ),
    "diagnosis?": CACHE_DIAGNOSIS,
    sentence: STRING,
  }),
  Found: record({
    query: STRING,
    hits: listOf(
      record({
        sessionId: STRING,
        "messageId?": STRING,
        role: choice("user", "assistant"),
        kind: choice("text", "reasoning", "tool-call", "tool-result", "summary"),
        "toolName?": STRING,
        firstLine: COUNT,
        lastLine: COUNT,
        offset: described(COUNT, "The place of its first character in the text that it was taken from."),
        text: described(STRING, "Verbatim."),
        score: NUMBER,
        tokens: COUNT,
        "row?": described(COUNT, "In the session's strata; missing where the place was not looked up."),
        "state?": choice("shown", "stand-in", "hidden", "rewound"),
        "foldId?": STRING,
      }),
    ),
  }),
  SessionTree: record({
    sessions: listOf(
      record({
        id: STRING,
        version: COUNT,
        createdAt: TIME,
        updatedAt: TIME,
        "title?": described(STRING, "The beginning of what a person asked for first, or else of what was said first."),
        "parentId?": STRING,
        "relation?": choice("branch", "sub-agent"),
        "rewinds?": listOf(
          record({
            version: described(COUNT, "Of the record of the rewind."),
            at: TIME,
            toVersion: described(COUNT, "What the session was again."),
            isUndo: described(BOOLEAN, "Whether it took an earlier rewind back."),
            "messages?": described(
              COUNT,
              "Said between that version and the rewind; missing where that is very long ago.",
            ),
          }),
          "The times that it went back to what it was before, the newest first.",
        ),
      }),
    ),
  }),
  Findings: record({
    findings: listOf(
      record({
        kind: choice("repeated-read", "unused-tools", "large-result", "thrash", "hidden-instruction", "cold-calls"),
        title: STRING,
        detail: STRING,
        tokens: described(COUNT, "What it takes."),
        "usd?": described(NUMBER, "What it costs, in USD; missing where prices are not known."),
        per: described(
          choice("request", "session"),
          "Whether it costs that with each further request, or has cost it so far.",
        ),
        messageIds: listOf(STRING),
        foldIds: listOf(STRING),
        names: listOf(STRING, "Of tools or files."),
        "action?": described(
          record({ label: STRING, method: always("POST"), path: STRING, body: { type: "object" } }),
          "A call of this API that does something about it.",
        ),
        "noAction?": described(STRING, "Why nothing can be done about it here."),
      }),
    ),
  }),
  Verification: {
    oneOf: [
      record({ type: always("intact"), messages: COUNT, records: COUNT, links: COUNT, head: STRING }),
      record({ type: always("damaged"), records: COUNT, problem: STRING }),
    ],
  },
};
