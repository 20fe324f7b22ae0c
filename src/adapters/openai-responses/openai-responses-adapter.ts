import { sliceFields } from "../../core/json/json-slices.ts";
import type { JsonRecord } from "../../core/json/read-json.ts";
import { createAdapter, type ItemList } from "../splice/index.ts";
import { limitFields } from "../splice/limit-fields.ts";
import { arrange } from "./arrange.ts";
import { canonicalItems } from "./canonical.ts";
import { describeRequest } from "./describe-request.ts";
import { editBlock } from "./edit-block.ts";
import { followReply } from "./follow-reply.ts";
import { groupInput } from "./group-items.ts";
import { copiedItems, writeStandIn } from "./write-stand-in.ts";

/** Not what stands below it, such as `/responses/compact`. */
const PATH = /\/responses\/?$/;

/** Requests to `…/responses`. A conversation that the provider keeps itself (`previous_response_id`) is not read. */
export const openaiResponsesAdapter = createAdapter({
  name: "openai-responses",
  listPaths: [["input"]],
  // The base URL names its version, since not every client does.
  upstream: { name: "openai", url: "https://api.openai.com/v1", isCommon: true, replacesVersion: true },
  // A thread is one conversation of a session.
  sessions: {
    headers: ["thread-id", "session-id", "conversation_id", "session_id"].map((name) => ({ name, agent: "codex" })),
  },
  telemetry: { provider: "openai", attributes: { "openai.api.type": "responses" } },
  operationOf: (path) => (PATH.test(path) ? "generate" : undefined),
  findList: findInput,
  withList,
  separator: "first-gap",
  group: groupInput,
  describe: describeRequest,
  canonical: canonicalItems,
  placeBlocks: ({ blocks }) => blocks,
  editBlock,
  writeStandIn,
  copiedItems,
  arrange,
  limitReply: (body, maxOutputTokens) => limitFields(body, ["max_output_tokens"], maxOutputTokens),
  followReply,
});

/** The input may be one string: then it is the only item. */
function findInput(body: JsonRecord): ItemList | undefined {
  const { input } = body;
  if (isContinued(body) || !(Array.isArray(input) || typeof input === "string")) return undefined;
  return { fields: body, path: ["input"], items: Array.isArray(input) ? input : [input] };
}

/** The provider has the rest of the conversation: what came before is not ours to fold. */
function isContinued({ previous_response_id, conversation }: JsonRecord): boolean {
  return (previous_response_id ?? conversation ?? undefined) !== undefined;
}

function withList(body: string, { fields }: ItemList): string {
  const input = Array.isArray(fields.input) ? undefined : sliceFields(body)?.get("input");
  if (input === undefined) return body;
  const item = `{"role":"user","content":${body.slice(input.start, input.end)}}`;
  return `${body.slice(0, input.start)}[${item}]${body.slice(input.end)}`;
}
