import { isRecord } from "../../core/json/read-json.ts";
import type { AiSdkMessageLike } from "../../messages/ai-sdk/ai-sdk-prompt.ts";

/**
 * A message without what Mastra notes on it for itself: when it was said, and the result of some tools once more. No provider is sent that, and it
 * would be in the log for good.
 */
export function withoutOwnNotes(message: AiSdkMessageLike): AiSdkMessageLike {
  const { role, content, ...fields } = message;
  return { ...withoutNotes(fields), role, content: Array.isArray(content) ? content.map(partWithoutNotes) : content };
}

function partWithoutNotes(part: unknown): unknown {
  return isRecord(part) ? withoutNotes(part) : part;
}

function withoutNotes(fields: object): object {
  if (!("providerOptions" in fields) || !isRecord(fields.providerOptions)) return fields;
  const { providerOptions, ...rest } = fields;
  const { mastra: _, ...others } = providerOptions;
  return Object.keys(others).length === 0 ? rest : { ...rest, providerOptions: others };
}
