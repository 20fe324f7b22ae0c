import type { JsonSlice } from "../../core/json/json-slices.ts";
import type { JsonRecord } from "../../core/json/read-json.ts";
import type { Block, Message, ToolUseBlock } from "../../core/message/message.ts";
import type {
  CacheBreakpoints,
  WireAdapter,
  WireOperation,
  WirePart,
  WireRequest,
} from "../../core/ports/wire-adapter.ts";
import type { RecallResult, WireRecall } from "../../core/ports/wire-recall.ts";
import type { Edit } from "./body-slices.ts";
import type {
  Grouping,
  GroupOf,
  ItemList,
  MarkedPieces,
  Piece,
  PlacedBlock,
  SentMessage,
  UnmarkedPieces,
  WireConversation,
  Writing,
} from "./conversation.ts";

/** Everything that is particular to one wire. `createAdapter` makes an adapter of it. */
export interface WireDescription<Reading extends Grouping, Place>
  extends Omit<WireAdapter, "readRequest" | "writeRequest" | "recall"> {
  /** Finds the list of the conversation in a body; undefined if the body holds no conversation, or only a part of one. */
  findList(body: JsonRecord, operation: WireOperation): ItemList | undefined;
  /** Groups the items into messages; undefined if they cannot be read as messages: the request is then forwarded as it came. */
  group(list: ItemList): Reading | undefined;
  /** What the request says besides its conversation: model, tools, limits. Undefined if it turns out to hold no conversation. */
  describe(conversation: WireConversation<Reading>, operation: WireOperation): DescribedRequest | undefined;
  /** A text for the items of one message: see `WireRequest.canonical`. */
  canonical(items: readonly unknown[]): string;
  /** The id of a call as the agent sent it. @default the block's id */
  callId?(call: ToolUseBlock): string;
  /** The blocks of a message, in order and one for one, with their places. */
  placeBlocks(group: GroupOf<Reading>, conversation: WireConversation<Reading>): readonly PlacedBlock<Place>[];
  /** The edits of the item that show the stand-in in place of the block; an empty list if the block cannot be replaced. */
  editBlock(placed: PlacedBlock<Place>, standIn: Block, context: EditContext<Reading>): readonly Edit[];
  /** The items of a summary or a marker, as JSON; an empty list if nothing of it can be said on this wire. */
  writeStandIn(message: Message, context: StandInContext<Reading>): readonly string[];
  /** The indexes of items that `writeStandIn` or `arrange` may copy from although their messages are hidden. @default none */
  copiedItems?(parts: readonly WirePart[], conversation: WireConversation<Reading>): Iterable<number> | "all";
  /** The items to send, with items of ours where the provider demands them between neighbours that folding made. @default the messages' items */
  arrange?(messages: readonly SentMessage<GroupOf<Reading>>[], writing: Writing<Reading>): readonly Piece[];
  /** The items with marks for the provider's cache. @default the API has none */
  markForCache?(unmarked: UnmarkedPieces<Reading>, breakpoints: CacheBreakpoints): MarkedPieces;
  /** The text between two items that were not neighbours: a comma, or the text between the list's first two items. @default "comma" */
  readonly separator?: "comma" | "first-gap";
  /** Returns the body with a list in place of a conversation that is one item without a list. @default a body always has a list */
  withList?(body: string, list: ItemList): string;
  /** How the recall tool is offered, and its calls answered. @default the tool is not offered */
  readonly recall?: RecallDescription;
}

export interface DescribedRequest
  extends Omit<WireRequest, "raw" | "operation" | "messages" | "canonical" | "items" | "callIds"> {
  /** The operation, if the body asks for another one than the path. @default what the path says */
  readonly operation?: WireOperation;
}

export interface EditContext<Reading extends Grouping> extends Writing<Reading> {
  /** The range of the block's item in the body. */
  readonly item: JsonSlice;
  readonly role: Message["role"];
}

export interface StandInContext<Reading extends Grouping> extends Writing<Reading> {
  /** Whether the stand-in begins the conversation. */
  readonly isFirst: boolean;
}

/** How one wire carries the recall tool, whose calls the gateway answers. */
export interface RecallDescription
  extends Pick<WireRecall, "offer" | "definition" | "forbidCalls" | "results" | "unansweredLine" | "relay"> {
  /** Whether the model said the item. */
  isReply(item: unknown): boolean;
  /** Returns the item that follows a reply, with these results added to it. @default results are items of their own */
  addResults?(item: string, results: readonly RecallResult[]): string;
}
