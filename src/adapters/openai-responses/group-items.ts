import { asArray, asRecord } from "../../core/json/read-json.ts";
import type { Block, Content, Message } from "../../core/message/message.ts";
import type { Grouping, ItemGroup, ItemList, PlacedBlock } from "../splice/index.ts";
import { groupEach, readEach, someItem } from "../splice/read-once.ts";
import {
  answeredId,
  type InputItem,
  type ItemBlock,
  type Place,
  type ReadItem,
  type ReadResult,
  readInputItem,
} from "./read-item.ts";

/** The items that one message stands for. */
export interface ResponsesGroup extends ItemGroup {
  /** Results first, as they must be in a message. */
  readonly blocks: readonly GroupBlock[];
  /** Items that came after one of these and stay even where the message is hidden. */
  readonly standing: readonly number[];
}

export type GroupBlock = PlacedBlock<Place>;

export interface ResponsesReading extends Grouping<ResponsesGroup> {
  /** What each item is to the conversation. */
  readonly read: readonly ReadItem[];
  /** Definitions of tools that came as items. */
  readonly addedTools: readonly unknown[];
}

/** Undefined where some items must stay with others in ways that we do not follow. */
export function groupInput({ fields, items }: ItemList): ResponsesReading | undefined {
  const isList = Array.isArray(fields.input);
  const inputs = isList ? readItems(items) : items.map((content) => readInputItem({ role: "user", content }));
  const isSpecial = isAnySpecial(inputs);
  if (isSpecial && inputs.some(({ isUnsafe }) => isUnsafe === true)) return undefined;
  const read = isSpecial ? readCalls(inputs, items) : inputs;
  const firstSaid = read.findIndex((item) => !isHead(item));
  return {
    groups: groupSaid(read),
    headCount: firstSaid < 0 ? read.length : firstSaid,
    read,
    addedTools: isSpecial ? items.flatMap(addedTools) : [],
  };
}

const readItems = readEach(readInputItem);

/** Whether there is more to be seen to than in most conversations. */
const isAnySpecial = someItem(({ type, unanswered, isUnsafe }: InputItem) => {
  return type === "standing" || unanswered !== undefined || isUnsafe === true;
});

/** What the items are, now that it is known which calls have an output. */
function readCalls(inputs: readonly InputItem[], items: readonly unknown[]): readonly ReadItem[] {
  const answeredIds = new Set(items.map(answeredId));
  return inputs.map((input) => {
    const callId = input.type === "reply" ? input.callId : undefined;
    return input.unanswered === undefined || answeredIds.has(callId) ? input : input.unanswered;
  });
}

function addedTools(value: unknown): readonly unknown[] {
  const item = asRecord(value);
  return item?.type === "additional_tools" ? asArray(item.tools) : [];
}

/** Nothing of it is said in the conversation. */
function isHead(item: ReadItem): boolean {
  return item.type === "system" || item.type === "standing" || item.type === "unknown";
}

/** An item, and what it is to the conversation. */
interface SaidItem {
  readonly index: number;
  readonly read: Exclude<ReadItem, { readonly type: "standing" }>;
}

interface OpenGroup {
  readonly role: Message["role"];
  readonly items: SaidItem[];
  readonly standing: number[];
  /** What the model says next is of a later reply. */
  isClosed: boolean;
  /** How many of its calls have no result yet. */
  openCalls: number;
  /** Where the results of its calls go: the message right after it. */
  answers?: OpenGroup;
}

interface OpenGroups {
  /** Those that are not complete, in order. */
  groups: OpenGroup[];
  /** By the id of a call without a result: the group that makes it. */
  readonly callers: Map<string, OpenGroup>;
  /** The one that has the last item. */
  current: OpenGroup | undefined;
}

/**
 * Puts items together to messages. All that the model said in one go is one message, so that reasoning stays with what it led
 * to. The outputs of its calls are the message right after it, wherever they stand: the wire pairs by id alone.
 */
const groupSaid = groupEach<ReadItem, ResponsesGroup>(() => (items, start, list) => {
  const open: OpenGroups = { groups: [], callers: new Map(), current: undefined };
  const closeAll = () => {
    for (const group of open.groups) {
      list.add(close(group));
      if (group.answers !== undefined) list.add(close(group.answers));
    }
    open.groups = [];
  };
  for (let index = start; index < items.length; index++) {
    const read = items[index];
    if (read === undefined || (open.current === undefined && isHead(read))) continue;
    if (open.callers.size === 0 && beginsMessage(read, open.current)) {
      closeAll();
      list.resumable(index);
    }
    if (read.type === "standing") open.current?.standing.push(index);
    else addItem(open, { index, read });
  }
  closeAll();
});

