/** OpenAI's Chat Completions, as DeepSeek and local servers speak it too. */

export { openaiChatAdapter } from "./openai-chat-adapter.ts";
