/** OpenAI's Chat Completions, as DeepSeek and local servers take it too. */

export { fromOpenAiChat } from "./from-openai-chat.ts";
export { type OpenAiChatOptions, toOpenAiChat } from "./to-openai-chat.ts";
export type * from "./types.ts";
