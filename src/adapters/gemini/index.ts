/** Gemini's format. */

export { findCompressSplitPoint, type GeminiContent, type GeminiPart } from "./find-compress-split-point.ts";
export { geminiAdapter } from "./gemini-adapter.ts";
