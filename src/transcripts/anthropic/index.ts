import { asArray, asName, asRecord, asText, fieldAt, isRecord } from "../../core/json/read-json.ts";
import { readAnthropicMessage } from "../../core/transcript/anthropic-messages.ts";
import { assembleTranscript } from "../../core/transcript/assemble-transcript.ts";
import type { DocumentFormat } from "../../core/transcript/transcript.ts";

export { writeAnthropic } from "./write.ts";

/** A list of messages in the form of Anthropic's API, bare or as the `messages` of a request. Other fields of messages are kept. */
export const anthropicFormat: DocumentFormat = {
  type: "document",
  name: "anthropic",
  detect(document) {
    const messages = messagesOf(document);
    return isMessage(messages[0]) && (hasSystem(document) || messages.some(hasOwnBlocks));
  },
  read(document) {
    const reads = messagesOf(document).map((value, index) => readAnthropicMessage(value, `messages[${index}]`));
    return assembleTranscript(
      reads.flatMap(({ message }) => (message === undefined ? [] : [{ type: "message", message }])),
      {
        format: "anthropic",
        problems: reads.flatMap(({ problems }) => problems),
        systemPrompt: systemText(fieldAt(document, "system")),
        modelId: asName(fieldAt(document, "model")),
      },
    );
  },
};

function messagesOf(document: unknown): readonly unknown[] {
  return Array.isArray(document) ? document : asArray(asRecord(document)?.messages);
}

function isMessage(value: unknown): boolean {
  return isRecord(value) && (value.role === "user" || value.role === "assistant") && value.tool_calls === undefined;
}

function hasSystem(document: unknown): boolean {
  return isRecord(document) && (typeof document.system === "string" || Array.isArray(document.system));
}

/** Types of blocks that only this API has: a list of plain text may be of any API. */
const OWN_TYPES: ReadonlySet<unknown> = new Set(["tool_use", "tool_result", "thinking", "redacted_thinking", "image"]);

function hasOwnBlocks(value: unknown): boolean {
  return asArray(fieldAt(value, "content")).some((block) => OWN_TYPES.has(fieldAt(block, "type")));
}

function systemText(system: unknown): string | undefined {
  if (!Array.isArray(system)) return asText(system);
  return system.map((block) => asText(fieldAt(block, "text")) ?? "").join("\n\n");
}
