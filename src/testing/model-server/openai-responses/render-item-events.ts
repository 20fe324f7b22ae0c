import type { JsonObject } from "../json.ts";
import { splitText } from "../split-text.ts";
import { type OutputItem, textPart } from "./render-items.ts";

export type StreamEvent = JsonObject & { readonly type: string };

/** The events of one item: its content, and its end. */
export interface ItemEvents {
  readonly content: readonly StreamEvent[];
  readonly end: readonly StreamEvent[];
}

export function renderItemEvents(item: OutputItem, outputIndex: number): ItemEvents {
  const place = { item_id: item.id, output_index: outputIndex };
  const { content, end } = innerEvents(item, place);
  return {
    content: [{ type: "response.output_item.added", output_index: outputIndex, item: emptied(item) }, ...content],
    end: [...end, { type: "response.output_item.done", output_index: outputIndex, item }],
  };
}

function emptied(item: OutputItem): OutputItem {
  switch (item.type) {
    case "compaction":
      return { ...item, encrypted_content: "" };
    case "reasoning":
      return { type: item.type, id: item.id, summary: [] };
    case "message":
      return { ...item, status: "in_progress", content: [] };
    case "function_call":
      return { ...item, status: "in_progress", arguments: "" };
    case "custom_tool_call":
      return { ...item, status: "in_progress", input: "" };
  }
}

function innerEvents(item: OutputItem, place: JsonObject): ItemEvents {
  switch (item.type) {
    case "compaction":
      return { content: [{ type: "response.compaction.compacting", ...place }], end: [] };
    case "reasoning":
      return reasoningEvents(item.summary[0]?.text ?? "", { ...place, summary_index: 0 });
    case "message":
      return textEvents(item.content[0]?.text ?? "", { ...place, content_index: 0 });
    case "function_call":
      return {
        content: deltas("response.function_call_arguments.delta", item.arguments, place),
        end: [{ type: "response.function_call_arguments.done", ...place, name: item.name, arguments: item.arguments }],
      };
    case "custom_tool_call":
      return {
        content: deltas("response.custom_tool_call_input.delta", item.input, place),
        end: [{ type: "response.custom_tool_call_input.done", ...place, input: item.input }],
      };
  }
}

function reasoningEvents(text: string, place: JsonObject): ItemEvents {
  if (text === "") return { content: [], end: [] };
  const part = { type: "summary_text", text };
  return {
    content: [
      { type: "response.reasoning_summary_part.added", ...place, part: { ...part, text: "" } },
      ...deltas("response.reasoning_summary_text.delta", text, place),
    ],
    end: [
      { type: "response.reasoning_summary_text.done", ...place, text },
      { type: "response.reasoning_summary_part.done", ...place, part },
    ],
  };
}

function textEvents(text: string, place: JsonObject): ItemEvents {
  return {
    content: [
      { type: "response.content_part.added", ...place, part: textPart("") },
      ...deltas("response.output_text.delta", text, { ...place, logprobs: [] }),
    ],
    end: [
      { type: "response.output_text.done", ...place, text, logprobs: [] },
      { type: "response.content_part.done", ...place, part: textPart(text) },
    ],
  };
}

function deltas(type: string, text: string, place: JsonObject): readonly StreamEvent[] {
  return splitText(text).map((delta) => ({ type, ...place, delta }));
}
