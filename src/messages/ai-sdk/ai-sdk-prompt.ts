/**
 * What `generateText` and `streamText` of the AI SDK take for a conversation: a part of what versions 5, 6 and 7 all take. Arrays are mutable
 * because the SDK's types are.
 */
export interface AiSdkPrompt {
  system?: string;
  messages: AiSdkMessage[];
}

export type AiSdkMessage =
  | { role: "user"; content: string | (AiSdkTextPart | AiSdkFilePart)[] }
  | { role: "assistant"; content: string | AiSdkReplyPart[] }
  | { role: "tool"; content: AiSdkToolResultPart[] };

export type AiSdkReplyPart = AiSdkTextPart | AiSdkReasoningPart | AiSdkToolCallPart | AiSdkToolResultPart;

export interface AiSdkTextPart {
  type: "text";
  text: string;
  providerOptions?: AiSdkProviderOptions;
}

export interface AiSdkReasoningPart {
  type: "reasoning";
  text: string;
  providerOptions?: AiSdkProviderOptions;
}

export interface AiSdkFilePart {
  type: "file";
  /** Base64, or an address. */
  data: string | URL;
  mediaType: string;
  filename?: string;
  providerOptions?: AiSdkProviderOptions;
}

export interface AiSdkToolCallPart {
  type: "tool-call";
  toolCallId: string;
  toolName: string;
  input: unknown;
  providerExecuted?: boolean;
  providerOptions?: AiSdkProviderOptions;
}

export interface AiSdkToolResultPart {
  type: "tool-result";
  toolCallId: string;
  toolName: string;
  output: AiSdkToolOutput;
  providerOptions?: AiSdkProviderOptions;
}

export type AiSdkToolOutput =
  | { type: "text" | "error-text"; value: string }
  | { type: "json" | "error-json"; value: AiSdkJson };

/** Settings for a provider, by its name: among them what it signed and wants back as it came. */
export type AiSdkProviderOptions = Record<string, Record<string, AiSdkJson>>;

export type AiSdkJson = null | string | number | boolean | AiSdkJson[] | { [key: string]: AiSdkJson };

/** A message as the AI SDK gives or takes it: `result.response.messages` has such. */
export interface AiSdkMessageLike {
  readonly role: string;
  readonly content: unknown;
}
