import type { JsonRecord } from "../../core/json/read-json.ts";
import type { Block, Message } from "../../core/message/message.ts";
import type { RawRequest, WirePart } from "../../core/ports/wire-adapter.ts";
import type { BodySlices, Edit } from "./body-slices.ts";

/** The list of a body that holds its conversation. */
export interface ItemList {
  /** The object that holds the list: the body, or a request that the body wraps. */
  readonly fields: JsonRecord;
  /** The names of the fields that lead to the list. */
  readonly path: readonly string[];
  readonly items: readonly unknown[];
}

/** A message, and the items that it stands for. */
export interface ItemGroup {
  readonly message: Message;
  /** Indexes into the list, ascending. */
  readonly items: readonly number[];
}

/** How the items of a list make up messages. A wire may add what it needs again when it writes. */
export interface Grouping<Group extends ItemGroup = ItemGroup> {
  /** So many items stand before the conversation: they are always sent. */
  readonly headCount: number;
  readonly groups: readonly Group[];
}

/** What was read of a request; kept until it is written. */
export type Conversation<Reading extends Grouping = Grouping> = ItemList & Reading & { readonly raw: RawRequest };

export type GroupOf<Reading extends Grouping> = Reading["groups"][number];

/** A block of a message, and where it stands in its item. */
export interface PlacedBlock<Place = unknown> {
  readonly block: Block;
  /** The index of its item. */
  readonly item: number;
  readonly place: Place;
}

/** What is at hand while a request is written. */
export interface Writing<Reading extends Grouping = Grouping> {
  readonly conversation: Conversation<Reading>;
  readonly slices: BodySlices;
}

/** One item of the list that is sent. */
export interface Piece {
  readonly text: string;
  /** Its index in the request's list; absent where the item is ours. */
  readonly item?: number;
}

/** The items that are to be sent, before they are marked for the cache. */
export interface UnmarkedPieces<Reading extends Grouping = Grouping> extends Writing<Reading> {
  readonly pieces: readonly Piece[];
  /** The place of the last piece that a fold changed, or made; undefined where none did. */
  readonly lastFolded: number | undefined;
}

export interface MarkedPieces {
  readonly pieces: readonly Piece[];
  /** What changes in the body outside of its list. */
  readonly edits: readonly Edit[];
}

/** A part of the conversation as it is sent. */
export interface SentMessage<Group extends ItemGroup = ItemGroup> {
  readonly part: WirePart;
  /** The message of the request, or the stand-in with its own folds shown. */
  readonly message: Message;
  /** The group of a message of the request. */
  readonly group: Group | undefined;
  /** Whether it stands behind the same message as in the request. */
  readonly isInPlace: boolean;
  /** None where a stand-in has nothing to say on this wire. */
  readonly pieces: readonly Piece[];
}
