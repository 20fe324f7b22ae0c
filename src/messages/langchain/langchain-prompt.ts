/**
 * What a chat model of LangChain's takes for a conversation: `model.invoke(prompt.messages)`. Plain objects, which LangChain makes its messages of;
 * types and not interfaces, because it takes only such as have an index signature.
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

/** A message of LangChain's, or an object that it would make one of. */
export interface LangChainMessageLike {
  /** What messages of LangChain's name themselves: "human", "ai", "tool" or "system". */
  readonly type?: string;
  /** What plain objects have in its place: "user", "assistant", "tool" or "system". */
  readonly role?: string;
  readonly content: unknown;
  /** Of a reply. */
  readonly tool_calls?: readonly unknown[] | undefined;
  /** Of a tool's result. */
  readonly tool_call_id?: string | undefined;
  readonly status?: string | undefined;
}
