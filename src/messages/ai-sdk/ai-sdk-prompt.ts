/**
 * The conversation as `generateText` and `streamText` of the AI SDK take it: a subset that versions 5, 6 and 7 share. Arrays are mutable because
 * the SDK's types are.
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

/** Options by the name of a provider, such as signatures that it wants back unchanged. */
export type AiSdkProviderOptions = Record<string, Record<string, AiSdkJson>>;

export type AiSdkJson = null | string | number | boolean | AiSdkJson[] | { [key: string]: AiSdkJson };

/** A message of the AI SDK, such as those of `result.response.messages`. */
export interface AiSdkMessageLike {
  readonly role: string;
  readonly content: unknown;
}
