import type { KnownBlock, TextBlock, ToolResultBlock, ToolUseBlock } from "../../../core/message/message.ts";
import { serialize } from "../../../core/tokens/serialize.ts";
import { resultText } from "./result-text.ts";
import type { Turn } from "./turns.ts";

/**
 * Shows a call without a result in the next turn, and a result without a call in the turn before, as text: every provider
 * refuses half a pair, and logs of interrupted work hold some.
 */
export function withWholePairs(turns: readonly Turn[]): readonly Turn[] {
  const usedIds = new Set<string>();
  let openIds: ReadonlySet<string> = new Set();
  return turns.map((turn, index) => {
    if (turn.role === "assistant") openIds = pairedIds(turn, turns[index + 1], usedIds);
    const pending = new Set(openIds);
    const blocks = turn.blocks.map((block): KnownBlock => {
      if (block.type === "tool_use") return pending.delete(block.id) ? block : callAsText(block);
      if (block.type === "tool_result") return pending.delete(block.tool_use_id) ? block : resultAsText(block);
      return block;
    });
    return { role: turn.role, blocks };
  });
}

function pairedIds(turn: Turn, next: Turn | undefined, usedIds: Set<string>): ReadonlySet<string> {
  const answeredIds = new Set(
    next?.blocks.map((block) => (block.type === "tool_result" ? block.tool_use_id : undefined)),
  );
  const paired = new Set<string>();
  for (const block of turn.blocks) {
    if (block.type !== "tool_use" || usedIds.has(block.id) || !answeredIds.has(block.id)) continue;
    usedIds.add(block.id);
    paired.add(block.id);
  }
  return paired;
}

function callAsText({ name, input }: ToolUseBlock): TextBlock {
  return { type: "text", text: `[A call of the tool ${name} that has no result: ${serialize(input)}]` };
}

function resultAsText(block: ToolResultBlock): TextBlock {
  return { type: "text", text: `[The result of a tool call that is not shown: ${resultText(block)}]` };
}
