import { asArray, asRecord } from "../../core/json/read-json.ts";
import type { Block, Content } from "../../core/message/message.ts";
import type { Grouping, ItemGroup, ItemList, PlacedBlock } from "../splice/index.ts";
import { groupEach, readEach, someItem } from "../splice/read-once.ts";
import { addItem, blocksOf, type OpenGroup, type OpenGroups } from "./open-groups.ts";
import { answeredId, type InputItem, type Place, type ReadItem, readInputItem } from "./read-item.ts";

/** A message, the items that it stands for, and the standing items among them. */
export interface ResponsesGroup extends ItemGroup {
  /** The message's blocks with their places; results first, as our messages have them. */
  readonly blocks: readonly GroupBlock[];
  /** Items that stand behind items of this message, and are sent even if the message is hidden. */
  readonly standing: readonly number[];
}

export type GroupBlock = PlacedBlock<Place>;

export interface ResponsesReading extends Grouping<ResponsesGroup> {
  /** How each item was read. */
  readonly read: readonly ReadItem[];
  /** Definitions of tools that came as items. */
  readonly addedTools: readonly unknown[];
}

/** Groups the input into messages; undefined if it holds items, such as programs, whose dependencies on other items we do not know. */
export function groupInput({ fields, items }: ItemList): ResponsesReading | undefined {
  const isList = Array.isArray(fields.input);
  const inputs = isList ? readItems(items) : items.map((content) => readInputItem({ role: "user", content }));
  const isSpecial = isAnySpecial(inputs);
  if (isSpecial && inputs.some(({ isUnsafe }) => isUnsafe === true)) return undefined;
  const read = isSpecial ? readCalls(inputs, items) : inputs;
  const firstSaid = read.findIndex((item) => !isHead(item));
  return {
    groups: groupConversation(read),
    headCount: firstSaid < 0 ? read.length : firstSaid,
    read,
    addedTools: isSpecial ? items.flatMap(addedTools) : [],
  };
}

const readItems = readEach(readInputItem);

/** Whether any item needs the slower path: standing items, calls that depend on their output, unsafe items. */
const isAnySpecial = someItem(({ type, unanswered, isUnsafe }: InputItem) => {
  return type === "standing" || unanswered !== undefined || isUnsafe === true;
});

/** The items as they are read with all outputs known: a built-in call without one is no call that a result must follow. */
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

/** Whether an item may belong to the head, before user and model have said anything. */
function isHead(item: ReadItem): boolean {
  return item.type === "system" || item.type === "standing" || item.type === "unknown";
}

/**
 * Groups items into messages. One reply of the model is one message, so that reasoning stays with what it led to. The outputs of its calls are
 * the message right after it, wherever in the input they stand: the API pairs them by id alone.
 */
const groupConversation = groupEach<ReadItem, ResponsesGroup>(() => (items, start, list) => {
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

/** Completes a group. Its message is pinned (`important`) if an item of it is: no summary can stand in for such an item. */
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

/** The blocks as a message's content: a single text that was sent as a string, without further fields, stays a string. */
function contentOf(placed: readonly GroupBlock[]): Content {
  const blocks: readonly Block[] = placed.map(({ block }) => block);
  const [first] = blocks;
  const isString = placed[0]?.place.type === "content";
  const isPlain = isString && blocks.length === 1 && first !== undefined && Object.keys(first).length === 2;
  return isPlain && "text" in first && typeof first.text === "string" ? first.text : blocks;
}
