import type { Message } from "../../core/message/message.ts";
import { type PromptOptions, systemOf } from "../shared/options.ts";
import type { AnthropicPrompt } from "./anthropic-prompt.ts";
import { arrange } from "./arrange.ts";
import { writeMessages } from "./write-message.ts";

/**
 * Messages as Anthropic's client takes them: `client.messages.create({ model, max_tokens, ...prompt })`. Only role and content are sent, and
 * nothing that the API refuses.
 *
 * `fromAnthropic` gives the same messages back, except for what this API cannot hold: ids, times and tags of messages; reasoning that
 * Anthropic did not sign, and reasoning at the end of a reply; blocks of other providers, which become text; arguments that are no object; ids
 * and names of calls with characters that it refuses. Neighbours of one role that share calls and results are one message, calls that nobody
 * answered have a result that says so, and of the marks for the cache the newest four stay.
 * @example
 * ```ts
 * import { toAnthropic } from "palimpsest/messages";
 * const prompt = toAnthropic([{ id: "m1", role: "user", content: "Why?" }], { system: "Be brief." });
 * console.log(prompt); // { system: 'Be brief.', messages: [ { role: 'user', content: 'Why?' } ] }
 * ```
 */
export function toAnthropic(messages: readonly Message[], options?: PromptOptions): AnthropicPrompt {
  const system = systemOf(options);
  return { ...(system !== undefined && { system }), messages: writeMessages(arrange(messages)) };
}
