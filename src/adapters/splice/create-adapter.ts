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
import type { Grouping, ItemGroup, WireConversation } from "./conversation.ts";
import { readEach, someItem } from "./read-once.ts";
import type { RecallDescription, WireDescription } from "./wire-description.ts";
import { writeBody } from "./write-body.ts";

/**
 * Makes an adapter of a wire's description: see docs/adding-an-adapter.md.
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
  // A request is written soon after it was read: the cache spares a second reading.
  const conversations = new WeakMap<RawRequest, WireConversation<Reading>>();
  const { callId = plainId } = description;
  const readCallIds = readEach((message: Message) => callIdsOf(message, callId));

  function conversationOf(raw: RawRequest, operation: WireOperation): WireConversation<Reading> | undefined {
    const conversation = conversations.get(raw) ?? readConversation(description, raw, operation);
    if (conversation !== undefined) conversations.set(raw, conversation);
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
        // Such as JSON nested deeper than the stack: the request is forwarded as it came, and the provider refuses it.
        return undefined;
      }
    },
    writeRequest({ raw, operation }, parts, breakpoints) {
      const conversation = conversationOf(raw, operation);
      assert(conversation !== undefined, "request", raw.path, "one that this adapter has read");
      // A request that counts tokens fills no prompt cache.
      return writeBody(description, conversation, {
        parts,
        breakpoints: operation === "generate" ? breakpoints : undefined,
      });
    },
  };
}

/** Returns the conversation of a request; undefined if the adapter does not read the request. */
type ConversationOf = (raw: RawRequest, operation: WireOperation) => WireConversation | undefined;

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
): WireConversation<Reading> | undefined {
  const body = asRecord(bodyValue(raw));
  const list = body && description.findList(body, operation);
  if (list === undefined || isAnyNestedTooDeep(list.items)) return undefined;
  const reading = description.group(list);
  return reading === undefined || reading.groups.length === 0 ? undefined : { ...list, ...reading, raw };
}

/** The parsed body; undefined if it is broken JSON. If the value is known, `raw.body` is not touched: its text may be made lazily. */
function bodyValue(raw: RawRequest): unknown {
  return raw.value === undefined ? tryParseJson(raw.body) : raw.value;
}

/** Whether any item of the list is nested too deep for our readers. The list itself is one level. */
const isAnyNestedTooDeep = someItem((item: unknown) => isNestedTooDeep(item, MOST_NESTED_LEVELS - 1));

function describeRequest<Reading extends Grouping, Place>(
  description: WireDescription<Reading, Place>,
  conversation: WireConversation<Reading>,
  operation: WireOperation,
): Omit<WireRequest, "callIds"> | undefined {
  const described = description.describe(conversation, operation);
  if (described === undefined) return undefined;
  const { raw, items } = conversation;
  // The annotation widens the wire's own group type to the base type.
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

/** The items at these indexes; most messages are made of one item, which is the fast path. */
function itemsAt(items: readonly unknown[], indexes: readonly number[]): readonly unknown[] {
  const [first] = indexes;
  return indexes.length === 1 && first !== undefined ? [items[first]] : indexes.map((index) => items[index]);
}

function plainId({ id }: ToolUseBlock): string {
  return id;
}

const NO_CALLS: readonly string[] = [];

/** The ids of a message's calls as the agent sent them, without ids that we invented. Messages without calls share one empty list. */
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

/** Returns the body with more items at the end of its list. */
function extendList(description: ListDescription, body: string, items: readonly string[]): string {
  const list = description.findList(asRecord(tryParseJson(body)) ?? {}, "generate");
  assert(list !== undefined, "body", body.slice(0, 80), "one with a conversation");
  const text = description.withList?.(body, list) ?? body;
  const listSlices = sliceListAt(text, list.path);
  assert(listSlices !== undefined, "body", body.slice(0, 80), "one with a list");
  const end = listSlices.items.at(-1)?.end ?? listSlices.slice.start + 1;
  return `${text.slice(0, end)}${listSlices.items.length === 0 ? "" : ","}${items.join(",")}${text.slice(end)}`;
}

/** Returns the body with the recorded replies, calls of the recall tool included, in place of the replies that the agent repeats. */
function expandMessages(
  { withList, recall }: Pick<ListDescription, "withList"> & { readonly recall: RecallDescription },
  conversation: WireConversation,
  replies: ReadonlyMap<number, RecalledReply>,
): string {
  const { raw, path, groups, items } = conversation;
  const slices = sliceBody(withList?.(raw.body, conversation) ?? raw.body, path);
  const texts = new Map<number, string>();
  for (const [index, { items: recordedItems, results }] of replies) {
    // Some clients keep each piece of a streamed reply as a message of its own.
    let next = index + 1;
    while (groups[next]?.message.role === "assistant") next++;
    const replyItems = groups
      .slice(index, next)
      .flatMap((group) => group.items.filter((item) => recall.isReply(items[item])));
    const [first = -1, ...others] = replyItems;
    const resultItems = recall.addResults === undefined ? recall.results(results) : [];
    texts.set(first, [...recordedItems, ...resultItems].join(","));
    for (const item of others) texts.set(item, "");
    const [following] = groups[next]?.items ?? [];
    if (results.length === 0 || recall.addResults === undefined || following === undefined) continue;
    texts.set(following, recall.addResults(slices.itemText(following), results));
  }
  const written = slices.items.map((_, item) => texts.get(item) ?? slices.itemText(item)).filter((text) => text !== "");
  const [start = 0, end = 0] = [slices.items.at(0)?.start, slices.items.at(-1)?.end];
  return `${slices.body.slice(0, start)}${written.join(",")}${slices.body.slice(end)}`;
}
