import type { JsonSlice } from "../../core/json/json-slices.ts";
import { asText } from "../../core/json/read-json.ts";
import { type Block, isKnownBlock } from "../../core/message/message.ts";
import { type BodySlices, type Edit, type EditContext, editOf, type Grouping } from "../splice/index.ts";
import { foldOutput } from "./fold-output.ts";
import { foldPart, type PartFold, valueAt } from "./fold-part.ts";
import type { ItemBlock } from "./read-item.ts";
import { textOf, textType, writeMessage } from "./write-blocks.ts";

/** What to change in an item so that one of its blocks shows as its stand-in; all around it is the same bytes. */
export function editBlock(
  { block, place }: ItemBlock,
  standIn: Block,
  { slices, item, role }: Pick<EditContext<Grouping>, "slices" | "item" | "role">,
): readonly Edit[] {
  // What it led to is refused without it, and most of it is sealed: it stays, though the view has less.
  if (block.type === "reasoning") return [];
  const shown = textOf(standIn);
  if (place.type === "item") {
    return shown === undefined
      ? foldWhole(slices, item, { block, standIn })
      : editOf(item, textInPlaceOfItem(slices, item, { shown, role }));
  }
  if (shown === undefined) return [];
  const content = slices.field(item, "content");
  if (place.type === "content") return editOf(content, JSON.stringify(shown));
  const part = slices.entry(content, place.index);
  return part === undefined ? [] : foldPart(slices, part, { shown, role });
}

/** For an item that we do not know. What the system said, it still says. */
function textInPlaceOfItem(slices: BodySlices, item: JsonSlice, { shown, role }: PartFold): string {
  const hasContent = slices.field(item, "content") !== undefined;
  const ownRole = hasContent ? asText(valueAt(slices, slices.field(item, "role"))) : undefined;
  const author = ownRole === "system" || ownRole === "developer" ? ownRole : role;
  return writeMessage(author, [{ type: textType(author), text: shown }]);
}

/** Nothing where the item has no room for such a stand-in: then it stays as it is. */
function foldWhole(
  slices: BodySlices,
  item: JsonSlice,
  { block, standIn }: { readonly block: Block; readonly standIn: Block },
): readonly Edit[] {
  if (!isKnownBlock(standIn)) return [];
  if (standIn.type === "tool_use") return foldCall(slices, item, standIn.input);
  if (standIn.type !== "tool_result") return [];
  return foldOutput(slices, item, { original: block, content: standIn.content });
}

const CALL_TEXTS = new Map<unknown, string>([
  ["function_call", "arguments"],
  ["custom_tool_call", "input"],
]);

/** Only text has room for less of it: all other calls are made of fields that their tools define. */
function foldCall(slices: BodySlices, item: JsonSlice, input: unknown): readonly Edit[] {
  const field = CALL_TEXTS.get(valueAt(slices, slices.field(item, "type")));
  const slice = field === undefined ? undefined : slices.field(item, field);
  return editOf(slice, JSON.stringify(typeof input === "string" ? input : JSON.stringify(input)));
}
