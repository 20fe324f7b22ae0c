import type { CountTokens } from "../message/message.ts";
import { serialize } from "../tokens/serialize.ts";
import type { SentTool } from "./tool-definition.ts";

const countsByCounter = new WeakMap<CountTokens, WeakMap<SentTool, number>>();

/** Tokens of a definition as it is sent, counted once per counter and object. */
export function definitionTokens(tool: SentTool, countTokens: CountTokens): number {
  let counts = countsByCounter.get(countTokens);
  if (counts === undefined) {
    counts = new WeakMap();
    countsByCounter.set(countTokens, counts);
  }
  const known = counts.get(tool);
  if (known !== undefined) return known;
  const count = countTokens(serialize(tool));
  counts.set(tool, count);
  return count;
}
