/** Converters between our messages and what the official SDKs take (`palimpsest/messages`); one folder for each wire. */

export type { PromptOptions } from "./shared/options.ts";
