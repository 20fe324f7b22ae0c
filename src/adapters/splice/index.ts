/** The engine of all adapters: it reads a conversation out of a body, and writes a folded one back into it, byte for byte. */

export type { BodySlices } from "./body-slices.ts";
export { applyEdits, type Edit, editOf } from "./body-slices.ts";
export type {
  Grouping,
  ItemGroup,
  ItemList,
  MarkedPieces,
  Piece,
  PlacedBlock,
  SentMessage,
  UnmarkedPieces,
  WireConversation,
  Writing,
} from "./conversation.ts";
export { createAdapter } from "./create-adapter.ts";
export type { DescribedRequest, EditContext, StandInContext, WireDescription } from "./wire-description.ts";
