/** OpenAI's Responses API. */

export { fromOpenAiResponses } from "./from-openai-responses.ts";
export { type OpenAiResponsesOptions, toOpenAiResponses } from "./to-openai-responses.ts";
export type * from "./types.ts";
