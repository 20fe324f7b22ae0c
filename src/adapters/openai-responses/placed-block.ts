import type { Block } from "../../core/message/message.ts";

/** A block, and where it stands in its item. */
export interface PlacedBlock {
  readonly block: Block;
  readonly place: Place;
}

export type Place =
  /** It is the item: a call, a result, reasoning, or what we do not know. */
  | { readonly type: "item" }
  /** The message's content, a string. */
  | { readonly type: "content" }
  /** A part of the message's content. */
  | { readonly type: "part"; readonly index: number };
