import { type JsonSlice, sliceFields, sliceItems } from "../../core/json/json-slices.ts";
import type { Block, Content, ToolResultBlock } from "../../core/message/message.ts";
import { contentBlocks, isToolResult } from "../../core/message/tool-pairs.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import { asRecord } from "../../core/transcript/read-json.ts";
import type { Edit } from "./edits.ts";
import { foldPart, valueAt } from "./fold-part.ts";
import { textOf, writePart } from "./write-blocks.ts";

/** Their outputs are no text: an image, or definitions of tools. */
const FIXED_TYPES: ReadonlySet<unknown> = new Set(["computer_call_output", "tool_search_output"]);

/** Shows another content as the output of a call; nothing where the item has no room for it. */
export function foldOutput(text: string, original: Block, { content }: ToolResultBlock): readonly Edit[] {
  const fields = sliceFields(text);
  const output = fields?.get("output");
  const type = valueAt(text, fields?.get("type"));
  if (output === undefined || content === undefined || FIXED_TYPES.has(type)) return [];
  if (type === "shell_call_output") return foldShellOutput(text, output, content);
  if (typeof content === "string") return [{ ...output, text: JSON.stringify(content) }];
  const before = isToolResult(original) ? contentBlocks(original.content ?? "") : [];
  const parts = sliceItems(text, output.start) ?? [];
  if (parts.length !== content.length) {
    return [{ ...output, text: JSON.stringify(content.map((block) => writePart(block, "user"))) }];
  }
  return content.flatMap((block, index): readonly Edit[] => {
    const part = parts[index];
    const shown = textOf(block);
    const isSame = before[index] === block || serialize(before[index]) === serialize(block);
    return part === undefined || shown === undefined || isSame ? [] : [foldPart(text, part, { shown, role: "user" })];
  });
}

/** How the first command ended stays; what all of them printed is shown as its output. */
function foldShellOutput(text: string, output: JsonSlice, content: Content): readonly Edit[] {
  const slices = sliceItems(text, output.start);
  const first = asRecord(valueAt(text, slices?.[0]));
  if (first === undefined || typeof content !== "string") return [];
  return [{ ...output, text: JSON.stringify([{ ...first, stdout: content, stderr: "" }]) }];
}
