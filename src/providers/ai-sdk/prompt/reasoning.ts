import type { ReasoningBlock } from "../../../core/message/message.ts";
import type { ModelEntry } from "../../../core/models/model-entry.ts";
import type { Provider } from "../provider-table.ts";
import { writeSeals } from "../seals.ts";
import type { Turn } from "./turns.ts";

/** Which reasoning of the conversation this model takes back. */
export function keepsReasoning(
  { reasoningBack, seals }: Provider,
  entry: ModelEntry,
): (block: ReasoningBlock) => boolean {
  switch (reasoningBack) {
    case "sealed":
      return (block) => seals !== undefined && writeSeals(block, seals) !== undefined;
    case "all":
      return (block) => block.text !== "";
    case "where-required":
      return (block) => entry.requiresReasoningBack && block.text !== "";
    case "none":
      return () => false;
  }
}

/** Gives turns with tool calls some reasoning where the model refuses them without, and another model made them. */
export function withRequiredReasoning(
  turns: readonly Turn[],
  { reasoningBack }: Provider,
  entry: ModelEntry,
): readonly Turn[] {
  // the other packages fill the gap themselves
  if (reasoningBack !== "where-required" || !entry.requiresReasoningBack) return turns;
  return turns.map((turn) => {
    const has = (type: string) => turn.blocks.some((block) => block.type === type);
    if (!has("tool_use") || has("reasoning")) return turn;
    return { ...turn, blocks: [{ type: "reasoning", text: "(no reasoning was kept)" }, ...turn.blocks] };
  });
}
