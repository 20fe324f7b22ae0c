/** What all adapters have in common: reading a conversation out of a body and writing a folded one back into it, byte for byte. */

export type { BodySlices } from "./body-slices.ts";
export { applyEdits, type Edit, editOf } from "./body-slices.ts";
export type {
  Conversation,
  Grouping,
  ItemGroup,
  ItemList,
  MarkedPieces,
  Piece,
  PlacedBlock,
  SentMessage,
  UnmarkedPieces,
  Writing,
} from "./conversation.ts";
export { createAdapter } from "./create-adapter.ts";
export type { DescribedRequest, EditContext, StandInContext, WireDescription } from "./wire-description.ts";
