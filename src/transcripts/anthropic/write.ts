import type { Block } from "../../core/message/message.ts";
import { writeAnthropicBlock } from "../../core/transcript/anthropic-messages.ts";
import type { Transcript } from "../../core/transcript/transcript.ts";

/** What a request to Anthropic's API holds of a conversation. */
export interface AnthropicConversation {
  readonly system?: string;
  readonly messages: readonly { readonly role: "user" | "assistant"; readonly content: string | readonly Block[] }[];
}

/**
 * The conversation as Anthropic's API has it: ids, times and tags are left out, reasoning is thinking.
 * @example
 * ```ts
 * import { readTranscript, writeAnthropic } from "palimpsest/transcripts";
 * const bytes = async function* () { yield Buffer.from('[{ "role": "user", "content": "Why?" }]'); };
 * console.log(writeAnthropic(await readTranscript(bytes()))); // { messages: [ { role: 'user', content: 'Why?' } ] }
 * ```
 */
export function writeAnthropic({ messages, systemPrompt }: Transcript): AnthropicConversation {
  return {
    ...(systemPrompt !== undefined && { system: systemPrompt }),
    messages: messages.map(({ role, content }) => ({
      role,
      content: typeof content === "string" ? content : content.map(writeAnthropicBlock),
    })),
  };
}
