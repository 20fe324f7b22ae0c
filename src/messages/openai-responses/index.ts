/** OpenAI's Responses API. */

export type { OpenAiCacheBreakpoint, OpenAiImageDetail } from "../../core/transcript/openai-parts.ts";
export { fromOpenAiResponses } from "./from-openai-responses.ts";
export { type OpenAiResponsesOptions, toOpenAiResponses } from "./to-openai-responses.ts";
export type * from "./types.ts";
