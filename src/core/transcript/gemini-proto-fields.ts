import type { JsonRecord } from "../json/read-json.ts";

/** The snake_case names of the fields that we read. */
const SNAKE_CASE = {
  systemInstruction: "system_instruction",
  generationConfig: "generation_config",
  maxOutputTokens: "max_output_tokens",
  functionCall: "function_call",
  functionResponse: "function_response",
  inlineData: "inline_data",
  mimeType: "mime_type",
  thoughtSignature: "thought_signature",
  functionDeclarations: "function_declarations",
  toolConfig: "tool_config",
  functionCallingConfig: "function_calling_config",
} as const;

export type ProtoField = keyof typeof SNAKE_CASE;

/** The value of a field, by its camelCase or its snake_case name: Google's servers accept both. */
export function protoField(record: JsonRecord, name: ProtoField): unknown {
  return record[name] ?? record[SNAKE_CASE[name]];
}

/** {@link protoField} for a map of fields. */
export function protoEntry<Value>(fields: ReadonlyMap<string, Value>, name: ProtoField): Value | undefined {
  return fields.get(name) ?? fields.get(SNAKE_CASE[name]);
}
