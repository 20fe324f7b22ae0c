import { asArray, asName, asRecord, asText, fieldAt, type JsonRecord } from "../../core/json/read-json.ts";
import type { Block, Message, ToolResultBlock, ToolUseBlock } from "../../core/message/message.ts";
import { contentBlocks, isToolResult, isToolUse } from "../../core/message/tool-pairs.ts";
import { writeCallArguments } from "../../core/transcript/call-arguments.ts";
import { blockAsText } from "../../messages/shared/block-text.ts";
import { blocksOf } from "../../messages/shared/join-turns.ts";
import { isSame } from "../shared/same-message.ts";
import type { ViewPlace } from "../shared/view-places.ts";
import type { ItemGroup } from "./read-items.ts";

/** The items to send for a view. Items without folds are the SDK's own objects; without any fold, the list itself is returned. */
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
  const allOriginals = blocksOf(group.message);
  const allShown = place.type === "folded" ? blocksOf(place.shown) : allOriginals;
  return [...new Set(group.places)].flatMap((index) => {
    const item = items[index];
    const isOwn = (_: Block, at: number) => group.places[at] === index;
    const originals = allOriginals.filter(isOwn);
    const shown = allShown.filter(isOwn);
    const isFolded = place.type === "folded" && !isSame(originals, shown);
    return item === undefined ? [] : [{ item, originals, shown, isFolded }];
  });
}

/** The calls of built-in tools of which call or output is folded: then both must be written as a function's. */
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
    // The API refuses an item with an id without the reasoning that led to it.
    return lacksReasoning ? written.map(withoutId) : written;
  });
}

function withoutId(item: object): object {
  const { id: _, ...rest } = asRecord(item) ?? {};
  return rest;
}

/** An item of the SDK, its blocks as they were read, and as the view shows them. */
interface ShownItem {
  readonly item: object;
  readonly originals: readonly Block[];
  readonly shown: readonly Block[];
  /** Whether the view shows any of its blocks differently. */
  readonly isFolded: boolean;
}

/** Writes an item with the blocks that the view shows. A call of a built-in tool becomes a function's, the only one that takes a text. */
function rewriteItem({ item, originals, shown }: ShownItem): readonly object[] {
  const fields = asRecord(item) ?? {};
  const [block] = shown;
  // Reasoning is sent whole, or not at all.
  if (block === undefined || fields.type === "reasoning") return [];
  if (isToolUse(block)) return [rewriteCall(fields, block)];
  if (isToolResult(block)) return [rewriteResult(fields, originals.find(isToolResult), block)];
  const parts = partsOf(originals, asArray(fields.content));
  if (fields.role === "user" || fields.role === "system") return writeInput(fields, shown, parts);
  return writeReply(fields.role === "assistant" ? fields : {}, shown, parts);
}

/** Writes a summary, or the marker of a truncation, as an item. */
function writeStandIn(message: Message): readonly object[] {
  const blocks = blocksOf(message);
  return message.role === "assistant" ? writeReply({}, blocks, []) : writeInput({ role: "user" }, blocks, []);
}

function rewriteCall(item: JsonRecord, block: ToolUseBlock): object {
  const own = item.type === "function_call" ? item : { status: "completed" };
  const { id: callId, name } = block;
  return { ...own, type: "function_call", callId, name, arguments: writeCallArguments(block) };
}

function rewriteResult(item: JsonRecord, original: ToolResultBlock | undefined, shown: ToolResultBlock): object {
  const own = item.type === "function_call_result" ? item : { name: toolNameOf(item), status: "completed" };
  const originals = partsOf(contentBlocks(original?.content ?? ""), asArray(item.output));
  const { content = "" } = shown;
  const output = typeof content === "string" ? content : writeParts("input_text", content, originals);
  return { ...own, type: "function_call_result", callId: shown.tool_use_id, output };
}

/** The name of a built-in tool, by the type of its output, which has no name. */
function toolNameOf({ type }: JsonRecord): string {
  return (asName(type) ?? "tool").replace(/_call_(?:output|result)$/, "");
}

function writeInput(item: JsonRecord, blocks: readonly Block[], originals: readonly Part[]): readonly object[] {
  const parts = writeParts("input_text", blocks, originals);
  const texts = parts.flatMap((part) => asText(fieldAt(part, "text")) ?? []);
  if (parts.length === 0) return [];
  // The content of a system message must be a string.
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

/** Writes blocks as parts. A block that is unchanged becomes the part that it was read from. */
function writeParts(type: string, blocks: readonly Block[], originals: readonly Part[]): readonly object[] {
  return blocks.flatMap((block): readonly object[] => {
    const original = originals.find((candidate) => isSame(candidate.block, block));
    if (original !== undefined) return [original.part];
    const text = block.type === "reasoning" ? undefined : blockAsText(block)?.text;
    return text === undefined ? [] : [{ type, text }];
  });
}
