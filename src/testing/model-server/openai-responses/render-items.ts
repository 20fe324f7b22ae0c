import { type Answer, argumentsOf } from "../answer.ts";
import { itemsOf } from "../json.ts";
import type { ScriptedToolCall } from "../model-server.ts";
import type { WireRequest } from "../wire-protocol.ts";
import { type CompactionItem, type DeclaredTool, declaredTools, renderCompaction } from "./items.ts";
import { itemId, type OutputPlace, reasoningId, sealOf } from "./output-ids.ts";

/** A complete item of a reply. */
export type OutputItem =
  | CompactionItem
  | {
      readonly type: "reasoning";
      readonly id: string;
      readonly summary: readonly { readonly type: "summary_text"; readonly text: string }[];
      readonly encrypted_content?: string;
    }
  | {
      readonly type: "message";
      readonly id: string;
      readonly role: "assistant";
      readonly status: ItemStatus;
      readonly content: readonly TextPart[];
    }
  | (CallFields & { readonly type: "function_call"; readonly arguments: string })
  | (CallFields & { readonly type: "custom_tool_call"; readonly input: string });

export type ItemStatus = "in_progress" | "completed";

export interface TextPart {
  readonly type: "output_text";
  readonly text: string;
  readonly annotations: readonly never[];
  readonly logprobs: readonly never[];
}

interface CallFields {
  readonly id: string;
  readonly status: ItemStatus;
  readonly call_id: string;
  readonly name: string;
  readonly namespace?: string;
}

export function textPart(text: string): TextPart {
  return { type: "output_text", text, annotations: [], logprobs: [] };
}

export function renderItems(answer: Answer, { body, managed }: WireRequest): readonly OutputItem[] {
  const { serial, text, reasoning, calls } = answer;
  const compaction = managed.compaction && renderCompaction(serial, managed.compaction.summary);
  if (compaction !== undefined && managed.compaction?.body === undefined) return [compaction];
  const tools = declaredTools(body);
  const items: OutputItem[] = compaction === undefined ? [] : [compaction];
  const place = (): OutputPlace => ({ serial, index: items.length, isLed: items.at(-1)?.type === "reasoning" });
  if (reasoning !== undefined) items.push(renderReasoning(reasoning, serial, isSealed(body.include)));
  if (text !== "") {
    const id = itemId("msg", place());
    items.push({ type: "message", id, role: "assistant", status: "completed", content: [textPart(text)] });
  }
  for (const call of calls) items.push(renderCall(call, place(), tools.get(call.name)));
  return items;
}

function isSealed(include: unknown): boolean {
  return itemsOf(include).includes("reasoning.encrypted_content");
}

function renderReasoning(text: string, serial: number, hasSeal: boolean): OutputItem {
  const id = reasoningId(serial);
  const summary = text === "" ? [] : [{ type: "summary_text" as const, text }];
  return { type: "reasoning", id, summary, ...(hasSeal ? { encrypted_content: sealOf(id) } : {}) };
}

function renderCall(call: ScriptedToolCall, place: OutputPlace, tool: DeclaredTool | undefined): OutputItem {
  const fields = {
    status: "completed",
    call_id: call.id,
    name: call.name,
    ...(tool?.namespace === undefined ? {} : { namespace: tool.namespace }),
  } as const;
  return tool?.isCustom === true
    ? { type: "custom_tool_call", id: itemId("ctc", place), ...fields, input: customInputOf(call) }
    : { type: "function_call", id: itemId("fc", place), ...fields, arguments: argumentsOf(call) };
}

function customInputOf({ input, rawInput }: ScriptedToolCall): string {
  return rawInput ?? (typeof input.input === "string" ? input.input : JSON.stringify(input));
}
