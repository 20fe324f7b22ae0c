import type { JsonSlice } from "../../core/json/json-slices.ts";
import { tryParseJson } from "../../core/json/parse-json.ts";
import { asRecord, asText } from "../../core/json/read-json.ts";
import {
  type Block,
  type Content,
  isKnownBlock,
  type Message,
  type ToolResultBlock,
} from "../../core/message/message.ts";
import { contentBlocks, isToolResult } from "../../core/message/tool-pairs.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import { type BodySlices, type Edit, type EditContext, editOf, type Grouping } from "../splice/index.ts";
import type { ItemBlock } from "./read-item.ts";
import { textFieldOf } from "./read-parts.ts";
import { textOf, textType, writeMessage, writePart } from "./write-blocks.ts";

/** The edits of an item that show the stand-in in place of a block; an empty list if the item has no room for it. All other bytes stay. */
export function editBlock(
  { block, place }: ItemBlock,
  standIn: Block,
  { slices, item, role }: Pick<EditContext<Grouping>, "slices" | "item" | "role">,
): readonly Edit[] {
  // The API refuses items without the reasoning that led to them, and most of it is sealed: reasoning stays, although the view hides it.
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

/** The message that replaces an item of an unknown form. A message of the system stays one of the system. */
function textInPlaceOfItem(slices: BodySlices, item: JsonSlice, { shown, role }: PartFold): string {
  const hasContent = slices.field(item, "content") !== undefined;
  const ownRole = hasContent ? asText(valueAt(slices, slices.field(item, "role"))) : undefined;
  const author = ownRole === "system" || ownRole === "developer" ? ownRole : role;
  return writeMessage(author, [{ type: textType(author), text: shown }]);
}

/** The edits of an item that is a call or a result; an empty list if it has no room for such a stand-in: then it stays as it is. */
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

/** The edit of a call's text. Calls of built-in tools consist of fields that the tool defines, and are left as they are. */
function foldCall(slices: BodySlices, item: JsonSlice, input: unknown): readonly Edit[] {
  const field = CALL_TEXTS.get(valueAt(slices, slices.field(item, "type")));
  const slice = field === undefined ? undefined : slices.field(item, field);
  return editOf(slice, JSON.stringify(typeof input === "string" ? input : JSON.stringify(input)));
}

/** Outputs that are no text: an image, or definitions of tools. */
const FIXED_TYPES: ReadonlySet<unknown> = new Set(["computer_call_output", "tool_search_output"]);

/** The edits that show another content as the output of a call; an empty list if the item has no room for it. */
function foldOutput(
  slices: BodySlices,
  item: JsonSlice,
  { original, content }: { readonly original: Block; readonly content: ToolResultBlock["content"] },
): readonly Edit[] {
  const output = slices.field(item, "output");
  const type = valueAt(slices, slices.field(item, "type"));
  if (output === undefined || content === undefined || FIXED_TYPES.has(type)) return [];
  if (type === "shell_call_output") return foldShellOutput(slices, output, content);
  if (typeof content === "string") return editOf(output, JSON.stringify(content));
  const before = isToolResult(original) ? contentBlocks(original.content ?? "") : [];
  const parts = slices.entries(output) ?? [];
  if (parts.length !== content.length) {
    return editOf(output, JSON.stringify(content.map((block) => writePart(block, "user"))));
  }
  return content.flatMap((block, index): readonly Edit[] => {
    const part = parts[index];
    const shown = textOf(block);
    const isSame = before[index] === block || serialize(before[index]) === serialize(block);
    return part === undefined || shown === undefined || isSame ? [] : foldPart(slices, part, { shown, role: "user" });
  });
}

/** The output of one command in place of all: it keeps how the first command ended, and shows the stand-in as its stdout. */
function foldShellOutput(slices: BodySlices, output: JsonSlice, content: Content): readonly Edit[] {
  const first = asRecord(valueAt(slices, slices.entry(output, 0)));
  if (first === undefined || typeof content !== "string") return [];
  return editOf(output, JSON.stringify([{ ...first, stdout: content, stderr: "" }]));
}

interface PartFold {
  /** The text to show instead of the part. */
  readonly shown: string;
  readonly role: Message["role"];
}

/** The edit of one part. A text part keeps its other fields; any other part becomes a text part. */
function foldPart(slices: BodySlices, part: JsonSlice, { shown, role }: PartFold): readonly Edit[] {
  const field = textFieldOf(valueAt(slices, part));
  const slice = field === undefined ? undefined : slices.field(part, field);
  if (slice !== undefined) return editOf(slice, JSON.stringify(shown));
  return editOf(part, JSON.stringify({ type: textType(role), text: shown }));
}

function valueAt({ body }: BodySlices, slice: JsonSlice | undefined): unknown {
  return slice === undefined ? undefined : tryParseJson(body.slice(slice.start, slice.end));
}
