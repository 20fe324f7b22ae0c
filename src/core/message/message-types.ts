/** `Message` and every type that it refers to: each subpath with messages in its API exports them all. */

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
