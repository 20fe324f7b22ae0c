import { tryParseJson } from "../../core/json/parse-json.ts";
import { asArray, asName, asRecord, asText, type JsonRecord } from "../../core/json/read-json.ts";
import { type Block, type Content, isKnownBlock } from "../../core/message/message.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import { imageFromUrl } from "../../core/transcript/data-url.ts";

/** An item of the Responses API as it was read. */
export type ReadItem =
  | { readonly type: "reply"; readonly blocks: readonly Block[] }
  /** `sourceRole` is the item's role if it is not the user's, such as that of the developer. */
  | { readonly type: "user"; readonly blocks: readonly Block[]; readonly sourceRole?: string }
  /** An item that the model never sees. */
  | { readonly type: "hidden" }
  | { readonly type: "broken"; readonly reason: string };

export function readItem(item: JsonRecord): ReadItem {
  const type = asName(item.type);
  if (type === undefined) return { type: "broken", reason: "This item has no type." };
  if (type === "message") return readMessage(item);
  if (type === "reasoning") return { type: "reply", blocks: [readReasoning(item)] };
  // Snapshots of the workspace, for undo.
  if (type === "ghost_snapshot") return { type: "hidden" };
  // The provider's compaction of the history before it; only its models can read it.
  if (type === "compaction") return { type: "user", blocks: [{ ...item, type }] };
  const callId = asName(item.call_id);
  if (callId !== undefined && type.endsWith("_call")) return { type: "reply", blocks: [readCall(item, type, callId)] };
  if (callId !== undefined && type.endsWith("_output")) {
    return { type: "user", blocks: [{ type: "tool_result", tool_use_id: callId, ...readOutput(item) }] };
  }
  if (isKnownBlock({ type })) return { type: "broken", reason: `A ${type} is no item of a Codex session.` };
  // For instance a web search, whose result is not in the session.
  return { type: "reply", blocks: [{ ...item, type }] };
}

function readMessage(item: JsonRecord): ReadItem {
  const blocks = readParts(item.content);
  if (item.role === "assistant") {
    const fields = { ...carried(item), ...(asName(item.id) !== undefined && { item_id: item.id }) };
    return { type: "reply", blocks: blocks.map((block) => ({ ...block, ...fields })) };
  }
  const role = asName(item.role);
  if (role === undefined) return { type: "broken", reason: "This message has no role." };
  return role === "user" ? { type: "user", blocks } : { type: "user", blocks, sourceRole: role };
}

function readParts(content: unknown): readonly Block[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : asArray(content).map(readContentPart);
}

function readContentPart(value: unknown): Block {
  const part = asRecord(value);
  const type = asName(part?.type);
  if (part === undefined || type === undefined) return { type: "text", text: asText(value) ?? serialize(value) };
  const text = asText(part.text) ?? asText(part.refusal);
  if (text !== undefined) return { type: "text", text };
  const url = asName(part.image_url);
  if (type === "input_image" && url !== undefined) return imageFromUrl(url);
  return { type: "text", text: serialize(value) };
}

function readReasoning(item: JsonRecord): Block {
  const texts = (value: unknown) => asArray(value).flatMap((part) => asText(asRecord(part)?.text) ?? []);
  const [thought, summary] = [texts(item.content), texts(item.summary)];
  return { ...item, type: "reasoning", text: (thought.length > 0 ? thought : summary).join("\n\n") };
}

function readCall(item: JsonRecord, type: string, callId: string): Block {
  return {
    type: "tool_use",
    id: callId,
    name: asName(item.name) ?? type.slice(0, -"_call".length),
    input: readInput(item),
    ...carried(item),
    ...(type !== "function_call" && { item_type: type }),
    ...(asName(item.id) !== undefined && { item_id: item.id }),
  };
}

/** The input of a call: functions have JSON in a string, custom tools have plain text, built-in tools an action. */
function readInput({ arguments: args, input, action }: JsonRecord): unknown {
  if (typeof args === "string") return asRecord(tryParseJson(args)) ?? args;
  return args ?? input ?? action ?? {};
}

function readOutput(item: JsonRecord): { readonly content: Content; readonly is_error?: boolean } {
  const { output } = item;
  if (typeof output === "string") return { content: output };
  if (Array.isArray(output)) return { content: readParts(output) };
  const record = asRecord(output);
  const text = asText(record?.content);
  if (text === undefined) return { content: serialize(output ?? item.tools ?? "") };
  return record?.success === false ? { content: text, is_error: true } : { content: text };
}

/** The fields that the API wants back unchanged. */
function carried({ phase, namespace, status }: JsonRecord): JsonRecord {
  return {
    ...(phase !== undefined && { phase }),
    ...(namespace !== undefined && { namespace }),
    ...(status !== undefined && { status }),
  };
}
