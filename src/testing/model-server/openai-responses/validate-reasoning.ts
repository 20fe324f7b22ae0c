import type { JsonObject } from "../json.ts";
import { type Refusal, refuse } from "../wire-protocol.ts";
import { isReasoning, isReply, typeOf } from "./items.ts";

/** What a server remembers of the items that it sent. */
export interface ReasoningRules {
  /** The id of the reasoning that led to an item, where the server knows. */
  leaderOf(item: JsonObject): string | undefined;
  /** Whether this item of the model may follow this reasoning. */
  mayFollow(reasoning: JsonObject, next: JsonObject): boolean;
}

/** Reasoning stays with the item that it led to. */
export function* reasoningFaults(items: readonly JsonObject[], rules: ReasoningRules): Generator<Refusal> {
  for (const [index, item] of items.entries()) {
    const leader = item.id === undefined ? undefined : rules.leaderOf(item);
    if (leader !== undefined && items[index - 1]?.id !== leader) {
      yield refuse(
        `Item '${String(item.id)}' of type '${typeOf(item)}' was provided without its required 'reasoning' item: '${leader}'.`,
        { parameter: "input" },
      );
    }
    if (!isReasoning(item)) continue;
    const next = items[index + 1];
    if (next !== undefined && isReply(next) && rules.mayFollow(item, next)) continue;
    yield refuse(`Item '${String(item.id)}' of type 'reasoning' was provided without its required following item.`, {
      parameter: "input",
    });
  }
}
