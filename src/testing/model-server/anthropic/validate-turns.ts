import type { JsonObject } from "../json.ts";
import { type Refusal, refuse } from "../wire-protocol.ts";
import { blocksOf } from "./validate-blocks.ts";

/** Calls and results must be in neighbouring messages, each exactly once. */
export function* toolFaults(messages: readonly JsonObject[], hasTools: boolean): Generator<Refusal> {
  const turns = messages.map((message) => blocksOf(message));
  if (!hasTools && turns.some((turn) => turn.some(({ type }) => type === "tool_use" || type === "tool_result"))) {
    yield refuse("Requests which include `tool_use` or `tool_result` blocks must define tools");
  }
  const seen = new Set<unknown>();
  for (const [index, turn] of turns.entries()) {
    const calls = idsOf(turn, "tool_use");
    for (const id of calls) {
      if (seen.has(id)) yield refuse("messages: `tool_use` ids must be unique");
      seen.add(id);
    }
    yield* unansweredFaults(calls, turns[index + 1] ?? [], index);
    yield* resultFaults(turn, turns[index - 1] ?? [], index);
  }
}

function* unansweredFaults(calls: readonly string[], next: readonly JsonObject[], index: number): Generator<Refusal> {
  // results count only where they come first in the message
  const firstOther = next.findIndex(({ type }) => type !== "tool_result");
  const answered = idsOf(firstOther === -1 ? next : next.slice(0, firstOther), "tool_result");
  const open = calls.filter((id) => !answered.includes(id));
  if (open.length === 0) return;
  yield refuse(
    `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  );
}

function* resultFaults(
  turn: readonly JsonObject[],
  previous: readonly JsonObject[],
  index: number,
): Generator<Refusal> {
  const calls = idsOf(previous, "tool_use");
  const answered = new Set<string>();
  for (const [blockIndex, block] of turn.entries()) {
    if (block.type !== "tool_result") continue;
    const id = String(block.tool_use_id);
    const place = `messages.${index}.content.${blockIndex}`;
    if (!calls.includes(id)) {
      yield refuse(
        `${place}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      );
    }
    if (answered.has(id)) {
      yield refuse(
        `${place}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
      );
    }
    answered.add(id);
  }
}

/** With a thinking budget, a tool loop that still runs must start with the thinking that led to it. */
export function* thinkingFaults(messages: readonly JsonObject[]): Generator<Refusal> {
  const lastQuestion = messages.findLastIndex((message) => message.role === "user" && !carriesResults(message));
  const loopStart = messages.findIndex((message, index) => index > lastQuestion && message.role === "assistant");
  // A compaction comes before all else.
  const first = blocksOf(messages[loopStart] ?? {}).find(({ type }) => type !== "compaction");
  if (loopStart === -1 || first?.type === "thinking" || first?.type === "redacted_thinking") return;
  yield refuse(
    `messages.${loopStart}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${String(first?.type)}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block.`,
  );
}

function carriesResults(message: JsonObject): boolean {
  return blocksOf(message).some(({ type }) => type === "tool_result");
}

function idsOf(blocks: readonly JsonObject[], type: "tool_use" | "tool_result"): readonly string[] {
  const field = type === "tool_use" ? "id" : "tool_use_id";
  return blocks.filter((block) => block.type === type).map((block) => String(block[field]));
}
