import { asArray, asName, asRecord, asText, fieldAt, type JsonRecord } from "../../core/json/read-json.ts";
import type { Block, Message, ToolResultBlock, ToolUseBlock } from "../../core/message/message.ts";
import { contentBlocks, isToolResult, isToolUse } from "../../core/message/tool-pairs.ts";
import { writeCallArguments } from "../../core/transcript/call-arguments.ts";
import { blockAsText } from "../../messages/shared/block-text.ts";
import { blocksOf } from "../../messages/shared/join-turns.ts";
import { isSame } from "../shared/same-message.ts";
import type { ViewPlace } from "../shared/view-places.ts";
import type { ItemGroup } from "./read-items.ts";

/** The items to send for a view. Items without folds are the SDK's own objects; without any fold, the list is as it was. */
export function writeItems(
  places: readonly ViewPlace[],
  groups: readonly ItemGroup[],
  items: readonly object[],
): readonly object[] {
  if (places.length === groups.length && places.every(({ type }) => type === "original")) return items;
  const turns = places.map((place) =>
    place.type === "stand-in" ? place.message : shownItems(place, groups[place.index], items),
  );
  const nativeIds = foldedNativeIds(turns.flatMap((turn) => ("role" in turn ? [] : turn)));
  return turns.flatMap((turn) => ("role" in turn ? writeStandIn(turn) : writeTurn(turn, nativeIds)));
}

function shownItems(
  place: Exclude<ViewPlace, { readonly type: "stand-in" }>,
  group: ItemGroup | undefined,
  items: readonly object[],
): readonly ShownItem[] {
  if (group === undefined) return [];
  const allSaid = blocksOf(group.message);
  const allShown = place.type === "folded" ? blocksOf(place.shown) : allSaid;
  return [...new Set(group.places)].flatMap((index) => {
    const item = items[index];
    const isOwn = (_: Block, at: number) => group.places[at] === index;
    const said = allSaid.filter(isOwn);
    const shown = allShown.filter(isOwn);
    const isFolded = place.type === "folded" && !isSame(said, shown);
    return item === undefined ? [] : [{ item, said, shown, isFolded }];
  });
}

/** Calls of built-in tools of which one half is folded: the other half must be written as a function's too. */
function foldedNativeIds(turn: readonly ShownItem[]): ReadonlySet<string> {
  return new Set(
    turn.flatMap(({ item, shown, isFolded }) => {
      const isFunction = asName(fieldAt(item, "type"))?.startsWith("function_call") === true;
      return isFolded && !isFunction ? shown.flatMap(callIdOf) : [];
    }),
  );
}

function callIdOf(block: Block): readonly string[] {
  if (isToolUse(block)) return [block.id];
  return isToolResult(block) ? [block.tool_use_id] : [];
}

function writeTurn(turn: readonly ShownItem[], nativeIds: ReadonlySet<string>): readonly object[] {
  const lacksReasoning = turn.some(({ item, isFolded }) => isFolded && fieldAt(item, "type") === "reasoning");
  return turn.flatMap((shownItem) => {
    const isNative = shownItem.shown.flatMap(callIdOf).some((id) => nativeIds.has(id));
    const written = shownItem.isFolded || isNative ? rewriteItem(shownItem) : [shownItem.item];
    // The API refuses an item by its id without the reasoning that led to it.
    return lacksReasoning ? written.map(withoutId) : written;
  });
}

function withoutId(item: object): object {
  const { id: _, ...rest } = asRecord(item) ?? {};
  return rest;
}

/** An item of the SDK's with what it said, and what is to be shown of it. */
interface ShownItem {
  readonly item: object;
  readonly said: readonly Block[];
  readonly shown: readonly Block[];
  /** Whether it is shown otherwise than it was said. */
  readonly isFolded: boolean;
}

/** The item with what is shown of it. A call of a built-in tool becomes one of a function: no other takes a text for it. */
function rewriteItem({ item, said, shown }: ShownItem): readonly object[] {
  const fields = asRecord(item) ?? {};
  const [block] = shown;
  // Reasoning goes back whole, or not at all.
  if (block === undefined || fields.type === "reasoning") return [];
  if (isToolUse(block)) return [rewriteCall(fields, block)];
  if (isToolResult(block)) return [rewriteResult(fields, said.find(isToolResult), block)];
  const originals = partsOf(said, asArray(fields.content));
  if (fields.role === "user" || fields.role === "system") return writeInput(fields, shown, originals);
  return writeReply(fields.role === "assistant" ? fields : {}, shown, originals);
}

/** A summary, or the marker of a truncation, as an item. */
function writeStandIn(message: Message): readonly object[] {
  const blocks = blocksOf(message);
  return message.role === "assistant" ? writeReply({}, blocks, []) : writeInput({ role: "user" }, blocks, []);
}

function rewriteCall(item: JsonRecord, block: ToolUseBlock): object {
  const own = item.type === "function_call" ? item : { status: "completed" };
  const { id: callId, name } = block;
  return { ...own, type: "function_call", callId, name, arguments: writeCallArguments(block) };
}

function rewriteResult(item: JsonRecord, said: ToolResultBlock | undefined, shown: ToolResultBlock): object {
  const own = item.type === "function_call_result" ? item : { name: toolNameOf(item), status: "completed" };
  const originals = partsOf(contentBlocks(said?.content ?? ""), asArray(item.output));
  const { content = "" } = shown;
  const output = typeof content === "string" ? content : writeParts("input_text", content, originals);
  return { ...own, type: "function_call_result", callId: shown.tool_use_id, output };
}

/** The outputs of built-in tools do not name their tool. */
function toolNameOf({ type }: JsonRecord): string {
  return (asName(type) ?? "tool").replace(/_call_(?:output|result)$/, "");
}

function writeInput(item: JsonRecord, blocks: readonly Block[], originals: readonly Part[]): readonly object[] {
  const parts = writeParts("input_text", blocks, originals);
  const texts = parts.flatMap((part) => asText(fieldAt(part, "text")) ?? []);
  if (parts.length === 0) return [];
  // What the system says must be a text.
  const isText = item.role === "system" || texts.length === parts.length;
  return [{ ...item, type: "message", content: isText ? texts.join("\n\n") : parts }];
}

function writeReply(item: JsonRecord, blocks: readonly Block[], originals: readonly Part[]): readonly object[] {
  const content = writeParts("output_text", blocks, originals);
  return content.length === 0 ? [] : [{ status: "completed", ...item, type: "message", role: "assistant", content }];
}

/** A part of an item, and the block that was read from it. */
interface Part {
  readonly block: Block;
  readonly part: object;
}

function partsOf(blocks: readonly Block[], parts: readonly unknown[]): readonly Part[] {
  return blocks.flatMap((block, at) => {
    const part = asRecord(parts[at]);
    return part === undefined ? [] : [{ block, part }];
  });
}

/** Blocks as parts: those that are shown as they were said are the parts that they were read from. */
function writeParts(type: string, blocks: readonly Block[], originals: readonly Part[]): readonly object[] {
  return blocks.flatMap((block): readonly object[] => {
    const original = originals.find((each) => isSame(each.block, block));
    if (original !== undefined) return [original.part];
    const text = block.type === "reasoning" ? undefined : blockAsText(block)?.text;
    return text === undefined ? [] : [{ type, text }];
  });
}
