import { asArray, asNumber, isRecord } from "../../core/json/read-json.ts";
import type { Message } from "../../core/message/message.ts";
import { readAnthropicMessage } from "../../core/transcript/anthropic-messages.ts";
import { assembleTranscript, type TranscriptEntry } from "../../core/transcript/assemble-transcript.ts";
import type { DocumentFormat } from "../../core/transcript/transcript.ts";

export { rooUiFormat } from "./read-ui-messages.ts";
export { writeRoo } from "./write.ts";

/**
 * What Roo Code and classic Cline send to the model: `api_conversation_history.json`, a list of Anthropic messages. Its tags of
 * condensing and truncating are ours as well, so that what Roo had hidden is hidden here; all other fields stay.
 */
export const rooFormat: DocumentFormat = {
  type: "document",
  name: "roo",
  detect: (document) => Array.isArray(document) && isMessage(document[0]) && document.some(isTagged),
  read(document) {
    const reads = asArray(document).map((value, index) => readAnthropicMessage(value, `[${index}]`));
    return assembleTranscript(
      reads.flatMap(({ message }) => (message === undefined ? [] : entriesOf(message))),
      { format: "roo", problems: reads.flatMap(({ problems }) => problems) },
    );
  },
};

function isMessage(value: unknown): boolean {
  return isRecord(value) && (value.role === "user" || value.role === "assistant") && value.tool_calls === undefined;
}

const TAGS = ["isSummary", "condenseId", "condenseParent", "isTruncationMarker", "truncationId", "truncationParent"];

function isTagged(value: unknown): boolean {
  return isRecord(value) && (asNumber(value.ts) !== undefined || TAGS.some((tag) => value[tag] !== undefined));
}

function entriesOf(message: Message): readonly TranscriptEntry[] {
  const entry: TranscriptEntry = { type: "message", message };
  return message.isSummary === true ? [{ type: "compaction", summary: textOf(message) }, entry] : [entry];
}

function textOf({ content }: Message): string {
  if (typeof content === "string") return content;
  return content.flatMap((block) => (block.type === "text" && "text" in block ? [String(block.text)] : [])).join("\n");
}
