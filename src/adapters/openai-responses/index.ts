/** OpenAI's Responses API, as Codex and others speak it. */

export { openaiResponsesAdapter } from "./adapter.ts";
