import { assert } from "../../core/assert.ts";
import { sliceListAt } from "../../core/json/json-slices.ts";
import { tryParseJson } from "../../core/json/parse-json.ts";
import { asRecord } from "../../core/json/read-json.ts";
import { isNestedTooDeep, MOST_NESTED_LEVELS } from "../../core/json/scan-json.ts";
import type { Message, ToolUseBlock } from "../../core/message/message.ts";
import { isInventedCallId, isToolUse } from "../../core/message/tool-pairs.ts";
import type { RawRequest, WireAdapter, WireOperation, WireRequest } from "../../core/ports/wire-adapter.ts";
import type { RecalledReply, WireRecall } from "../../core/ports/wire-recall.ts";
import { entryAt, sliceBody } from "./body-slices.ts";
import type { Conversation, Grouping, ItemGroup } from "./conversation.ts";
import { readEach, someItem } from "./read-once.ts";
import type { RecallDescription, WireDescription } from "./wire-description.ts";
import { writeBody } from "./write-body.ts";

/**
 * An adapter for the wire that is described: see docs/adding-an-adapter.md.
 *
 * @example
 * ```ts
 * import { createAdapter, WIRE_ADAPTERS } from "palimpsest/gateway";
 * const [known] = WIRE_ADAPTERS;
 * if (known === undefined) throw new Error("There is always one.");
 * const mine = createAdapter({
 *   ...known, // paths, headers, limits; then where the conversation lies and how it is written: here, nowhere
 *   name: "mine", findList: () => undefined, group: () => undefined, describe: () => undefined,
 *   canonical: (items) => JSON.stringify(items), placeBlocks: () => [], editBlock: () => [], writeStandIn: () => [], recall: undefined,
 * });
 * console.log(mine.name, mine.readRequest({ path: "/v1/messages", body: "{}" })); // mine undefined
 * ```
 */
export function createAdapter<Reading extends Grouping, Place>(
  description: WireDescription<Reading, Place>,
): WireAdapter {
  // A request is read once and written soon after: to write it, nothing need be read again.
  const known = new WeakMap<RawRequest, Conversation<Reading>>();
  const { callId = plainId } = description;
  const readCallIds = readEach((message: Message) => callIdsOf(message, callId));

  function conversationOf(raw: RawRequest, operation: WireOperation): Conversation<Reading> | undefined {
    const conversation = known.get(raw) ?? readConversation(description, raw, operation);
    if (conversation !== undefined) known.set(raw, conversation);
    return conversation;
  }

  return {
    ...description,
    recall: recallOf(description, conversationOf),
    readRequest(raw) {
      const operation = description.operationOf(raw.path);
      if (operation === undefined) return undefined;
      try {
        const conversation = conversationOf(raw, operation);
        const request = conversation && describeRequest(description, conversation, operation);
        return request && { ...request, callIds: readCallIds(request.messages) };
      } catch {
        // Such as JSON nested beyond the stack: it is the provider's to refuse.
        return undefined;
      }
    },
    writeRequest({ raw, operation }, parts, breakpoints) {
      const conversation = conversationOf(raw, operation);
      assert(conversation !== undefined, "request", raw.path, "one that this adapter has read");
      // A count is of no use to a cache.
      return writeBody(description, conversation, {
        parts,
        breakpoints: operation === "generate" ? breakpoints : undefined,
      });
    },
  };
}

/** The conversation of a request that was read. */
type ConversationOf = (raw: RawRequest, operation: WireOperation) => Conversation | undefined;

function recallOf<Reading extends Grouping, Place>(
  { recall, findList, withList }: WireDescription<Reading, Place>,
  conversationOf: ConversationOf,
): WireRecall | undefined {
  if (recall === undefined) return undefined;
  return {
    ...recall,
    extend: (body, items) => extendList({ findList, ...(withList && { withList }) }, body, items),
    expand: ({ raw, operation }, replies) => {
      const conversation = conversationOf(raw, operation);
      assert(conversation !== undefined, "request", raw.path, "one that this adapter has read");
      return expandMessages({ recall, ...(withList && { withList }) }, conversation, replies);
    },
  };
}

function readConversation<Reading extends Grouping, Place>(
  description: WireDescription<Reading, Place>,
  raw: RawRequest,
  operation: WireOperation,
): Conversation<Reading> | undefined {
  const body = asRecord(bodyValue(raw));
  const list = body && description.findList(body, operation);
  if (list === undefined || isAnyNestedTooDeep(list.items)) return undefined;
  const reading = description.group(list);
  return reading === undefined || reading.groups.length === 0 ? undefined : { ...list, ...reading, raw };
}