/** Whether the item begins a message: then the one before it is complete. */
function beginsMessage({ type }: ReadItem, current: OpenGroup | undefined): boolean {
  return type === "user" || (type === "reply" && current?.role === "user");
}

function addItem(open: OpenGroups, item: SaidItem): void {
  const { read } = item;
  switch (read.type) {
    case "reply":
      addReply(open, item, read.callId);
      break;
    case "unknown":
      addReply(open, item, undefined);
      break;
    case "user":
      put(open, begin(open, "user"), item);
      break;
    case "result":
      addResult(open, item, read);
      break;
    case "answer":
      attach(open, item, true);
      break;
    case "system":
      addInstruction(open, item);
  }
}

function begin({ groups }: OpenGroups, role: Message["role"]): OpenGroup {
  const group = openGroup(role);
  groups.push(group);
  return group;
}

function openGroup(role: Message["role"]): OpenGroup {
  return { role, items: [], standing: [], isClosed: false, openCalls: 0 };
}

function put(open: OpenGroups, group: OpenGroup, item: SaidItem): void {
  group.items.push(item);
  open.current = group;
}

function attach(open: OpenGroups, item: SaidItem, closes: boolean): void {
  const group = open.current ?? begin(open, "user");
  put(open, group, item);
  group.isClosed ||= closes;
}

function addReply(open: OpenGroups, item: SaidItem, callId: string | undefined): void {
  const { current, callers } = open;
  const group = current?.role === "assistant" && !current.isClosed ? current : begin(open, "assistant");
  put(open, group, item);
  if (callId === undefined) return;
  endCall(open, callId);
  group.openCalls++;
  callers.set(callId, group);
}

/** The group that makes the call; undefined where the call is answered, or missing. */
function endCall({ callers }: OpenGroups, callId: string): OpenGroup | undefined {
  const caller = callers.get(callId);
  if (caller === undefined) return undefined;
  callers.delete(callId);
  caller.openCalls--;
  return caller;
}

function addResult(open: OpenGroups, item: SaidItem, { callId, orphan }: ReadResult): void {
  const caller = endCall(open, callId);
  if (caller === undefined) {
    attach(open, { index: item.index, read: orphan }, true);
    return;
  }
  caller.answers ??= openGroup("user");
  put(open, caller.answers, item);
}

/** With the user's words: summaries keep what users ask for. Not between a call and its outputs. */
function addInstruction(open: OpenGroups, item: SaidItem): void {
  const { current } = open;
  const isHost = blocksOf(item.read).some(({ place }) => place.type !== "item");
  const isAwaited = current !== undefined && current.openCalls > 0;
  if (!isHost || current?.role === "user" || isAwaited) attach(open, item, false);
  else put(open, begin(open, "user"), item);
}

/** A message that is pinned is one that no summary can stand for. */
function close({ role, items, standing }: OpenGroup): ResponsesGroup {
  const results: GroupBlock[] = [];
  const others: GroupBlock[] = [];
  const indexes: number[] = [];
  let isPinned = false;
  for (const { read, index: item } of items) {
    const list = read.type === "result" ? results : others;
    for (const { block, place } of blocksOf(read)) list.push({ block, place, item });
    if ("isPinned" in read && read.isPinned === true) isPinned = true;
    indexes.push(item);
  }
  const blocks = results.length === 0 ? others : [...results, ...others];
  const content = contentOf(blocks);
  const message = isPinned ? { role, content, important: true } : { role, content };
  return { message, blocks, items: indexes, standing };
}

function blocksOf(read: SaidItem["read"]): readonly ItemBlock[] {
  return "blocks" in read ? read.blocks : [read.block];
}

/** A string stays a string where nothing else is said about it. */
function contentOf(placed: readonly GroupBlock[]): Content {
  const blocks: readonly Block[] = placed.map(({ block }) => block);
  const [first] = blocks;
  const isString = placed[0]?.place.type === "content";
  const isPlain = isString && blocks.length === 1 && first !== undefined && Object.keys(first).length === 2;
  return isPlain && "text" in first && typeof first.text === "string" ? first.text : blocks;
}
