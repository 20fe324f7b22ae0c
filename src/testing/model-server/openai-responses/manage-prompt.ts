import { createHash } from "node:crypto";
import { type JsonObject, objectsOf } from "../json.ts";
import { countPromptTokens, promptBlocks } from "../prompt.ts";
import type { Compaction, ManagedPrompt, WireRequest } from "../wire-protocol.ts";
import { inputItems, typeOf } from "./items.ts";

/** The prompt from the newest compaction on, compacted again where the request asks for it. */
export function managePrompt({ body, operation }: Pick<WireRequest, "body" | "operation">): ManagedPrompt {
  const current = Array.isArray(body.input) ? { ...body, input: afterCompaction(body.input) } : body;
  return { body: current, appliedEdits: [], compaction: compactionFor(current, operation) };
}

/** The items that the model reads. The user's messages that a compaction returned before its item are read; else, nothing before the item is. */
function afterCompaction(input: readonly unknown[]): readonly unknown[] {
  const last = input.findLastIndex((item) => objectsOf([item]).some(isCompaction));
  const isWindow = objectsOf(input.slice(0, last)).every(isInstruction);
  return last === -1 || isWindow ? input : input.slice(last);
}

function isCompaction(item: JsonObject): boolean {
  return typeOf(item) === "compaction";
}

function isInstruction(item: JsonObject): boolean {
  return typeOf(item) === "message" && item.role !== "assistant";
}

function compactionFor(body: JsonObject, operation: WireRequest["operation"]): Compaction | undefined {
  const items = inputItems(body.input);
  const digest = createHash("sha256").update(JSON.stringify(items)).digest("hex").slice(0, 16);
  const summary = `Compaction ${digest} of ${items.length} items.`;
  if (operation === "compact") {
    return { summary, body: undefined, retained: items.filter(isUserMessage).map(asReturned) };
  }
  if (operation === "count-tokens") return undefined;
  if (typeOf(items.at(-1)) === "compaction_trigger") return { summary, body: undefined };
  const [threshold] = objectsOf(body.context_management).map(({ compact_threshold: tokens }) => tokens);
  const isReached = typeof threshold === "number" && countPromptTokens(promptBlocks(body)) >= threshold;
  return isReached ? { summary, body } : undefined;
}

function isUserMessage(item: JsonObject): boolean {
  return typeOf(item) === "message" && item.role === "user";
}

/** A message as a compaction returns it, with all its fields. */
function asReturned(item: JsonObject, index: number): JsonObject {
  const { content } = item;
  return {
    id: `msg_kept_${index}`,
    status: "completed",
    ...item,
    type: "message",
    content: typeof content === "string" ? [{ type: "input_text", text: content }] : content,
  };
}
