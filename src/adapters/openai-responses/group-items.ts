import type { Block, Content, Message } from "../../core/message/message.ts";
import type { Grouping, ItemGroup, ItemList, PlacedBlock } from "../splice/index.ts";
import { groupOnce, readEach } from "../splice/read-once.ts";
import {
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
}

/** Undefined where some items must stay with others in ways that we do not follow. */
export function groupInput({ fields, items }: ItemList): ResponsesReading | undefined {
  const isList = Array.isArray(fields.input);
  const inputs = isList ? readItems(items) : items.map((content) => readInputItem({ role: "user", content }));
  if (inputs.some(({ isUnsafe }) => isUnsafe)) return undefined;
  return groupItems(readCalls(inputs));
}

const readItems = readEach(readInputItem);

/** What the items are, now that it is known which calls have an output. */
function readCalls(inputs: readonly InputItem[]): ReadItem[] {
  if (!inputs.some(({ unanswered }) => unanswered !== undefined)) return inputs.map(({ read }) => read);
  const answeredIds = new Set(inputs.filter(({ isOutput }) => isOutput).map(({ callId }) => callId));
  return inputs.map(({ read, callId, unanswered = read }) => (answeredIds.has(callId) ? read : unanswered));
}

/** Nothing of it is said in the conversation. */
function isHead(item: ReadItem): boolean {
  return item.type === "system" || item.type === "standing" || item.type === "unknown";
}

interface OpenGroup {
  readonly role: Message["role"];
  readonly items: number[];
  readonly standing: number[];
  /** What the model says next is of a later reply. */
  isClosed: boolean;
  /** How many of its calls have no result yet. */
  openCalls: number;
  /** Where the results of its calls go: the message right after it. */
  answers?: OpenGroup;
}

interface OpenGroups {
  /** Outputs whose calls are missing are marked as such when they are added. */
  readonly items: ReadItem[];
  readonly groups: OpenGroup[];
  /** By the id of a call without a result: the group that makes it. */
  readonly callers: Map<string, OpenGroup>;
  /** The one that has the last item. */
  current: OpenGroup | undefined;
}

/**
 * Puts items together to messages. All that the model said in one go is one message, so that reasoning stays with what it led
 * to. The outputs of its calls are the message right after it, wherever they stand: the wire pairs by id alone.
 */
function groupItems(items: ReadItem[]): ResponsesReading {
  const firstSaid = items.findIndex((item) => !isHead(item));
  const headCount = firstSaid < 0 ? items.length : firstSaid;
  const open: OpenGroups = { items, groups: [], callers: new Map(), current: undefined };
  for (let index = headCount; index < items.length; index++) addItem(open, index);
  const groups: ResponsesGroup[] = [];
  for (const group of open.groups) {
    groups.push(close(items, group));
    if (group.answers !== undefined) groups.push(close(items, group.answers));
  }
  return { groups, headCount, read: items };
}

function addItem(open: OpenGroups, index: number): void {
  const item = open.items[index];
  switch (item?.type) {
    case "reply":
      addReply(open, index, item.callId);
      break;
    case "unknown":
      addReply(open, index);
      break;
    case "user":
      put(open, begin(open, "user"), index);
      break;
    case "result":
      addResult(open, index, item);
      break;
    case "answer":
      attach(open, index, true);
      break;
    case "system":
      addInstruction(open, index, item.blocks);
      break;
    case "standing":
      open.current?.standing.push(index);
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

function put(open: OpenGroups, group: OpenGroup, index: number): void {
  group.items.push(index);
  open.current = group;
}

function attach(open: OpenGroups, index: number, closes: boolean): void {
  const group = open.current ?? begin(open, "user");
  put(open, group, index);
  group.isClosed ||= closes;
}

function addReply(open: OpenGroups, index: number, callId?: string): void {
  const { current, callers } = open;
  const group = current?.role === "assistant" && !current.isClosed ? current : begin(open, "assistant");
  put(open, group, index);
  if (callId === undefined) return;
  endCall(open, callId);
  group.openCalls++;
  callers.set(callId, group);
}

/** The group that made the call; undefined where it is answered, or missing. */
function endCall({ callers }: OpenGroups, callId: string): OpenGroup | undefined {
  const caller = callers.get(callId);
  if (caller === undefined) return undefined;
  callers.delete(callId);
  caller.openCalls--;
  return caller;
}

function addResult(open: OpenGroups, index: number, { callId, orphan }: ReadResult): void {
  const caller = endCall(open, callId);
  if (caller === undefined) {
    open.items[index] = orphan;
    attach(open, index, true);
    return;
  }
  caller.answers ??= openGroup("user");
  put(open, caller.answers, index);
}

/** With the user's words: summaries keep what users ask for. Not between a call and its outputs. */
function addInstruction(open: OpenGroups, index: number, blocks: readonly ItemBlock[]): void {
  const { current } = open;
  const isHost = blocks.some(({ place }) => place.type !== "item");
  const isAwaited = current !== undefined && current.openCalls > 0;
  if (!isHost || current?.role === "user" || isAwaited) attach(open, index, false);
  else put(open, begin(open, "user"), index);
}

function close(items: readonly ReadItem[], { items: indexes, standing }: OpenGroup): ResponsesGroup {
  const group = makeGroup(items, indexes);
  return standing.length === 0 ? group : { ...group, standing };
}

/** A message that is pinned is one that no summary can stand for. */
const makeGroup = groupOnce((items: readonly ReadItem[], indexes): ResponsesGroup => {
  const read = indexes.flatMap((index) => items[index] ?? []);
  const isReply = read[0]?.type === "reply" || read[0]?.type === "unknown";
  const isPinned = read.some((item) => "isPinned" in item && item.isPinned);
  const placed = read.map((item, position) => ({ item, blocks: place(item, indexes[position] ?? -1) }));
  const blocks = [
    ...placed.flatMap(({ item, blocks }) => (item.type === "result" ? blocks : [])),
    ...placed.flatMap(({ item, blocks }) => (item.type === "result" ? [] : blocks)),
  ];
  const message: Message = { role: isReply ? "assistant" : "user", content: contentOf(blocks) };
  return { message: isPinned ? { ...message, important: true } : message, blocks, items: indexes, standing: [] };
});

function place(read: ReadItem, item: number): readonly GroupBlock[] {
  if (read.type === "standing") return [];
  const blocks = "blocks" in read ? read.blocks : [read.block];
  return blocks.map(({ block, place }) => ({ block, place, item }));
}

/** A string stays a string where nothing else is said about it. */
function contentOf(placed: readonly GroupBlock[]): Content {
  const blocks: readonly Block[] = placed.map(({ block }) => block);
  const [first] = blocks;
  const isString = placed[0]?.place.type === "content";
  const isPlain = isString && blocks.length === 1 && first !== undefined && Object.keys(first).length === 2;
  return isPlain && "text" in first && typeof first.text === "string" ? first.text : blocks;
}
