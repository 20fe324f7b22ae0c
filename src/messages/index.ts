/** Converters between our messages and what the official SDKs take (`palimpsest/messages`); one folder for each wire. */

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
} from "../core/message/message.ts";
export * from "./ai-sdk/index.ts";
export * from "./anthropic/index.ts";
export * from "./gemini/index.ts";
export * from "./langchain/index.ts";
export * from "./openai-chat/index.ts";
export * from "./openai-responses/index.ts";
export type { PromptOptions } from "./shared/options.ts";
