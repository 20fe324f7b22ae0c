import { type JsonSlice, sliceFields, sliceItems } from "../../core/json/json-slices.ts";
import type { Block, BlockFold } from "../../core/message/message.ts";
import { isToolResult } from "../../core/message/tool-pairs.ts";
import { fieldAt, isRecord, type JsonRecord } from "../../core/transcript/read-json.ts";
import { canonicalSpoken } from "./canonical.ts";
import { type ItemGroup, sliceOf, type WireItem, type WireSource } from "./read-layout.ts";
import { contentItems, readBlock } from "./read-message.ts";
import { writeBlock } from "./write-block.ts";

/** The texts of a group's items with its folded blocks shown as their stand-ins; all else is the same bytes. */
export function writeFoldedItems(
  source: WireSource,
  { main, attached }: ItemGroup,
  folds: readonly BlockFold[],
): readonly string[] {
  const standIns = new Map(folds.map((fold) => [fold.blockIndex, fold.standIn]));
  let firstBlock = 0;
  return [main, ...attached].map((item) => {
    const blocks = contentItems(item);
    const folded = blocks.flatMap((block, index): readonly FoldedBlock[] => {
      const standIn = standIns.get(firstBlock + index);
      return standIn === undefined ? [] : [{ index, block, standIn }];
    });
    firstBlock += blocks.length;
    const slice = sliceOf(source, item);
    return applyEdits(source.body, slice, folded.length === 0 ? [] : itemEdits(source.body, { item, slice, folded }));
  });
}

interface FoldedBlock {
  /** Its place in the list that it stands in. */
  readonly index: number;
  /** As the wire has it. */
  readonly block: unknown;
  readonly standIn: Block;
}

/** Another text for what stands in a slice of the body. */
interface Edit {
  readonly slice: JsonSlice;
  readonly text: string;
}

function applyEdits(body: string, { start, end }: JsonSlice, edits: readonly Edit[]): string {
  let text = "";
  let at = start;
  for (const edit of edits) {
    text += body.slice(at, edit.slice.start) + edit.text;
    at = edit.slice.end;
  }
  return text + body.slice(at, end);
}

interface FoldedItem {
  readonly item: WireItem;
  readonly slice: JsonSlice;
  readonly folded: readonly FoldedBlock[];
}

function itemEdits(body: string, { item, slice, folded }: FoldedItem): readonly Edit[] {
  const content = sliceFields(body, slice.start)?.get("content");
  if (content === undefined) return [];
  if (typeof fieldAt(item.value, "content") !== "string") return listEdits(body, content, folded);
  return folded.map(({ standIn }) => {
    const text = fieldAt(standIn, "text");
    return { slice: content, text: JSON.stringify(typeof text === "string" ? text : [writeBlock(standIn) ?? standIn]) };
  });
}

function listEdits(body: string, list: JsonSlice, folded: readonly FoldedBlock[]): readonly Edit[] {
  const slices = sliceItems(body, list.start) ?? [];
  return folded.flatMap((block) => {
    const slice = slices[block.index];
    return slice === undefined ? [] : blockEdits(body, slice, block);
  });
}

/** What of a block a fold replaces; the rest of it, marks and unknown fields, stays as this request has it. */
const FOLDED_FIELDS: Readonly<Record<string, string>> = { text: "text", tool_use: "input", tool_result: "content" };

function blockEdits(body: string, slice: JsonSlice, { block, standIn }: FoldedBlock): readonly Edit[] {
  const written = writeBlock(standIn);
  if (written === undefined) return [];
  const field = fieldAt(block, "type") === standIn.type ? FOLDED_FIELDS[standIn.type] : undefined;
  const fieldSlice = field === undefined ? undefined : sliceFields(body, slice.start)?.get(field);
  if (field === undefined || fieldSlice === undefined) return [{ slice, text: replaceBlock(block, written) }];
  const items = foldedItems(fieldAt(block, "content"), standIn);
  if (items === undefined) return [{ slice: fieldSlice, text: JSON.stringify(written[field]) }];
  return listEdits(body, fieldSlice, items);
}

/** The changed items of a result that is shown item for item; undefined where it is shown as something else. */
function foldedItems(items: unknown, standIn: Block): readonly FoldedBlock[] | undefined {
  const shown = isToolResult(standIn) ? standIn.content : undefined;
  if (!Array.isArray(items) || shown === undefined || typeof shown === "string") return undefined;
  if (items.length !== shown.length) return undefined;
  const blocks: readonly unknown[] = items;
  return shown.flatMap((each, index) =>
    isUnchanged(blocks[index], each) ? [] : [{ index, block: blocks[index], standIn: each }],
  );
}

function isUnchanged(block: unknown, standIn: Block): boolean {
  return canonicalSpoken(readBlock(block)) === canonicalSpoken(standIn);
}

function replaceBlock(block: unknown, written: JsonRecord): string {
  const mark = isRecord(block) && block.cache_control !== undefined ? { cache_control: block.cache_control } : {};
  return JSON.stringify({ ...written, ...mark });
}
