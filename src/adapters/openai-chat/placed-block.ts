import type { Block } from "../../core/message/message.ts";

/** A block of a message, and where it was read from. */
export interface PlacedBlock {
  readonly block: Block;
  /** The item of `messages` that it stands in. */
  readonly itemIndex: number;
  readonly place: ItemPlace;
}

/** Where in an item of the wire a block stands. */
export type ItemPlace =
  /** All of an item that is neither the user's nor the assistant's nor a result. */
  | { readonly type: "item" }
  /** A field that holds a text. */
  | { readonly type: "text"; readonly field: "content" | "refusal" }
  /** One of the list in `content`. */
  | { readonly type: "part"; readonly partIndex: number }
  /** All fields that hold reasoning. */
  | { readonly type: "reasoning" }
  /** One of `tool_calls`. */
  | { readonly type: "call"; readonly callIndex: number }
  /** All of an item that answers a call. */
  | { readonly type: "result" };