/** What a body of JSON says; undefined where it is broken. The text of a body whose value is known may never be made. */
function bodyValue(raw: RawRequest): unknown {
  return raw.value === undefined ? tryParseJson(raw.body) : raw.value;
}

/** Within the list, which is one level itself. */
const isAnyNestedTooDeep = someItem((item: unknown) => isNestedTooDeep(item, MOST_NESTED_LEVELS - 1));

function describeRequest<Reading extends Grouping, Place>(
  description: WireDescription<Reading, Place>,
  conversation: Conversation<Reading>,
  operation: WireOperation,
): Omit<WireRequest, "callIds"> | undefined {
  const described = description.describe(conversation, operation);
  if (described === undefined) return undefined;
  const { raw, items } = conversation;
  // Of the base type, of which every group is one.
  const groups: Grouping["groups"] = conversation.groups;
  const itemsOf = (index: number) => itemsAt(items, entryAt(groups, index).items);
  return {
    raw,
    operation,
    ...described,
    messages: readMessages(groups),
    canonical: (index) => description.canonical(itemsOf(index)),
    items: itemsOf,
  };
}

const readMessages = readEach(({ message }: ItemGroup) => message);

/** Most messages are one item. */
function itemsAt(items: readonly unknown[], indexes: readonly number[]): readonly unknown[] {
  const [first] = indexes;
  return indexes.length === 1 && first !== undefined ? [items[first]] : indexes.map((index) => items[index]);
}

function plainId({ id }: ToolUseBlock): string {
  return id;
}

const NO_CALLS: readonly string[] = [];

/** Most messages make no call: they share one list. */
function callIdsOf({ content }: Message, callId: (call: ToolUseBlock) => string): readonly string[] {
  if (typeof content === "string") return NO_CALLS;
  let ids: string[] | undefined;
  for (const block of content) {
    if (!isToolUse(block) || block.id === "" || isInventedCallId(block.id)) continue;
    ids ??= [];
    ids.push(callId(block));
  }
  return ids ?? NO_CALLS;
}

type ListDescription = Pick<WireDescription<Grouping, unknown>, "findList" | "withList">;

/** The body with more items at the end of its list. */
function extendList(description: ListDescription, body: string, items: readonly string[]): string {
  const list = description.findList(asRecord(tryParseJson(body)) ?? {}, "generate");
  assert(list !== undefined, "body", body.slice(0, 80), "one with a conversation");
  const text = description.withList?.(body, list) ?? body;
  const found = sliceListAt(text, list.path);
  assert(found !== undefined, "body", body.slice(0, 80), "one with a list");
  const end = found.items.at(-1)?.end ?? found.slice.start + 1;
  return `${text.slice(0, end)}${found.items.length === 0 ? "" : ","}${items.join(",")}${text.slice(end)}`;
}

/** The body of a conversation with what was really said in place of some of its messages. */
function expandMessages(
  { withList, recall }: Pick<ListDescription, "withList"> & { readonly recall: RecallDescription },
  conversation: Conversation,
  replies: ReadonlyMap<number, RecalledReply>,
): string {
  const { raw, path, groups, items } = conversation;
  const slices = sliceBody(withList?.(raw.body, conversation) ?? raw.body, path);
  const texts = new Map<number, string>();
  for (const [index, { items: said, results }] of replies) {
    // Some clients keep each piece of a streamed reply as a message.
    let next = index + 1;
    while (groups[next]?.message.role === "assistant") next++;
    const own = groups.slice(index, next).flatMap((group) => group.items.filter((item) => recall.isReply(items[item])));
    const [first = -1, ...others] = own;
    const besides = recall.addResults === undefined ? recall.results(results) : [];
    texts.set(first, [...said, ...besides].join(","));
    for (const item of others) texts.set(item, "");
    const [behind] = groups[next]?.items ?? [];
    if (results.length === 0 || recall.addResults === undefined || behind === undefined) continue;
    texts.set(behind, recall.addResults(slices.itemText(behind), results));
  }
  const written = slices.items.map((_, item) => texts.get(item) ?? slices.itemText(item)).filter((text) => text !== "");
  const [start = 0, end = 0] = [slices.items.at(0)?.start, slices.items.at(-1)?.end];
  return `${slices.body.slice(0, start)}${written.join(",")}${slices.body.slice(end)}`;
}
