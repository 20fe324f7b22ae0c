import type { JsonSlice } from "../../core/json/json-slices.ts";
import { type Block, type Content, isKnownBlock, type ToolResultBlock } from "../../core/message/message.ts";
import { isToolResult, isToolUse } from "../../core/message/tool-pairs.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import {
  type BodySlices,
  type Edit,
  type EditContext,
  editOf,
  type Grouping,
  type PlacedBlock,
} from "../splice/index.ts";
import type { ItemPlace } from "./read-item.ts";

/** The edits of an item that show the stand-in in place of a block; an empty list if the item has no field for it. */
export function editBlock(
  { block, place }: PlacedBlock<ItemPlace>,
  standIn: Block,
  { slices, item }: EditContext<Grouping>,
): readonly Edit[] {
  const text = JSON.stringify(textOf(standIn));
  switch (place.type) {
    case "item": {
      const content = slices.field(item, "content");
      return content === undefined ? editOf(item, `{"role":"user","content":${text}}`) : editOf(content, text);
    }
    case "text":
      return editOf(slices.field(item, place.field), text);
    case "part":
      return editPart(slices, slices.entry(slices.field(item, "content"), place.partIndex), { block, standIn });
    case "reasoning":
      // The fields stay, as some servers demand them beside calls. Details are sealed: they are void without the text that they seal.
      return [
        ...editOf(stringAt(slices, slices.field(item, "reasoning_content")), text),
        ...editOf(stringAt(slices, slices.field(item, "reasoning")), text),
        ...("reasoning_details" in block ? editOf(slices.field(item, "reasoning_details"), "[]") : []),
      ];
    case "call":
      return editCall(slices, slices.entry(slices.field(item, "tool_calls"), place.callIndex), { block, standIn });
    case "result":
      return editResult(slices, item, { block, standIn });
  }
}

interface Replacement {
  readonly block: Block;
  readonly standIn: Block;
}

function editPart(slices: BodySlices, part: JsonSlice | undefined, { block, standIn }: Replacement): readonly Edit[] {
  const isText = isKnownBlock(block) && block.type === "text" && isKnownBlock(standIn) && standIn.type === "text";
  const text = isText ? slices.field(part, "text") : undefined;
  if (text !== undefined) return editOf(text, JSON.stringify(textOf(standIn)));
  return editOf(part, serialize(textPart(standIn)));
}

/** The edit of a call's arguments, which are a string of JSON, or of any text for a custom tool. */
function editCall(slices: BodySlices, call: JsonSlice | undefined, { block, standIn }: Replacement): readonly Edit[] {
  if (!isToolUse(block) || !isToolUse(standIn) || block.id !== standIn.id) return [];
  const ofFunction = slices.field(slices.field(call, "function"), "arguments");
  const ofCustom = slices.field(slices.field(call, "custom"), "input");
  const { input } = standIn;
  return editOf(ofFunction ?? ofCustom, JSON.stringify(typeof input === "string" ? input : serialize(input)));
}

function editResult(slices: BodySlices, item: JsonSlice, { block, standIn }: Replacement): readonly Edit[] {
  if (!isToolResult(block) || !isToolResult(standIn) || block.tool_use_id !== standIn.tool_use_id) return [];
  const content = slices.field(item, "content");
  const edits = editItems(slices, content, { from: block.content, to: standIn.content });
  return edits ?? editOf(content, writeContent(standIn));
}

/** The edits of the parts of a result that differ; undefined if original and stand-in do not have the same number of parts. */
function editItems(
  slices: BodySlices,
  list: JsonSlice | undefined,
  { from, to }: { readonly from: Content | undefined; readonly to: Content | undefined },
): readonly Edit[] | undefined {
  if (!Array.isArray(from) || !Array.isArray(to) || from.length !== to.length) return undefined;
  if (list === undefined || slices.body[list.start] !== "[") return undefined;
  return from.flatMap((block: Block, index) => {
    const standIn: Block | undefined = to[index];
    if (standIn === undefined || serialize(standIn) === serialize(block)) return [];
    return editPart(slices, slices.entry(list, index), { block, standIn });
  });
}

function writeContent({ content = "" }: ToolResultBlock): string {
  return serialize(typeof content === "string" ? content : content.map(textPart));
}

function textPart(block: Block): Block {
  return isKnownBlock(block) && block.type === "text" ? block : { type: "text", text: textOf(block) };
}

function textOf(block: Block): string {
  return "text" in block && typeof block.text === "string" ? block.text : serialize(block);
}

function stringAt({ body }: BodySlices, slice: JsonSlice | undefined): JsonSlice | undefined {
  return slice !== undefined && body[slice.start] === '"' ? slice : undefined;
}
