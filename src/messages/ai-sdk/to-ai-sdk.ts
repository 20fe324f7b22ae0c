import type { Message } from "../../core/message/message.ts";
import { type PromptOptions, systemOf } from "../shared/options.ts";
import type { AiSdkPrompt } from "./ai-sdk-prompt.ts";
import { arrange } from "./arrange.ts";
import { writeMessages } from "./write-message.ts";

/**
 * Messages as `generateText` and `streamText` of the AI SDK take them, versions 5, 6 and 7: `generateText({ model, ...prompt })`. Only role and content
 * are sent, and nothing that the SDK or the provider behind it refuses.
 *
 * `fromAiSdk` gives the same messages back, except for what the SDK cannot hold: ids, times and tags of messages; reasoning at the end of a
 * reply; blocks of other wires, and media that are neither image nor PDF, which become text; files that a tool returned, which follow as
 * the user's; ids and names of calls with characters that providers refuse, and arguments that are no object. Neighbours of one role that share
 * calls and results are one message, results come before what the user said, and calls that nobody answered have a result that says so.
 * @example
 * ```ts
 * import { toAiSdk } from "palimpsest/messages";
 * const prompt = toAiSdk([{ id: "m1", role: "user", content: "Why?" }], { system: "Be brief." });
 * console.log(prompt); // { system: 'Be brief.', messages: [ { role: 'user', content: 'Why?' } ] }
 * ```
 */
export function toAiSdk(messages: readonly Message[], options?: PromptOptions): AiSdkPrompt {
  const system = systemOf(options);
  return { ...(system !== undefined && { system }), messages: writeMessages(arrange(messages)) };
}
