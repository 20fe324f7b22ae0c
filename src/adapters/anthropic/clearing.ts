import type { ClearingKind } from "../../core/history/provider-clearing.ts";
import { sliceFields } from "../../core/json/json-slices.ts";
import { tryParseJson } from "../../core/json/parse-json.ts";
import { asArray, asNumber, asRecord, fieldAt } from "../../core/json/read-json.ts";
import { isCompactionBlock } from "../../core/message/compaction-block.ts";
import { isToolUse } from "../../core/message/tool-pairs.ts";
import type { ReportedClearing, WireClearing, WireRequest } from "../../core/ports/wire-adapter.ts";
import { fieldsOf, setField } from "../splice/edit-fields.ts";

const EDIT_TYPES: Readonly<Record<ClearingKind, string>> = {
  results: "clear_tool_uses_",
  thoughts: "clear_thinking_",
};

/** The `context_management` edits by which requests ask Anthropic to leave out old results and thoughts. */
export const anthropicClearing: WireClearing = {
  isAsked: (request) => editsOf(fieldsOf(request.raw)).some((edit) => isOf(edit, "results") || isOf(edit, "thoughts")),
  clearedCalls,
  keepAll: (body, kinds) => {
    const field = sliceFields(body)?.get("context_management");
    const management = field && asRecord(tryParseJson(body.slice(field.start, field.end)));
    if (management === undefined) return body;
    const edits = asArray(management.edits);
    const asked = edits.filter((edit) => kinds.some((kind) => isOf(edit, kind)));
    if (asked.length === 0) return body;
    const kept = edits.flatMap((edit) => (asked.includes(edit) ? keepAllEdit(edit) : [edit]));
    const { edits: _, ...others } = management;
    const isEmpty = kept.length === 0 && Object.keys(others).length === 0;
    return setField(body, "context_management", isEmpty ? "null" : JSON.stringify({ ...management, edits: kept }));
  },
};

/** The edit that replaces one that clears: for results none, for thoughts one that keeps all, as models clear thoughts of earlier turns by default. */
function keepAllEdit(edit: unknown): readonly unknown[] {
  return isOf(edit, "thoughts") ? [{ ...asRecord(edit), keep: "all" }] : [];
}

function editsOf(fields: unknown): readonly unknown[] {
  return asArray(fieldAt(fields, "context_management", "edits"));
}

function isOf(edit: unknown, kind: ClearingKind): boolean {
  return String(fieldAt(edit, "type")).startsWith(EDIT_TYPES[kind]);
}

/**
 * The calls whose results were cleared: the oldest first, without those of excluded tools. Only calls after the provider's last compaction
 * count, as it reads nothing before that.
 */
function clearedCalls(request: WireRequest, { results }: ReportedClearing): ReturnType<WireClearing["clearedCalls"]> {
  const edit = editsOf(fieldsOf(request.raw)).find((candidate) => isOf(candidate, "results"));
  const excluded = new Set(asArray(fieldAt(edit, "exclude_tools")));
  const blocks = request.messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
  const read = blocks.slice(blocks.findLastIndex(isCompactionBlock) + 1);
  const calls = read.filter(isToolUse).filter(({ name }) => !excluded.has(name));
  return {
    toolUseIds: calls.slice(0, results).map(({ id }) => id),
    hidesInputs: fieldAt(edit, "clear_tool_inputs") === true,
  };
}

/** The clearing that a message, or the last event of its stream, reports; undefined if nothing was cleared. */
export function clearedIn(message: unknown): ReportedClearing | undefined {
  const applied = asArray(fieldAt(message, "context_management", "applied_edits"));
  const results = sumOf(applied, "results", "cleared_tool_uses");
  const thoughts = sumOf(applied, "thoughts", "cleared_thinking_turns");
  const isCleared = applied.some((edit) => isOf(edit, "results") || isOf(edit, "thoughts"));
  return isCleared ? { results, thoughts } : undefined;
}

function sumOf(applied: readonly unknown[], kind: ClearingKind, field: string): number {
  const counts = applied.filter((edit) => isOf(edit, kind)).map((edit) => asNumber(fieldAt(edit, field)) ?? 0);
  return counts.reduce((sum, count) => sum + count, 0);
}
