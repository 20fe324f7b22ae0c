import { editOdds } from "../edit-odds.ts";
import type { LogBlock } from "../log-blocks.ts";
import type { AddValue } from "./line-values.ts";
import { LINE_WORTH } from "./line-worth.ts";

/**
 * Code that the next edits may replace: an edit must repeat it word for word. What all of it is worth together is shared out by the odds
 * of each line, so that a log that showed much code leaves no less room for names.
 */
export function valueCode(blocks: readonly LogBlock[], add: AddValue, identifiersWorth: number): void {
  const lines = editOdds(blocks);
  let total = 0;
  for (const { odds } of lines) total += odds;
  for (const { line, odds } of lines) add(line, (LINE_WORTH.code * identifiersWorth * odds) / total);
}
