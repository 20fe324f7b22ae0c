/**
 * The conversation as a chat model of LangChain takes it: `model.invoke(prompt.messages)`. Plain objects, of which LangChain makes its messages;
 * types and not interfaces, because LangChain's own types demand an index signature.
 */
export interface LangChainPrompt {
  messages: LangChainMessage[];
}

export type LangChainMessage =
  | LangChainSystemMessage
  | LangChainUserMessage
  | LangChainAssistantMessage
  | LangChainToolMessage;

export type LangChainSystemMessage = { role: "system"; content: string | LangChainBlock[] };

export type LangChainUserMessage = { role: "user"; content: string | LangChainBlock[] };

export type LangChainAssistantMessage = {
  role: "assistant";
  content: string | LangChainBlock[];
  tool_calls?: LangChainToolCall[];
};

export type LangChainToolMessage = {
  role: "tool";
  content: string | LangChainBlock[];
  tool_call_id: string;
  status?: "error";
};

export type LangChainToolCall = { type: "tool_call"; id: string; name: string; args: Record<string, unknown> };

/** A block of content. Text, images by `image_url` and Anthropic's thinking are written; others are carried as they came. */
export type LangChainBlock = { type: string; [field: string]: unknown };

/** A message of LangChain, or a plain object that LangChain would make one of. */
export interface LangChainMessageLike {
  /** The type of LangChain's own messages: "human", "ai", "tool" or "system". */
  readonly type?: string;
  /** The role of a plain object: "user", "assistant", "tool" or "system". */
  readonly role?: string;
  readonly content: unknown;
  /** The calls of a reply. */
  readonly tool_calls?: readonly unknown[] | undefined;
  /** The call that a tool's result answers. */
  readonly tool_call_id?: string | undefined;
  readonly status?: string | undefined;
}
