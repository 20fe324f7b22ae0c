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

/** How the items of a list are grouped into messages. A wire's own groups may hold more, which it needs when it writes the request. */
export interface Grouping<Group extends ItemGroup = ItemGroup> {
  /** The number of items before the first group, such as system messages. They are always sent. */
  readonly headCount: number;
  readonly groups: readonly Group[];
}

/** A request's conversation as it was read: its list, its groups and the raw request. Kept until the request is written. */
export type WireConversation<Reading extends Grouping = Grouping> = ItemList & Reading & { readonly raw: RawRequest };

export type GroupOf<Reading extends Grouping> = Reading["groups"][number];

/** A block of a message, and its position in the item that it was read from. */
export interface PlacedBlock<Place = unknown> {
  readonly block: Block;
  /** The index of the item that it was read from. */
  readonly item: number;
  /** Which part of the item it is, in the wire's own terms. */
  readonly place: Place;
}

/** What is available while a request is written: the conversation as it was read, and the positions of its values in the body. */
export interface Writing<Reading extends Grouping = Grouping> {
  readonly conversation: WireConversation<Reading>;
  readonly slices: BodySlices;
}

/** One item of the list that is sent, as JSON text. */
export interface Piece {
  readonly text: string;
  /** The item's index in the request's list; absent for an item that we wrote. */
  readonly item?: number;
}

/** The items to send, before the marks for the provider's cache are added. */
export interface UnmarkedPieces<Reading extends Grouping = Grouping> extends Writing<Reading> {
  readonly pieces: readonly Piece[];
  /** The index of the last piece that a fold changed or wrote; undefined if there is none. */
  readonly lastFolded: number | undefined;
}

export interface MarkedPieces {
  readonly pieces: readonly Piece[];
  /** Edits of the body outside of its list. */
  readonly edits: readonly Edit[];
}

/** One message of the conversation as it is sent. */
export interface SentMessage<Group extends ItemGroup = ItemGroup> {
  readonly part: WirePart;
  /** The message of the request; for a stand-in, the stand-in's message with its own folds applied. */
  readonly message: Message;
  /** The group of the message; undefined for a stand-in. */
  readonly group: Group | undefined;
  /** Whether it directly follows the message that it followed in the request. */
  readonly isInPlace: boolean;
  /** Empty if a stand-in has nothing that can be said on this wire. */
  readonly pieces: readonly Piece[];
}
