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
  Conversation,
  Grouping,
  GroupOf,
  ItemList,
  MarkedPieces,
  Piece,
  PlacedBlock,
  SentMessage,
  UnmarkedPieces,
  Writing,
} from "./conversation.ts";

/** What is particular to one wire. `createAdapter` makes an adapter of it. */
export interface WireDescription<Reading extends Grouping, Place>
  extends Omit<WireAdapter, "readRequest" | "writeRequest" | "recall"> {
  /** Finds the list in a body; undefined where the body holds no conversation, or only a part of one. */
  findList(body: JsonRecord, operation: WireOperation): ItemList | undefined;
  /** Groups the items into messages; undefined where they make none, or none that could be folded. */
  group(list: ItemList): Reading | undefined;
  /** What the request says beside its conversation; undefined where it turns out to hold none. */
  describe(conversation: Conversation<Reading>, operation: WireOperation): DescribedRequest | undefined;
  /** A text for the items of one message: see `WireRequest.canonical`. */
  canonical(items: readonly unknown[]): string;
  /** The id of a call as the agent sent it. @default the block's id */
  callId?(call: ToolUseBlock): string;
  /** The blocks of a message, in order and one for one, with their places. */
  placeBlocks(group: GroupOf<Reading>, conversation: Conversation<Reading>): readonly PlacedBlock<Place>[];
  /** What to change in the item so that the block shows as its stand-in; nothing where it cannot. */
  editBlock(placed: PlacedBlock<Place>, standIn: Block, context: EditContext<Reading>): readonly Edit[];
  /** The items of a summary or a marker, as JSON; none where nothing of it can be said on this wire. */
  writeStandIn(message: Message, context: StandInContext<Reading>): readonly string[];
  /** Items that `writeStandIn` or `arrange` may copy from, though their messages are not shown. @default none */
  copiedItems?(parts: readonly WirePart[], conversation: Conversation<Reading>): Iterable<number> | "all";
  /** The items to send, with what the provider demands where folding brought others together. @default those of the messages */
  arrange?(messages: readonly SentMessage<GroupOf<Reading>>[], writing: Writing<Reading>): readonly Piece[];
  /** The items with marks for the provider's cache. @default the API has none */
  markForCache?(unmarked: UnmarkedPieces<Reading>, breakpoints: CacheBreakpoints): MarkedPieces;
  /** What is put between two items that were not neighbours: a comma, or what stands between the first two. @default "comma" */
  readonly separator?: "comma" | "first-gap";
  /** The body with a list where it has one item alone. @default a body always has a list */
  withList?(body: string, list: ItemList): string;
  /** How the recall tool is offered, and its calls answered. @default it is not */
  readonly recall?: RecallDescription;
}

export interface DescribedRequest
  extends Omit<WireRequest, "raw" | "operation" | "messages" | "canonical" | "items" | "callIds"> {
  /** What is asked for, where the body says something else than the path. @default what the path says */
  readonly operation?: WireOperation;
}

export interface EditContext<Reading extends Grouping> extends Writing<Reading> {
  /** The range of the block's item in the body. */
  readonly item: JsonSlice;
  readonly role: Message["role"];
}

export interface StandInContext<Reading extends Grouping> extends Writing<Reading> {
  /** Whether nothing of the conversation stands before it. */
  readonly isFirst: boolean;
}

/** What is particular to one wire where a gateway answers calls of its recall tool. */
export interface RecallDescription
  extends Pick<WireRecall, "offer" | "definition" | "forbidCalls" | "results" | "unansweredLine" | "relay"> {
  /** Whether an item is the model's own. */
  isReply(item: unknown): boolean;
  /** The item after a reply with more results in it. @default results are items of their own */
  addResults?(item: string, results: readonly RecallResult[]): string;
}
