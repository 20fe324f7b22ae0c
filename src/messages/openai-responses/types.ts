import type { OpenAiCacheBreakpoint, OpenAiImageDetail } from "../../core/transcript/openai-parts.ts";

/** What `client.responses.create` takes beside the model; lists are mutable, as the SDK's types want them. */
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

/** What the assistant said, where the API has no id for it, or must not be told. */
export interface OpenAiReplyText {
  role: "assistant";
  content: string;
  phase?: OpenAiPhase;
}

/** What the assistant said, as the API sent it. */
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

/** What made a call: the model itself, or a program that it wrote. */
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

/** What the API made of the history before it. */
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

/** Tools that are declared among the items. What they are is the SDK's business: we only carry them. */
export interface OpenAiAdditionalTools {
  type: "additional_tools";
  role: "developer";
  tools: never[];
}

/** What a built-in tool returned. */
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
