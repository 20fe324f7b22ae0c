export { type FromGeminiOptions, fromGemini } from "./from-gemini.ts";
export type * from "./gemini-prompt.ts";
export { toGemini } from "./to-gemini.ts";
