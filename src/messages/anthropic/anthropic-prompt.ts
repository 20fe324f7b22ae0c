/**
 * What Anthropic's client takes for a conversation. Blocks and fields of this API that are not listed here are carried as they came. Arrays are
 * mutable because the client's types are.
 */
export interface AnthropicPrompt {
  system?: string;
  messages: AnthropicMessage[];
}

export interface AnthropicMessage {
  role: "user" | "assistant";
  content: string | AnthropicBlock[];
}

export type AnthropicBlock =
  | AnthropicTextBlock
  | AnthropicImageBlock
  | AnthropicDocumentBlock
  | AnthropicThinkingBlock
  | AnthropicRedactedThinkingBlock
  | AnthropicToolUseBlock
  | AnthropicToolResultBlock;

export interface AnthropicTextBlock {
  type: "text";
  text: string;
}

export interface AnthropicImageBlock {
  type: "image";
  source: { type: "base64"; media_type: AnthropicImageType; data: string } | { type: "url"; url: string };
}

export type AnthropicImageType = "image/jpeg" | "image/png" | "image/gif" | "image/webp";

export interface AnthropicDocumentBlock {
  type: "document";
  source: { type: "base64"; media_type: "application/pdf"; data: string };
}

export interface AnthropicThinkingBlock {
  type: "thinking";
  thinking: string;
  signature: string;
}

export interface AnthropicRedactedThinkingBlock {
  type: "redacted_thinking";
  data: string;
}

export interface AnthropicToolUseBlock {
  type: "tool_use";
  id: string;
  name: string;
  input: unknown;
}

export interface AnthropicToolResultBlock {
  type: "tool_result";
  tool_use_id: string;
  content?: string | AnthropicResultItem[];
  is_error?: boolean;
}

export type AnthropicResultItem = AnthropicTextBlock | AnthropicImageBlock | AnthropicDocumentBlock;

/** A message as Anthropic's client gives or takes it; a reply is one. */
export interface AnthropicMessageLike {
  readonly role: string;
  readonly content: string | readonly object[];
}
