/** Converters between our messages and what the official SDKs take (`palimpsest/messages`); one folder for each wire. */

export type * from "../core/message/message-types.ts";
export * from "./ai-sdk/index.ts";
export * from "./anthropic/index.ts";
export * from "./gemini/index.ts";
export * from "./langchain/index.ts";
export * from "./openai-chat/index.ts";
export * from "./openai-responses/index.ts";
export type { PromptOptions } from "./shared/options.ts";
export type { MessageWire, WirePrompt } from "./wires.ts";
