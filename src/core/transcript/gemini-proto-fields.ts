import type { JsonRecord } from "../json/read-json.ts";

/** The fields of a request that we read and whose name has two spellings. */
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

/** The field's value; Google's servers take camelCase and snake_case for the same. */
export function protoField(record: JsonRecord, name: ProtoField): unknown {
  return record[name] ?? record[SNAKE_CASE[name]];
}

/** The same in whatever holds values under the names of fields. */
export function protoEntry<Value>(fields: ReadonlyMap<string, Value>, name: ProtoField): Value | undefined {
  return fields.get(name) ?? fields.get(SNAKE_CASE[name]);
}
