import { type JsonSlice, sliceFields, sliceItems } from "../../core/json/json-slices.ts";
import { type Block, isKnownBlock, type ToolResultBlock, type ToolUseBlock } from "../../core/message/message.ts";
import { contentBlocks } from "../../core/message/tool-pairs.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import { protoEntry } from "./proto-fields.ts";
import { textFieldOf } from "./response-text.ts";
import type { Edit } from "./text-edits.ts";
import { writeArguments, writePart } from "./write-part.ts";

/** A block and the part that it was read from. */
export interface BlockSource {
  readonly body: string;
  readonly slice: JsonSlice;
  readonly block: Block;
}

/** What to change in the body so that the part shows the stand-in: no more than what the stand-in hides. */
export function foldPart(source: BlockSource, standIn: Block): readonly Edit[] {
  const { body, slice, block } = source;
  const fields = sliceFields(body, slice.start);
  if (fields !== undefined && isKnownBlock(block) && isKnownBlock(standIn)) {
    if (block.type === "text" && standIn.type === "text") {
      return replaceWhere(fields.get("text"), standIn.text, standIn.text !== block.text);
    }
    const call = protoEntry(fields, "functionCall");
    if (call !== undefined && block.type === "tool_use" && standIn.type === "tool_use") {
      return foldArguments({ body, slice: call }, block, standIn);
    }
    const response = protoEntry(fields, "functionResponse");
    if (response !== undefined && block.type === "tool_result" && standIn.type === "tool_result") {
      return foldResponse({ body, slice: response }, block, standIn);
    }
  }
  return replaceWhere(slice, writePart(standIn), true);
}

type ObjectSource = Omit<BlockSource, "block">;

function foldArguments({ body, slice }: ObjectSource, block: ToolUseBlock, standIn: ToolUseBlock): readonly Edit[] {
  const args = sliceFields(body, slice.start)?.get("args");
  return replaceWhere(args, writeArguments(standIn.input), serialize(standIn.input) !== serialize(block.input));
}

function foldResponse(
  { body, slice }: ObjectSource,
  block: ToolResultBlock,
  standIn: ToolResultBlock,
): readonly Edit[] {
  const fields = sliceFields(body, slice.start) ?? new Map<string, JsonSlice>();
  const list = fields.get("parts");
  const media = list === undefined ? [] : (sliceItems(body, list.start) ?? []);
  const { text, keptMedia } = showResult(block, standIn, media.length);
  const isTextChanged = text !== showResult(block, block, media.length).text;
  const kept = media.filter((_, index) => keptMedia.has(index)).map(({ start, end }) => body.slice(start, end));
  return [
    ...(isTextChanged ? [editText({ body, slice }, fields, { ...standIn, content: text })] : []),
    ...(list === undefined || kept.length === media.length ? [] : [{ ...list, text: `[${kept.join(",")}]` }]),
  ];
}

interface ShownResult {
  readonly text: string;
  /** Which of the media stay as they are. */
  readonly keptMedia: ReadonlySet<number>;
}

/** A response has one text: the lines that stand for media join it. */
function showResult(block: ToolResultBlock, standIn: ToolResultBlock, mediaCount: number): ShownResult {
  const { content = "" } = standIn;
  if (typeof content === "string") return { text: content, keptMedia: new Set() };
  const originals = contentBlocks(block.content ?? "");
  const firstMedia = originals.length - mediaCount;
  const keptMedia = new Set<number>();
  const texts: string[] = [];
  for (const [index, item] of content.entries()) {
    const isMedia = index >= firstMedia && content.length === originals.length;
    if (isMedia && isSame(item, originals[index])) keptMedia.add(index - firstMedia);
    else texts.push(isKnownBlock(item) && item.type === "text" ? item.text : serialize(item));
  }
  return { text: texts.join("\n"), keptMedia };
}

/** Folds that were stored hold copies. */
function isSame(item: Block, original: Block | undefined): boolean {
  return item === original || serialize(item) === serialize(original);
}

/** Another text for a response: in the field that has it, else in place of all that was answered. */
function editText(
  { body, slice }: ObjectSource,
  fields: ReadonlyMap<string, JsonSlice>,
  { content, is_error }: ToolResultBlock,
): Edit {
  const shown = JSON.stringify(is_error === true ? { error: content } : { output: content });
  const response = fields.get("response");
  if (response === undefined) {
    const start = body.indexOf("{", slice.start) + 1;
    return { start, end: start, text: `"response":${shown}${fields.size > 0 ? "," : ""}` };
  }
  const inner = sliceFields(body, response.start);
  const field = inner?.get(textFieldOf(inner.keys()) ?? "");
  const isText = field !== undefined && body[field.start] === '"';
  return isText ? { ...field, text: JSON.stringify(content) } : { ...response, text: shown };
}

function replaceWhere(slice: JsonSlice | undefined, value: unknown, isChanged: boolean): readonly Edit[] {
  return slice === undefined || !isChanged ? [] : [{ ...slice, text: JSON.stringify(value) }];
}
