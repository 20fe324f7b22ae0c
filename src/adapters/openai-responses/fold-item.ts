import { type JsonSlice, sliceFields, sliceItems } from "../../core/json/json-slices.ts";
import { type Block, isKnownBlock, type Message } from "../../core/message/message.ts";
import { asText } from "../../core/transcript/read-json.ts";
import { applyEdits, type Edit } from "./edits.ts";
import { foldOutput } from "./fold-output.ts";
import { foldPart, type PartFold, valueAt } from "./fold-part.ts";
import type { Place, PlacedBlock } from "./placed-block.ts";
import { textOf, textType, writeMessage } from "./write-blocks.ts";

/** A block of an item, and what is shown instead of it. */
export interface FoldedBlock extends PlacedBlock {
  readonly standIn: Block;
}

/** The item with stand-ins for some of its blocks; all around them is the same bytes. */
export function foldItem(text: string, folded: readonly FoldedBlock[], role: Message["role"]): string {
  const edits: Edit[] = [];
  let content: ContentSlices | undefined;
  for (const { block, place, standIn } of folded) {
    // What it led to is refused without it, and most of it is sealed: it stays, though the view has less.
    if (block.type === "reasoning") continue;
    const shown = textOf(standIn);
    if (place.type === "item") {
      if (shown !== undefined) return textInPlaceOfItem(text, { shown, role });
      edits.push(...foldWhole(text, block, standIn));
    } else if (shown !== undefined) {
      // once for all blocks of the item, which may be many
      content ??= sliceContent(text);
      edits.push(...foldContent(text, content, { place, shown, role }));
    }
  }
  return applyEdits(text, edits);
}

/** For an item that we do not know. What the system said, it still says. */
function textInPlaceOfItem(text: string, { shown, role }: PartFold): string {
  const fields = sliceFields(text);
  const ownRole = fields?.has("content") ? asText(valueAt(text, fields.get("role"))) : undefined;
  const author = ownRole === "system" || ownRole === "developer" ? ownRole : role;
  return writeMessage(author, [{ type: textType(author), text: shown }]);
}

/** Nothing where the item has no room for such a stand-in: then it stays as it is. */
function foldWhole(text: string, block: Block, standIn: Block): readonly Edit[] {
  if (!isKnownBlock(standIn)) return [];
  if (standIn.type === "tool_use") return foldCall(text, standIn.input);
  return standIn.type === "tool_result" ? foldOutput(text, block, standIn) : [];
}

const CALL_TEXTS = new Map<unknown, string>([
  ["function_call", "arguments"],
  ["custom_tool_call", "input"],
]);

/** Only text has room for less of it: all other calls are made of fields that their tools define. */
function foldCall(text: string, input: unknown): readonly Edit[] {
  const fields = sliceFields(text);
  const slice = fields?.get(CALL_TEXTS.get(valueAt(text, fields.get("type"))) ?? "");
  if (slice === undefined) return [];
  return [{ ...slice, text: JSON.stringify(typeof input === "string" ? input : JSON.stringify(input)) }];
}

interface ContentSlices {
  readonly content: JsonSlice | undefined;
  readonly parts: readonly JsonSlice[];
}

function sliceContent(text: string): ContentSlices {
  const content = sliceFields(text)?.get("content");
  return { content, parts: (content && sliceItems(text, content.start)) ?? [] };
}

interface ContentFold extends PartFold {
  readonly place: Place;
}

function foldContent(
  text: string,
  { content, parts }: ContentSlices,
  { place, shown, role }: ContentFold,
): readonly Edit[] {
  if (place.type !== "part") return content === undefined ? [] : [{ ...content, text: JSON.stringify(shown) }];
  const part = parts[place.index];
  return part === undefined ? [] : [foldPart(text, part, { shown, role })];
}
