import type { JsonRecord } from "../../core/json/read-json.ts";
import type { Transcript } from "../../core/transcript/transcript.ts";
import { writeOpenAiMessages } from "../../core/transcript/write-openai-messages.ts";

/**
 * Writes a transcript as messages of OpenAI's chat API, the system prompt first. Ids, times and tags are left out.
 * @example
 * ```ts
 * import { readTranscript, writeOpenAi } from "palimpsest/transcripts";
 * const bytes = async function* () { yield Buffer.from('[{ "role": "user", "content": "Why?" }]'); };
 * console.log(JSON.stringify(writeOpenAi(await readTranscript(bytes())))); // [{"role":"user","content":"Why?"}]
 * ```
 */
export function writeOpenAi({ messages, systemPrompt }: Transcript): readonly JsonRecord[] {
  return writeOpenAiMessages(messages, systemPrompt);
}
