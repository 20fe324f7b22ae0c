/** Anthropic's Messages API. */

export { anthropicAdapter } from "./anthropic-adapter.ts";
