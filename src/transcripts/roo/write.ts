import type { Block, Message } from "../../core/message/message.ts";
import { writeAnthropicBlock } from "../../core/transcript/anthropic-messages.ts";
import type { Transcript } from "../../core/transcript/transcript.ts";

/**
 * Writes a transcript as the content of an `api_conversation_history.json`: each message with its tags and all other fields. Folds of single blocks
 * are left out, as Roo does not know them: it sees the blocks whole.
 * @example
 * ```ts
 * import { readTranscript, writeRoo } from "palimpsest/transcripts";
 * const bytes = async function* () { yield Buffer.from('[{ "role": "user", "content": "Why?", "ts": 1 }]'); };
 * console.log(writeRoo(await readTranscript(bytes())).length); // 1
 * ```
 */
export function writeRoo({ messages }: Transcript): readonly Message[] {
  return messages.map(({ folds: _, ...message }) =>
    typeof message.content === "string" ? message : { ...message, content: message.content.map(writeBlock) },
  );
}

/** Roo keeps signed thinking as Anthropic sent it, and the reasoning of other providers as we do. */
function writeBlock(block: Block): Block {
  return "signature" in block ? writeAnthropicBlock(block) : block;
}
