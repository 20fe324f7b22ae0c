/** Gemini's format. */

export type { GeminiContent, GeminiPart } from "./content.ts";
export { findCompressSplitPoint } from "./find-compress-split-point.ts";
export { geminiAdapter } from "./gemini-adapter.ts";
