import { asArray, asName, asNumber, asText, fieldAt, isRecord, type JsonRecord } from "../../../core/json/read-json.ts";

/** Merges the deltas of a stream into the message that they make up: texts and lists are joined, any other field has its last value. */
export function messageOfDeltas(deltas: readonly unknown[]): JsonRecord {
  const message: Record<string, unknown> = { role: "assistant", content: null };
  const calls = new Map<number, Record<string, unknown>>();
  for (const delta of deltas) {
    if (!isRecord(delta)) continue;
    for (const [name, value] of Object.entries(delta)) {
      if (name === "tool_calls") for (const piece of asArray(value)) addCallPiece(calls, piece);
      else if (name !== "role" && value !== null) message[name] = mergeDelta(message[name], value);
    }
  }
  if (message.content === "") message.content = null;
  const toolCalls = [...calls.entries()].toSorted(([one], [other]) => one - other).map(([, call]) => call);
  return toolCalls.length === 0 ? message : { ...message, tool_calls: toolCalls };
}

/** The value of a field after a delta. */
function mergeDelta(before: unknown, value: unknown): unknown {
  if (typeof before === "string" && typeof value === "string") return before + value;
  if (Array.isArray(before) && Array.isArray(value)) return [...before, ...value];
  return value;
}

function addCallPiece(calls: Map<number, Record<string, unknown>>, piece: unknown): void {
  const index = asNumber(fieldAt(piece, "index")) ?? 0;
  if (!isRecord(piece)) return;
  const { index: _, function: added, ...fields } = piece;
  const call = calls.get(index) ?? {};
  const earlier = fieldAt(call, "function");
  const text = `${asText(fieldAt(earlier, "arguments")) ?? ""}${asText(fieldAt(added, "arguments")) ?? ""}`;
  const name = asName(fieldAt(added, "name")) ?? asName(fieldAt(earlier, "name"));
  calls.set(index, { ...call, ...withoutEmptyFields(fields), function: { name, arguments: text } });
}

/** Later pieces of a call repeat its id and type as null, or as an empty text. */
function withoutEmptyFields(fields: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== ""));
}
