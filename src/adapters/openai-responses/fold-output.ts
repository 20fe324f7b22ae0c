import type { JsonSlice } from "../../core/json/json-slices.ts";
import { asRecord } from "../../core/json/read-json.ts";
import type { Block, Content, ToolResultBlock } from "../../core/message/message.ts";
import { contentBlocks, isToolResult } from "../../core/message/tool-pairs.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import { type BodySlices, type Edit, editOf } from "../splice/index.ts";
import { foldPart, valueAt } from "./fold-part.ts";
import { textOf, writePart } from "./write-blocks.ts";

/** Their outputs are no text: an image, or definitions of tools. */
const FIXED_TYPES: ReadonlySet<unknown> = new Set(["computer_call_output", "tool_search_output"]);

/** Shows another content as the output of a call; nothing where the item has no room for it. */
export function foldOutput(
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

/** How the first command ended stays; what all of them printed is shown as its output. */
function foldShellOutput(slices: BodySlices, output: JsonSlice, content: Content): readonly Edit[] {
  const first = asRecord(valueAt(slices, slices.entry(output, 0)));
  if (first === undefined || typeof content !== "string") return [];
  return editOf(output, JSON.stringify([{ ...first, stdout: content, stderr: "" }]));
}
