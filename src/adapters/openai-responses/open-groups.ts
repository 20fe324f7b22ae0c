import type { Message } from "../../core/message/message.ts";
import type { ItemBlock, ReadItem, ReadResult } from "./read-item.ts";

/** An item of the conversation, and how it was read. */
export interface SaidItem {
  readonly index: number;
  readonly read: Exclude<ReadItem, { readonly type: "standing" }>;
}

/** A group to which items may still be added. */
export interface OpenGroup {
  readonly role: Message["role"];
  readonly items: SaidItem[];
  readonly standing: number[];
  /** Whether the reply is complete: the model's next item begins another. */
  isClosed: boolean;
  /** How many of its calls have no result yet. */
  openCalls: number;
  /** The group of the results of its calls, which becomes the message right after it. */
  answers?: OpenGroup;
}

export interface OpenGroups {
  /** The groups that are not complete, in order. */
  groups: OpenGroup[];
  /** For the id of each call without a result, the group that makes the call. */
  readonly callers: Map<string, OpenGroup>;
  /** The group that got the last item. */
  current: OpenGroup | undefined;
}

/** Adds an item to the group that it belongs to, or begins a group with it. */
export function addItem(open: OpenGroups, item: SaidItem): void {
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

/** Takes the call off the open ones, and returns the group that makes it; undefined if it has a result already, or there is no such call. */
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

/** Adds an item of the system to the user's message, because summaries keep what users ask for; never between a call and its outputs. */
function addInstruction(open: OpenGroups, item: SaidItem): void {
  const { current } = open;
  const isReadable = blocksOf(item.read).some(({ place }) => place.type !== "item");
  const awaitsResults = current !== undefined && current.openCalls > 0;
  if (!isReadable || current?.role === "user" || awaitsResults) attach(open, item, false);
  else put(open, begin(open, "user"), item);
}

export function blocksOf(read: SaidItem["read"]): readonly ItemBlock[] {
  return "blocks" in read ? read.blocks : [read.block];
}
