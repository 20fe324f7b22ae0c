import type { Message } from "../../core/message/message.ts";
import type { PlacedBlock } from "./placed-block.ts";
import type { ReadItem } from "./read-item.ts";

/** The items that one message stands for. */
export interface ItemGroup {
  readonly role: Message["role"];
  /** Results first, as they must be in a message. */
  readonly blocks: readonly GroupBlock[];
  /** Indexes into the input, ascending. */
  readonly items: readonly number[];
  /** Items that came after one of these and stay even where the message is hidden. */
  readonly standing: readonly number[];
  /** No summary can stand for it. */
  readonly isPinned: boolean;
}

export interface GroupBlock extends PlacedBlock {
  /** Index into the input. */
  readonly item: number;
}

export interface GroupedItems {
  readonly groups: readonly ItemGroup[];
  /** So many items stand before the conversation. */
  readonly headCount: number;
}

/**
 * Puts items together to messages. All that the model said in one go is one message, so that reasoning stays with what it led
 * to. The outputs of its calls are the message right after it, wherever they stand: the wire pairs by id alone.
 */
export function groupItems(items: readonly ReadItem[]): GroupedItems {
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

function place(blocks: readonly PlacedBlock[], index: number): PlacedItem {
  return { index, blocks: blocks.map((block) => ({ ...block, item: index })) };
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
    finish: (): readonly ItemGroup[] =>
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

function close({ role, results, blocks, items, standing, isPinned }: OpenGroup): ItemGroup {
  return { role, blocks: [...results, ...blocks], items, standing, isPinned };
}
