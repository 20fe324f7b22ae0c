/** OpenAI's Chat Completions, as DeepSeek and local servers take it too. */

export type { OpenAiCacheBreakpoint, OpenAiImageDetail } from "../../core/transcript/openai-parts.ts";
export { fromOpenAiChat } from "./from-openai-chat.ts";
export { type OpenAiChatOptions, toOpenAiChat } from "./to-openai-chat.ts";
export type * from "./types.ts";
