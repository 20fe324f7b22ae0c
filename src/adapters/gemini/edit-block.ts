import type { JsonSlice } from "../../core/json/json-slices.ts";
import {
  type Block,
  isKnownBlock,
  type Message,
  type ToolResultBlock,
  type ToolUseBlock,
} from "../../core/message/message.ts";
import { contentBlocks } from "../../core/message/tool-pairs.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import { textFieldOf } from "../../core/transcript/gemini-part.ts";
import { protoEntry } from "../../core/transcript/gemini-proto-fields.ts";
import {
  type BodySlices,
  type Edit,
  type EditContext,
  editOf,
  type Grouping,
  type ItemGroup,
  type PlacedBlock,
  type WireConversation,
} from "../splice/index.ts";
import { partsOf } from "./read-turns.ts";
import { writeArguments, writePart } from "./write-part.ts";

/** The part of a content that a block was read from: one of its parts, or the whole content if that could not be read. */
export type Place = { readonly type: "part"; readonly index: number } | { readonly type: "content" };

/** The blocks of a message with their places: one for each part of its first content, and one for each further content. */
export function placeBlocks(
  { message, items: indexes }: ItemGroup,
  { items }: WireConversation,
): readonly PlacedBlock<Place>[] {
  const [first = -1, ...others] = indexes;
  const parts = partsOf(items[first]).map((_, index): Place => ({ type: "part", index }));
  const firstPlaces = parts.length === 0 ? [WHOLE_CONTENT] : parts;
  const places = [
    ...firstPlaces.map((place) => ({ item: first, place })),
    ...others.map((item) => ({ item, place: WHOLE_CONTENT })),
  ];
  return contentBlocks(message.content).flatMap((block, index) => {
    const place = places[index];
    return place === undefined ? [] : [{ block, ...place }];
  });
}

const WHOLE_CONTENT: Place = { type: "content" };

/** The edits of a content that show the stand-in in place of a block. */
export function editBlock(
  { block, place }: PlacedBlock<Place>,
  standIn: Block,
  { slices, item, role }: EditContext<Grouping>,
): readonly Edit[] {
  if (place.type === "content") return editOf(item, contentText(role, [JSON.stringify(writePart(standIn))]));
  const part = partAt(slices, item, place.index);
  return part === undefined ? [] : foldPart({ slices, part, block }, standIn);
}

/** The range of a part of a content; undefined if there is no such part. A single part may stand in place of the list. */
export function partAt(slices: BodySlices, content: JsonSlice | undefined, index: number): JsonSlice | undefined {
  const parts = slices.field(content, "parts");
  const entries = slices.entries(parts);
  if (entries !== undefined) return entries[index];
  return parts !== undefined && slices.body[parts.start] === "{" && index === 0 ? parts : undefined;
}

/** A content with these parts, as JSON. */
export function contentText(role: Message["role"], parts: readonly string[]): string {
  return `{"role":"${role === "user" ? "user" : "model"}","parts":[${parts.join(",")}]}`;
}

/** A part of the body, and the block that was read from it. */
interface PartSource {
  readonly slices: BodySlices;
  readonly part: JsonSlice;
  readonly block: Block;
}

/** The edits that show the stand-in in place of a part. They change only the field that the stand-in hides, if the part has it. */
export function foldPart({ slices, part, block }: PartSource, standIn: Block): readonly Edit[] {
  const fields = slices.fields(part);
  if (fields !== undefined && isKnownBlock(block) && isKnownBlock(standIn)) {
    if (block.type === "text" && standIn.type === "text") {
      return standIn.text === block.text ? [] : editOf(fields.get("text"), JSON.stringify(standIn.text));
    }
    const call = protoEntry(fields, "functionCall");
    if (call !== undefined && block.type === "tool_use" && standIn.type === "tool_use") {
      return foldArguments(slices.field(call, "args"), block, standIn);
    }
    const response = protoEntry(fields, "functionResponse");
    if (response !== undefined && block.type === "tool_result" && standIn.type === "tool_result") {
      return foldResponse({ slices, response }, block, standIn);
    }
  }
  return editOf(part, JSON.stringify(writePart(standIn)));
}

function foldArguments(args: JsonSlice | undefined, block: ToolUseBlock, standIn: ToolUseBlock): readonly Edit[] {
  const isSame = serialize(standIn.input) === serialize(block.input);
  return isSame ? [] : editOf(args, JSON.stringify(writeArguments(standIn.input)));
}

interface ResponseSource {
  readonly slices: BodySlices;
  readonly response: JsonSlice;
}

function foldResponse(source: ResponseSource, block: ToolResultBlock, standIn: ToolResultBlock): readonly Edit[] {
  const { slices, response } = source;
  const list = slices.field(response, "parts");
  const media = slices.entries(list) ?? [];
  const { text, keptMedia } = showResult(block, standIn, media.length);
  const isTextChanged = text !== showResult(block, block, media.length).text;
  const kept = media.filter((_, index) => keptMedia.has(index)).map(({ start, end }) => slices.body.slice(start, end));
  return [
    ...(isTextChanged ? [editText(source, { ...standIn, content: text })] : []),
    ...(kept.length === media.length ? [] : editOf(list, `[${kept.join(",")}]`)),
  ];
}

interface ShownResult {
  readonly text: string;
  /** The indexes of the media that stay as they are. */
  readonly keptMedia: ReadonlySet<number>;
}

/** How a result is shown. A response has only one text: the stand-ins of hidden media are lines of it. */
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

/** Whether a block is unchanged; compared by value, because folds that were stored hold copies. */
function isSame(item: Block, original: Block | undefined): boolean {
  return item === original || serialize(item) === serialize(original);
}

/** The edit that changes the text of a response: in the field that holds a text, or else in place of the whole `response`. */
function editText({ slices, response: owner }: ResponseSource, { content, is_error }: ToolResultBlock): Edit {
  const fields = slices.fields(owner) ?? new Map<string, JsonSlice>();
  const shown = JSON.stringify(is_error === true ? { error: content } : { output: content });
  const response = fields.get("response");
  if (response === undefined) {
    const start = slices.body.indexOf("{", owner.start) + 1;
    return { start, end: start, text: `"response":${shown}${fields.size > 0 ? "," : ""}` };
  }
  const inner = slices.fields(response);
  const field = inner?.get(textFieldOf(inner.keys()) ?? "");
  const isText = field !== undefined && slices.body[field.start] === '"';
  return isText ? { ...field, text: JSON.stringify(content) } : { ...response, text: shown };
}
