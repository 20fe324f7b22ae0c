import { isJsonObject, itemsOf, type JsonObject, unknownKey } from "../json.ts";
import { type Refusal, refuse } from "../wire-protocol.ts";
import { forgeryIn, isEffective, isSigned } from "./compaction-block.ts";
import { blocksOf } from "./validate-blocks.ts";

/** The fields of each edit, and the beta header that it needs. */
const EDITS: Readonly<Record<string, { readonly beta: string; readonly fields: ReadonlySet<string> }>> = {
  clear_tool_uses_20250919: {
    beta: "context-management-2025-06-27",
    fields: new Set(["type", "trigger", "keep", "clear_at_least", "exclude_tools", "clear_tool_inputs"]),
  },
  clear_thinking_20251015: { beta: "context-management-2025-06-27", fields: new Set(["type", "keep"]) },
  compact_20260112: {
    beta: "compact-2026-01-12",
    fields: new Set(["type", "trigger", "instructions", "pause_after_compaction"]),
  },
};
const COMPACTION_BETA = "compact-2026-09-04";
const LEAST_TRIGGER_TOKENS = 50_000;

/** Faults in a request's context management, compaction and diagnostics. */
export function* contextFaults(body: JsonObject, betas: string): Generator<Refusal> {
  const { context_management: management, compaction, diagnostics } = body;
  if (isSet(diagnostics)) yield* diagnosticsFaults(diagnostics);
  if (isSet(management)) yield* managementFaults(management, betas);
  if (!isSet(compaction)) return;
  if (!betas.includes(COMPACTION_BETA)) yield refuse("compaction: Extra inputs are not permitted");
  if (isSet(management)) yield refuse("compaction: cannot be combined with `context_management`");
  if (!isJsonObject(compaction) || compaction.type !== "summarize") {
    yield refuse("compaction.type: Input should be 'summarize'");
  } else {
    const extra = unknownKey(compaction, new Set(["type", "instructions"]));
    if (extra !== undefined) yield refuse(`compaction.${extra}: Extra inputs are not permitted`);
  }
}

function* diagnosticsFaults(diagnostics: unknown): Generator<Refusal> {
  const extra = isJsonObject(diagnostics) ? unknownKey(diagnostics, new Set(["previous_message_id"])) : "";
  if (extra !== undefined) yield refuse(`diagnostics.${extra}: Extra inputs are not permitted`);
  const id = isJsonObject(diagnostics) ? diagnostics.previous_message_id : undefined;
  if (isSet(id) && !/^msg_/.test(String(id))) {
    yield refuse("diagnostics.previous_message_id: Input should be the id of a message");
  }
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function* managementFaults(management: unknown, betas: string): Generator<Refusal> {
  if (!isJsonObject(management)) {
    yield refuse("context_management: Input should be an object");
    return;
  }
  const extra = unknownKey(management, new Set(["edits"]));
  if (extra !== undefined) yield refuse(`context_management.${extra}: Extra inputs are not permitted`);
  for (const [index, edit] of itemsOf(management.edits).entries()) {
    yield* editFaults(edit, `context_management.edits.${index}`, betas);
    if (index > 0 && isJsonObject(edit) && edit.type === "clear_thinking_20251015") {
      yield refuse("context_management.edits: `clear_thinking_20251015` must be the first edit");
    }
  }
}

function* editFaults(edit: unknown, place: string, betas: string): Generator<Refusal> {
  const type = isJsonObject(edit) ? String(edit.type) : "";
  const known = Object.hasOwn(EDITS, type) ? EDITS[type] : undefined;
  if (!isJsonObject(edit) || known === undefined || !betas.includes(known.beta)) {
    yield refuse(`${place}: Input tag '${type}' found using 'type' does not match any of the expected tags`);
    return;
  }
  const extra = unknownKey(edit, known.fields);
  if (extra !== undefined) yield refuse(`${place}.${type}.${extra}: Extra inputs are not permitted`);
  const least = type === "compact_20260112" ? LEAST_TRIGGER_TOKENS : 0;
  if (!isSet(edit.trigger)) return;
  const value = isJsonObject(edit.trigger) ? edit.trigger.value : undefined;
  if (typeof value !== "number" || !Number.isInteger(value)) {
    yield refuse(`${place}.${type}.trigger.value: Input should be a valid integer`);
  } else if (value < least) {
    yield refuse(`${place}.${type}.trigger.value: Input should be greater than or equal to ${least}`);
  }
}

/** Faults in the compaction blocks among the messages, which must be sent back unchanged. */
export function* compactionFaults(messages: readonly JsonObject[]): Generator<Refusal> {
  const placed = messages.flatMap((message, index) =>
    blocksOf(message).map((block, at) => ({
      block,
      place: `messages.${index}.content.${at}`,
      isFirst: index + at === 0,
    })),
  );
  const summaries = placed.filter(({ block }) => block.type === "compaction");
  for (const { block, place } of summaries) {
    if (block.content === "") yield refuse(`${place}.compaction.content: String should have at least 1 character`);
    const forged = forgeryIn(block);
    if (forged !== undefined) {
      yield refuse(`${place}: the \`${forged}\` of the \`compaction\` block differs from what was returned with it`);
    }
  }
  const effective = summaries.filter(({ block }) => isEffective(block));
  if (!effective.some(({ block }) => isSigned(block))) return;
  if (effective.length > 1) yield refuse("messages: more than one `compaction` block with content");
  for (const { place, isFirst } of effective) {
    if (!isFirst) yield refuse(`${place}: a \`compaction\` block must be the first block of the conversation`);
  }
}
