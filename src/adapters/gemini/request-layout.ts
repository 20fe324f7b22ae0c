import { type JsonSlice, sliceFields, sliceItems, sliceListField } from "../../core/json/json-slices.ts";
import type { Block, ToolUseBlock } from "../../core/message/message.ts";
import { contentBlocks, isToolUse } from "../../core/message/tool-pairs.ts";
import type { WireRequest } from "../../core/ports/wire-adapter.ts";
import type { BlockSource } from "./fold-part.ts";
import { conversationOf } from "./read-request.ts";
import type { Turn } from "./read-turns.ts";

/** Where the messages of a request, and their blocks, stand in its body. */
export interface RequestLayout {
  readonly body: string;
  readonly turns: readonly PlacedTurn[];
  /** What stands before the first message and after the last one. */
  readonly head: string;
  readonly tail: string;
  /** What stands between two contents that were not neighbours. */
  readonly separator: string;
  blocks(turn: PlacedTurn): readonly PlacedBlock[];
  /** The call with this id and name. */
  findCall(call: ToolUseBlock): PlacedBlock | undefined;
}

export interface PlacedTurn extends Turn {
  readonly slice: JsonSlice;
}

/** A block of a turn: of one of its parts, or of a whole content that could not be read. */
export interface PlacedBlock extends BlockSource {
  readonly type: "part" | "content";
}

export function layOutRequest(request: WireRequest): RequestLayout {
  const { body } = request.raw;
  const { path = [], turns: read = [] } = conversationOf(request) ?? {};
  const contents = sliceContents(body, path);
  const turns = read.map((turn) => ({ ...turn, slice: spanOf(contents, turn) }));
  const [first, second] = contents;
  const blocks = (turn: PlacedTurn) => placeBlocks(body, contents, turn);
  return {
    body,
    turns,
    head: body.slice(0, turns[0]?.slice.start),
    tail: body.slice(turns.at(-1)?.slice.end),
    separator: second === undefined ? "," : body.slice(first?.end, second.start),
    blocks,
    findCall({ id, name }) {
      const isCall = (block: Block) => isToolUse(block) && block.id === id && block.name === name;
      const turn = turns.find(({ message }) => contentBlocks(message.content).some(isCall));
      return turn === undefined ? undefined : blocks(turn).find(({ block }) => isCall(block));
    },
  };
}

function sliceContents(body: string, path: readonly string[]): readonly JsonSlice[] {
  let owner: JsonSlice | undefined = { start: 0, end: body.length };
  for (const name of path.slice(0, -1)) owner = owner && sliceFields(body, owner.start)?.get(name);
  return (owner && sliceListField(body, path.at(-1) ?? "", owner.start)?.items) ?? [];
}

function spanOf(contents: readonly JsonSlice[], { start, end }: Turn): JsonSlice {
  return { start: contents[start]?.start ?? 0, end: contents[end - 1]?.end ?? 0 };
}

function placeBlocks(body: string, contents: readonly JsonSlice[], turn: Turn): readonly PlacedBlock[] {
  const [first, ...others] = contents.slice(turn.start, turn.end);
  const parts = first === undefined ? [] : itemsAt(body, sliceFields(body, first.start)?.get("parts"));
  const place = (type: PlacedBlock["type"]) => (slice: JsonSlice) => ({ type, slice });
  const places = [
    ...(first !== undefined && parts.length === 0 ? [place("content")(first)] : parts.map(place("part"))),
    ...others.map(place("content")),
  ];
  return contentBlocks(turn.message.content).flatMap((block, index) => {
    const found = places[index];
    return found === undefined ? [] : [{ ...found, body, block }];
  });
}

/** The items of a list, or the one object that stands in its place. */
function itemsAt(body: string, slice: JsonSlice | undefined): readonly JsonSlice[] {
  if (slice === undefined) return [];
  return sliceItems(body, slice.start) ?? (body[slice.start] === "{" ? [slice] : []);
}
