/** Every type that a message names, for the doors of the package that have messages. */

export type {
  Block,
  BlockFold,
  BlockFoldKind,
  Content,
  ImageBlock,
  ImageSource,
  KnownBlock,
  Message,
  ReasoningBlock,
  TextBlock,
  ToolResultBlock,
  ToolUseBlock,
  UnknownBlock,
} from "./message.ts";
