export type * from "./anthropic-prompt.ts";
export { fromAnthropic } from "./from-anthropic.ts";
export { toAnthropic } from "./to-anthropic.ts";
