import { asName, asRecord } from "../../core/json/read-json.ts";
import type { Block, Content, Message } from "../../core/message/message.ts";
import type { Grouping, ItemGroup, ItemList, PlacedBlock } from "../splice/index.ts";
import { type ItemBlock, isOutputType, type Place, type ReadItem, readItem, typeOf } from "./read-item.ts";

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
  if (items.some(isUnsafe)) return undefined;
  const answeredIds = new Set(items.flatMap(answeredId));
  const isList = Array.isArray(fields.input);
  const read = items.map((item) => readItem(isList ? item : { role: "user", content: item }, answeredIds));
  return { ...groupItems(read), read };
}

/** Calls made by a program need it, and it needs them; a compaction is asked for as the last item, and takes all as it is. */
const UNSAFE_TYPES: ReadonlySet<unknown> = new Set(["program", "program_output", "compaction_trigger"]);

function isUnsafe(item: unknown): boolean {
  return UNSAFE_TYPES.has(asRecord(item)?.type);
}

function answeredId(value: unknown): readonly string[] {
  const item = asRecord(value);
  const callId = asName(item?.call_id);
  return item !== undefined && callId !== undefined && isOutputType(typeOf(item)) ? [callId] : [];
}

/**
 * Puts items together to messages. All that the model said in one go is one message, so that reasoning stays with what it led
 * to. The outputs of its calls are the message right after it, wherever they stand: the wire pairs by id alone.
 */
function groupItems(items: readonly ReadItem[]): Grouping<ResponsesGroup> {
  const firstSaid = items.findIndex((item) => !isHead(item));
  const headCount = firstSaid < 0 ? items.length : firstSaid;
  const groups = createGroups();
  for (const [offset, item] of items.slice(headCount).entries()) addItem(groups, item, headCount + offset);
  return { groups: groups.finish(), headCount };
}

/** Nothing of it is said in the conversation. */
function isHead(item: ReadItem): boolean {
  return item.type === "system" || item.type === "standing" || item.type === "unknown";
}

function addItem(groups: OpenGroups, item: ReadItem, index: number): void {
  switch (item.type) {
    case "reply":
      groups.reply(place(item.blocks, index), item.callId);
      break;
    case "unknown":
      groups.reply(place([item.block], index));
      break;
    case "user":
      groups.user(place(item.blocks, index), item.isPinned);
      break;
    case "result":
      groups.answer(item.callId, place([item.block], index), item.isPinned);
      break;
    case "answer":
      groups.attach(place([item.block], index), true);
      break;
    case "system":
      groups.instruct(place(item.blocks, index));
      break;
    case "standing":
      groups.stand(index);
  }
}

/** An item on its way into a group. */
interface PlacedItem {
  readonly index: number;
  readonly blocks: readonly GroupBlock[];
}

function place(blocks: readonly ItemBlock[], index: number): PlacedItem {
  return { index, blocks: blocks.map(({ block, place }) => ({ block, place, item: index })) };
}

interface OpenGroup {
  readonly role: Message["role"];
  readonly results: GroupBlock[];
  readonly blocks: GroupBlock[];
  readonly items: number[];
  readonly standing: number[];
  isPinned: boolean;
  /** What the model says next is of a later reply. */
  isClosed: boolean;
  /** Where the results of its calls go: the message right after it. */
  answers?: OpenGroup;
}

type OpenGroups = ReturnType<typeof createGroups>;

function createGroups() {
  const groups: OpenGroup[] = [];
  const openCalls = new Map<string, OpenGroup>();
  /** The one that has the last item. */
  let current: OpenGroup | undefined;

  const begin = (role: Message["role"]): OpenGroup => {
    const group = openGroup(role);
    groups.push(group);
    return group;
  };
  const put = (group: OpenGroup, { index, blocks }: PlacedItem, list = group.blocks): void => {
    group.items.push(index);
    for (const block of blocks) list.push(block);
    current = group;
  };
  const attach = (item: PlacedItem, closes: boolean): void => {
    const group = current ?? begin("user");
    put(group, item);
    group.isClosed ||= closes;
  };
  return {
    reply(item: PlacedItem, callId?: string): void {
      const group = current?.role === "assistant" && !current.isClosed ? current : begin("assistant");
      put(group, item);
      if (callId !== undefined) openCalls.set(callId, group);
    },
    user(item: PlacedItem, isPinned = false): void {
      const group = begin("user");
      put(group, item);
      group.isPinned = isPinned;
    },
    answer(callId: string, item: PlacedItem, isPinned: boolean): void {
      const calls = openCalls.get(callId);
      if (calls === undefined) {
        attach({ ...item, blocks: item.blocks.map(orphan) }, true);
        return;
      }
      openCalls.delete(callId);
      calls.answers ??= openGroup("user");
      put(calls.answers, item, calls.answers.results);
      calls.answers.isPinned ||= isPinned;
    },
    attach,
    /** With the user's words: summaries keep what users ask for. Not between a call and its outputs. */
    instruct(item: PlacedItem): void {
      const isAwaited = [...openCalls.values()].some((group) => group === current);
      const isHost = item.blocks.some((block) => block.place.type !== "item");
      if (!isHost || current?.role === "user" || isAwaited) attach(item, false);
      else put(begin("user"), item);
    },
    stand(index: number): void {
      current?.standing.push(index);
    },
    finish: (): readonly ResponsesGroup[] =>
      groups.flatMap((group) => (group.answers === undefined ? close(group) : [close(group), close(group.answers)])),
  };
}

function openGroup(role: Message["role"]): OpenGroup {
  return { role, results: [], blocks: [], items: [], standing: [], isPinned: false, isClosed: false };
}

/** An output whose call is not in the input, but at the provider: only a pair that we see is one to us. */
function orphan({ block, place, item }: GroupBlock): GroupBlock {
  return { block: { ...block, type: "orphan_output" }, place, item };
}

/** A message that is pinned is one that no summary can stand for. */
function close({ role, results, blocks: others, items, standing, isPinned }: OpenGroup): ResponsesGroup {
  const blocks = results.length === 0 ? others : others.length === 0 ? results : [...results, ...others];
  const content = contentOf(blocks);
  return { message: isPinned ? { role, content, important: true } : { role, content }, blocks, items, standing };
}

/** A string stays a string where nothing else is said about it. */
function contentOf(placed: readonly GroupBlock[]): Content {
  const blocks: readonly Block[] = placed.map(({ block }) => block);
  const [first] = blocks;
  const isString = placed[0]?.place.type === "content";
  const isPlain = isString && blocks.length === 1 && first !== undefined && Object.keys(first).length === 2;
  return isPlain && "text" in first && typeof first.text === "string" ? first.text : blocks;
}
