import type { Block } from "../../core/message/message.ts";
import { writeAnthropicBlock } from "../../core/transcript/anthropic-messages.ts";
import type { Transcript } from "../../core/transcript/transcript.ts";

/** A conversation as a request to Anthropic's API holds it. */
export interface AnthropicConversation {
  readonly system?: string;
  readonly messages: readonly { readonly role: "user" | "assistant"; readonly content: string | readonly Block[] }[];
}

/**
 * Writes a transcript in the form of Anthropic's API. Ids, times and tags are left out, and reasoning becomes thinking.
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
