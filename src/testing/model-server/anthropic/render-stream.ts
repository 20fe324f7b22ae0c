import type { Answer } from "../answer.ts";
import type { JsonObject } from "../json.ts";
import { splitText } from "../split-text.ts";
import type { Refusal, StreamParts, WireRequest } from "../wire-protocol.ts";
import {
  type ReplyBlock,
  renderBlocks,
  renderEdits,
  renderMessage,
  renderUsage,
  type SpokenBlock,
  stopReasonOf,
} from "./render-reply.ts";

export function renderStream(answer: Answer, request: WireRequest): StreamParts {
  const message = { ...renderMessage(answer, request), usage: { ...renderUsage(answer, request), output_tokens: 1 } };
  const blocks = renderBlocks(answer, request).map(renderBlock);
  // a fault in mid-stream leaves the last block open
  const stop = blocks.pop();
  return {
    opening: [event("message_start", { message }), SIGN_OF_LIFE],
    content: [...blocks.flatMap(({ content, end }) => [...content, ...end]), ...(stop?.content ?? [])],
    end: [
      ...(stop?.end ?? []),
      event("message_delta", {
        delta: { stop_reason: stopReasonOf(answer, request), stop_sequence: null },
        usage: renderUsage(answer, request),
        ...renderEdits(request),
      }),
      event("message_stop", {}),
    ],
  };
}

export const SIGN_OF_LIFE = event("ping", {});

export function renderFailure(refusal: Refusal): readonly string[] {
  return [event("error", renderError(refusal))];
}

function renderBlock(spoken: SpokenBlock, index: number): Omit<StreamParts, "opening"> {
  const start = event("content_block_start", { index, content_block: emptied(spoken.block) });
  const deltas = deltasOf(spoken).map((delta) => event("content_block_delta", { index, delta }));
  return { content: [start, ...deltas], end: [event("content_block_stop", { index })] };
}

function emptied(block: ReplyBlock): ReplyBlock {
  switch (block.type) {
    case "compaction":
      return { ...block, content: null, encrypted_content: null };
    case "thinking":
      return { ...block, thinking: "", signature: "" };
    // comes whole, without deltas
    case "redacted_thinking":
      return block;
    case "text":
      return { ...block, text: "" };
    case "tool_use":
      return { ...block, input: {} };
  }
}

function deltasOf({ block, inputText }: SpokenBlock): readonly JsonObject[] {
  switch (block.type) {
    // comes in one piece
    case "compaction":
      return [{ type: "compaction_delta", content: block.content, encrypted_content: block.encrypted_content }];
    case "thinking":
      return [
        ...splitText(block.thinking).map((thinking) => ({ type: "thinking_delta", thinking })),
        { type: "signature_delta", signature: block.signature },
      ];
    case "redacted_thinking":
      return [];
    case "text":
      return splitText(block.text).map((text) => ({ type: "text_delta", text }));
    case "tool_use":
      return ["", ...splitText(inputText)].map((json) => ({
        type: "input_json_delta",
        partial_json: json,
      }));
  }
}

function event(type: string, fields: JsonObject): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

const TYPES: Readonly<Record<number, string>> = {
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  504: "timeout_error",
  529: "overloaded_error",
};

export function renderError({ status, message, type }: Refusal): JsonObject {
  const byStatus = TYPES[status] ?? (status >= 500 ? "api_error" : "invalid_request_error");
  return { type: "error", error: { type: type ?? byStatus, message }, request_id: null };
}
