import { asArray, asName, asNumber, asText, fieldAt, isRecord, type JsonRecord } from "../../../core/json/read-json.ts";
import { RECALL_TOOL_NAME } from "../../../core/recall/tool-definition.ts";

export function isRecallCall(call: unknown): boolean {
  return fieldAt(call, "function", "name") === RECALL_TOOL_NAME;
}

export function callsIn(message: JsonRecord): readonly unknown[] {
  return asArray(message.tool_calls);
}

export function callOf(call: unknown): { readonly id: string; readonly input: unknown } {
  return { id: asName(fieldAt(call, "id")) ?? "", input: fieldAt(call, "function", "arguments") };
}

/** The message without calls of the recall tool. */
export function withoutRecall(message: JsonRecord): JsonRecord {
  const { tool_calls: _, ...rest } = message;
  const others = callsIn(message).filter((call) => !isRecallCall(call));
  return others.length === 0 ? rest : { ...rest, tool_calls: others };
}

/** The message that deltas make up: texts and lists grow, of everything else the last counts. */
export function messageOfDeltas(deltas: readonly unknown[]): JsonRecord {
  const message: Record<string, unknown> = { role: "assistant", content: null };
  const calls = new Map<number, Record<string, unknown>>();
  for (const delta of deltas) {
    if (!isRecord(delta)) continue;
    for (const [name, value] of Object.entries(delta)) {
      if (name === "tool_calls") for (const piece of asArray(value)) addCallPiece(calls, piece);
      else if (name !== "role" && value !== null) message[name] = grown(message[name], value);
    }
  }
  if (message.content === "") message.content = null;
  const made = [...calls.entries()].toSorted(([one], [other]) => one - other).map(([, call]) => call);
  return made.length === 0 ? message : { ...message, tool_calls: made };
}

function grown(before: unknown, value: unknown): unknown {
  if (typeof before === "string" && typeof value === "string") return before + value;
  if (Array.isArray(before) && Array.isArray(value)) return [...before, ...value];
  return value;
}

function addCallPiece(calls: Map<number, Record<string, unknown>>, piece: unknown): void {
  const index = asNumber(fieldAt(piece, "index")) ?? 0;
  if (!isRecord(piece)) return;
  const { index: _, function: said, ...fields } = piece;
  const before = calls.get(index) ?? {};
  const known = fieldAt(before, "function");
  const text = `${asText(fieldAt(known, "arguments")) ?? ""}${asText(fieldAt(said, "arguments")) ?? ""}`;
  const name = asName(fieldAt(said, "name")) ?? asName(fieldAt(known, "name"));
  calls.set(index, { ...before, ...given(fields), function: { name, arguments: text } });
}

function given(fields: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== ""));
}
