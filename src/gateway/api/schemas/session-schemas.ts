import type { JsonSchema } from "../shape.ts";
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

const block: JsonSchema = {
  type: "object",
  properties: { type: STRING },
  required: ["type"],
  description: "text, image, tool_use, tool_result, reasoning, or a type of the provider's, as it came.",
};

const content: JsonSchema = { oneOf: [STRING, listOf(block)] };
const blockFoldKind = choice("clear", "dedupe", "clip", "resolve", "notice");
const foldKind = choice("condense", "truncate", "clear", "dedupe", "clip", "resolve", "notice");
const role = choice("user", "assistant");

const blockFold = record({
  foldId: STRING,
  kind: blockFoldKind,
  blockIndex: COUNT,
  standIn: described(block, "What the view shows instead."),
  hiddenTokens: { type: "integer" },
});

const message = {
  index: described(COUNT, "In this list, counted from 0."),
  "id?": STRING,
  "ts?": described(NUMBER, "When it was described, in milliseconds since the epoch."),
  role,
  content,
  tokens: described(COUNT, "Of this content."),
  "important?": BOOLEAN,
  "hiddenBy?": described(STRING, "The fold that hides the message; missing where the view shows it."),
  "standsFor?": described(
    record({ foldId: STRING, kind: choice("condense", "truncate") }),
    "The fold that this message was made for, where it is a summary or a marker: nobody said it.",
  ),
  "folds?": listOf(blockFold, "Blocks of the message that the view shows as stand-ins."),
};

const fold = {
  foldId: STRING,
  kind: foldKind,
  messages: described(COUNT, "Messages that it hides whole."),
  blocks: described(COUNT, "Blocks that it shows as stand-ins."),
  "at?": TIME,
  "prevContextTokens?": described(COUNT, "Of the prompt before it."),
  "newContextTokens?": described(COUNT, "Of the prompt after it."),
};

const sizes = { prevContextTokens: COUNT, newContextTokens: COUNT };

function event(type: string, properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return record({ index: COUNT, type: always(type), at: TIME, ...properties });
}

const version = described(
  COUNT,
  "Of the session: each append, fold, rewind and event counts. Another one means that indexes may differ.",
);

const times = { id: STRING, version, createdAt: TIME, updatedAt: TIME };
const totals = {
  "totals?": described(ref("RequestTotals"), "Missing where nothing was asked since the gateway was started."),
};

/** Schemas of sessions, their messages, folds and events. */
export const SESSION_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  SessionInfo: record({
    ...times,
    "title?": described(
      STRING,
      "The beginning of what a person asked for first, or else of what was said first; missing where that cannot be told at once.",
    ),
    ...totals,
  }),
  SessionDetails: record({
    ...times,
    messages: record({
      log: described(COUNT, "That were said: without summaries and markers."),
      view: described(COUNT, "That are sent now: with summaries and markers."),
      hidden: described(COUNT, "That were said and are hidden whole."),
    }),
    tokens: record({ log: described(COUNT, "Of all that was said."), view: described(COUNT, "Of what is sent now.") }),
    folds: COUNT,
    condensations: described(COUNT, "How often it was condensed so far."),
    "lastFoldAt?": TIME,
    ...totals,
  }),
  Message: record(message),
  MessagePage: page("messages", ref("Message"), { version }),
  WholeMessage: record({
    ...Object.fromEntries(Object.entries(message).filter(([name]) => name !== "index")),
    "index?": described(COUNT, "In the log; missing where the message is of a rewound branch."),
    "row?": described(COUNT, "In strata; missing where it has no id."),
    isRewound: described(BOOLEAN, "Whether it is of a rewound branch: a rewind took it out of the log."),
  }),
  Fold: record(fold),
  FoldPage: page("folds", ref("Fold"), { version }),
  ExpandedFold: page("hidden", ref("Message"), {
    ...fold,
    standIns: listOf(
      ref("Message"),
      "The summaries and markers that stand for it in the log; blocks have theirs in `folds`.",
    ),
  }),
  SessionEvent: {
    oneOf: [
      event("condense_context", { condenseId: STRING, summary: STRING, cost: NUMBER, ...sizes }),
      event("sliding_window_truncation", { truncationId: STRING, messagesRemoved: COUNT, ...sizes }),
      event("blocks_folded", { foldIds: listOf(STRING), ...sizes }),
      event("condense_failed", { error: STRING, cost: NUMBER }),
      event("restored", { foldId: STRING }),
      event("span_restored", { from: STRING, to: STRING }),
      event("rewound", { toVersion: COUNT, isUndo: BOOLEAN }),
      event("updated", { messageIds: listOf(STRING) }),
      event("calibrated", { modelId: STRING, tokenRatio: NUMBER, "from?": choice("next-message") }),
      event("anchored", {
        modelId: STRING,
        forecast: described({ type: "object" }, "What is known since: the reported prompt, and how the model counts."),
        viewMessages: COUNT,
        systemTokens: COUNT,
        toolTokens: COUNT,
        "from?": choice("next-message"),
      }),
      event("gap", { lostRecords: COUNT }),
      event("set_apart", { fromSessionId: STRING }),
      event("checkpoint", { checkpointId: STRING, reason: STRING }),
      event("recalled", {
        key: STRING,
        api: STRING,
        items: listOf(described(STRING, "JSON, as the API takes it.")),
        results: listOf(record({ id: STRING, text: STRING })),
      }),
      event("compacted", { keys: listOf(STRING) }),
      event("lineage", { scopeId: STRING, ownName: STRING, parentName: STRING, keys: listOf(STRING) }),
      event("cleared", {
        toolUseIds: listOf(STRING),
        hidesInputs: BOOLEAN,
        thoughtsOf: listOf(STRING),
        "isAddition?": described(BOOLEAN, "Whether what the report before says is left out too."),
      }),
      event("request", REQUEST_RECORD),
    ],
  },
  EventPage: page("events", ref("SessionEvent"), { version }),
  RecallHit: record({
    sessionId: STRING,
    where: described(
      choice("hidden", "rewound", "branch", "stored"),
      "hidden: by a fold of the session. rewound: in a rewound branch of it, and no longer in its log. branch: in a session that parted from it, or that it parted from. stored: in any session, hidden or not.",
    ),
    "messageId?": described(STRING, "Missing where the message has no id."),
    "shortId?": described(STRING, "What the same message is called in few characters; of hidden ones."),
    "messageIndex?": described(COUNT, "In the log."),
    "foldId?": STRING,
    role,
    "ts?": described(NUMBER, "When it was said, in milliseconds since the epoch."),
    kind: choice("text", "reasoning", "tool-call", "tool-result", "summary"),
    "toolName?": STRING,
    firstLine: COUNT,
    lastLine: COUNT,
    offset: described(COUNT, "The place of its first character in the text that it was taken from."),
    text: described(STRING, "Verbatim."),
    score: described(NUMBER, "Higher is better; only to be compared among hits from the same place."),
    tokens: COUNT,
  }),
  Recalled: record({
    query: STRING,
    budgetTokens: COUNT,
    hits: listOf(ref("RecallHit"), "The best first, of each place."),
  }),
};
