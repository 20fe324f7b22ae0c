/** OpenAI's Responses API, as Codex and others speak it. */

export { openaiResponsesAdapter } from "./openai-responses-adapter.ts";
