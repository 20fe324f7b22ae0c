import type { OpenAiCacheBreakpoint, OpenAiImageDetail } from "../../core/transcript/openai-parts.ts";

/** The conversation as `client.responses.create` takes it; lists are mutable because the SDK's types are. */
export interface OpenAiResponsesPrompt {
  instructions?: string;
  input: OpenAiResponsesItem[];
}

export type OpenAiResponsesItem =
  | OpenAiInputMessage
  | OpenAiReplyText
  | OpenAiOutputMessage
  | OpenAiReasoningItem
  | OpenAiFunctionCall
  | OpenAiFunctionCallOutput
  | OpenAiCustomToolCall
  | OpenAiCustomToolCallOutput
  | OpenAiCompactionItem
  | OpenAiApprovalResponse
  | OpenAiAdditionalTools
  | OpenAiNativeOutput
  | OpenAiCarriedItem;

export interface OpenAiInputMessage {
  role: "user" | "system" | "developer";
  content: string | OpenAiInputPart[];
}

/** A message of the assistant without an id: the API gave it none, or would refuse it. */
export interface OpenAiReplyText {
  role: "assistant";
  content: string;
  phase?: OpenAiPhase;
}

/** A message of the assistant as the API sent it, with its id. */
export interface OpenAiOutputMessage {
  type: "message";
  id: string;
  role: "assistant";
  status: OpenAiItemStatus;
  content: OpenAiOutputPart[];
  phase?: OpenAiPhase;
}

export type OpenAiItemStatus = "in_progress" | "completed" | "incomplete";

export type OpenAiPhase = "commentary" | "final_answer";

export type OpenAiOutputPart =
  | { type: "output_text"; text: string; annotations: OpenAiAnnotation[] }
  | { type: "refusal"; refusal: string };

export type OpenAiAnnotation =
  | { type: "url_citation"; url: string; title: string; start_index: number; end_index: number }
  | { type: "file_citation"; file_id: string; filename: string; index: number }
  | { type: "file_path"; file_id: string; index: number }
  | {
      type: "container_file_citation";
      container_id: string;
      file_id: string;
      filename: string;
      start_index: number;
      end_index: number;
    };

export interface OpenAiReasoningItem {
  type: "reasoning";
  id: string;
  summary: { type: "summary_text"; text: string }[];
  content?: { type: "reasoning_text"; text: string }[];
  encrypted_content?: string;
}

export interface OpenAiCallFields {
  id?: string;
  call_id: string;
  name: string;
  namespace?: string;
  async?: boolean;
  caller?: OpenAiCaller;
}

/** The author of a call: the model itself, or a program that it wrote. */
export type OpenAiCaller = { type: "direct" } | { type: "program"; caller_id: string };

export interface OpenAiFunctionCall extends OpenAiCallFields {
  type: "function_call";
  arguments: string;
  status?: OpenAiItemStatus;
}

export interface OpenAiCustomToolCall extends OpenAiCallFields {
  type: "custom_tool_call";
  input: string;
}

export interface OpenAiOutputFields {
  id?: string;
  call_id: string;
  output: string | OpenAiInputPart[];
  caller?: OpenAiCaller;
}

export interface OpenAiFunctionCallOutput extends OpenAiOutputFields {
  type: "function_call_output";
  status?: OpenAiItemStatus;
}

export interface OpenAiCustomToolCallOutput extends OpenAiOutputFields {
  type: "custom_tool_call_output";
}

/** The API's compaction of the history before it. */
export interface OpenAiCompactionItem {
  type: "compaction";
  id?: string;
  encrypted_content: string;
}

export interface OpenAiApprovalResponse {
  type: "mcp_approval_response";
  id?: string;
  approval_request_id: string;
  approve: boolean;
  reason?: string;
}

/** Tools that are declared by an item. They are carried unchanged; the SDK knows their types. */
export interface OpenAiAdditionalTools {
  type: "additional_tools";
  role: "developer";
  tools: never[];
}

/** The output of a built-in tool. */
export type OpenAiNativeOutput =
  | { type: "shell_call_output"; call_id: string; output: OpenAiShellOutput[] }
  | { type: "apply_patch_call_output"; call_id: string; status: "completed" | "failed"; output?: string }
  | {
      type: "computer_call_output";
      call_id: string;
      output: { type: "computer_screenshot"; image_url?: string; file_id?: string };
    };

export interface OpenAiShellOutput {
  stdout: string;
  stderr: string;
  outcome: { type: "timeout" } | { type: "exit"; exit_code: number };
}

/** An item of the API's own, such as a web search, with all the fields that it came with. */
export interface OpenAiCarriedItem {
  id: string;
}

export type OpenAiInputPart =
  | { type: "input_text"; text: string; prompt_cache_breakpoint?: OpenAiCacheBreakpoint }
  | OpenAiInputImage
  | OpenAiInputFile;

export interface OpenAiInputImage {
  type: "input_image";
  detail: OpenAiImageDetail;
  image_url?: string;
  file_id?: string;
  prompt_cache_breakpoint?: OpenAiCacheBreakpoint;
}

export interface OpenAiInputFile {
  type: "input_file";
  detail?: "auto" | "low" | "high";
  file_data?: string;
  file_id?: string;
  file_url?: string;
  filename?: string;
  prompt_cache_breakpoint?: OpenAiCacheBreakpoint;
}
