import type { JsonRecord } from "../../core/transcript/read-json.ts";
import type { Transcript } from "../../core/transcript/transcript.ts";
import { writeOpenAiMessages } from "../../core/transcript/write-openai-messages.ts";

/** The conversation as OpenAI's chat API has it, the system prompt first. Ids, times and tags are left out. */
export function writeOpenAi({ messages, systemPrompt }: Transcript): readonly JsonRecord[] {
  return writeOpenAiMessages(messages, systemPrompt);
}
