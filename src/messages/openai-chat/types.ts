import type { OpenAiCacheBreakpoint, OpenAiImageDetail } from "../../core/transcript/openai-parts.ts";

/** The conversation as `client.chat.completions.create` takes it; lists are mutable because the SDK's types are. */
export interface OpenAiChatPrompt {
  messages: OpenAiChatMessage[];
}

export type OpenAiChatMessage =
  | OpenAiChatSystemMessage
  | OpenAiChatDeveloperMessage
  | OpenAiChatUserMessage
  | OpenAiChatAssistantMessage
  | OpenAiChatToolMessage
  | OpenAiChatFunctionMessage;

export interface OpenAiChatSystemMessage {
  role: "system";
  content: string | OpenAiChatTextPart[];
  name?: string;
}

export interface OpenAiChatDeveloperMessage {
  role: "developer";
  content: string | OpenAiChatTextPart[];
  name?: string;
}

export interface OpenAiChatUserMessage {
  role: "user";
  content: string | OpenAiChatPart[];
  name?: string;
}

export interface OpenAiChatAssistantMessage {
  role: "assistant";
  content: string | (OpenAiChatTextPart | OpenAiChatRefusalPart)[] | null;
  refusal?: string;
  audio?: { id: string };
  tool_calls?: OpenAiChatToolCall[];
  /** The oldest form of a call, without an id. */
  function_call?: { name: string; arguments: string };
  name?: string;
  /** Not of OpenAI's own API: servers such as DeepSeek want it back. */
  reasoning_content?: string;
  /** Not of OpenAI's own API: routers such as OpenRouter want it back. */
  reasoning_details?: unknown[];
}

export interface OpenAiChatToolMessage {
  role: "tool";
  tool_call_id: string;
  content: string | OpenAiChatTextPart[];
}

/** Answers a call of the oldest form. */
export interface OpenAiChatFunctionMessage {
  role: "function";
  name: string;
  content: string | null;
}

export type OpenAiChatToolCall =
  | { id: string; type: "function"; function: { name: string; arguments: string } }
  | { id: string; type: "custom"; custom: { name: string; input: string } };

export type OpenAiChatPart = OpenAiChatTextPart | OpenAiChatImagePart | OpenAiChatAudioPart | OpenAiChatFilePart;

export interface OpenAiChatTextPart {
  type: "text";
  text: string;
  prompt_cache_breakpoint?: OpenAiCacheBreakpoint;
}

export interface OpenAiChatRefusalPart {
  type: "refusal";
  refusal: string;
}

export interface OpenAiChatImagePart {
  type: "image_url";
  image_url: { url: string; detail?: OpenAiImageDetail };
  prompt_cache_breakpoint?: OpenAiCacheBreakpoint;
}

export interface OpenAiChatAudioPart {
  type: "input_audio";
  input_audio: { data: string; format: "wav" | "mp3" };
  prompt_cache_breakpoint?: OpenAiCacheBreakpoint;
}

export interface OpenAiChatFilePart {
  type: "file";
  file: { file_data?: string; file_id?: string; filename?: string };
  prompt_cache_breakpoint?: OpenAiCacheBreakpoint;
}

/** The field in which a server wants reasoning back. */
export type OpenAiChatReasoning = "reasoning_content" | "reasoning_details";

/** A message of a prompt or of a reply, with whatever fields it came with. The second form lets literals compile. */
export type OpenAiChatMessageLike =
  | { readonly role: string }
  | { readonly role: string; readonly [field: string]: unknown };
