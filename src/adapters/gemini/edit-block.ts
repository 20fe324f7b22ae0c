import type { JsonSlice } from "../../core/json/json-slices.ts";
import type { Block, Message } from "../../core/message/message.ts";
import { contentBlocks } from "../../core/message/tool-pairs.ts";
import {
  type BodySlices,
  type Conversation,
  type Edit,
  type EditContext,
  editOf,
  type Grouping,
  type ItemGroup,
  type PlacedBlock,
} from "../splice/index.ts";
import { foldPart } from "./fold-part.ts";
import { partsOf } from "./read-turns.ts";
import { writePart } from "./write-part.ts";

/** Where in its content a block stands: as one of the parts, or as all of a content that could not be read. */
export type Place = { readonly type: "part"; readonly index: number } | { readonly type: "content" };

export function placeBlocks(
  { message, items: indexes }: ItemGroup,
  { items }: Conversation,
): readonly PlacedBlock<Place>[] {
  const [first = -1, ...others] = indexes;
  const parts = partsOf(items[first]).map((_, index): Place => ({ type: "part", index }));
  const own = parts.length === 0 ? [WHOLE_CONTENT] : parts;
  const places = [
    ...own.map((place) => ({ item: first, place })),
    ...others.map((item) => ({ item, place: WHOLE_CONTENT })),
  ];
  return contentBlocks(message.content).flatMap((block, index) => {
    const place = places[index];
    return place === undefined ? [] : [{ block, ...place }];
  });
}

const WHOLE_CONTENT: Place = { type: "content" };

export function editBlock(
  { block, place }: PlacedBlock<Place>,
  standIn: Block,
  { slices, item, role }: EditContext<Grouping>,
): readonly Edit[] {
  if (place.type === "content") return editOf(item, contentText(role, [JSON.stringify(writePart(standIn))]));
  const part = partAt(slices, item, place.index);
  return part === undefined ? [] : foldPart({ slices, part, block }, standIn);
}

/** A part of a content; one object may stand in the place of the list. */
export function partAt(slices: BodySlices, content: JsonSlice | undefined, index: number): JsonSlice | undefined {
  const parts = slices.field(content, "parts");
  const entries = slices.entries(parts);
  if (entries !== undefined) return entries[index];
  return parts !== undefined && slices.body[parts.start] === "{" && index === 0 ? parts : undefined;
}

/** A content of these parts. */
export function contentText(role: Message["role"], parts: readonly string[]): string {
  return `{"role":"${role === "user" ? "user" : "model"}","parts":[${parts.join(",")}]}`;
}
