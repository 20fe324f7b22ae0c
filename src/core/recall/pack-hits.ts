import type { CountTokens } from "../message/message.ts";
import type { RecallHit } from "./recall-hit.ts";
import { byPlace, RECALL_FRAME, renderEntry, renderFence } from "./render-recall.ts";

/** The hits of one answer, kept within a token budget. */
export interface Packing {
  /** Adds a hit; returns false, and adds nothing, where the budget has no room for it. */
  add(hit: RecallHit): boolean;
}

/**
 * An empty answer. A hit costs the tokens that it adds at its place: it has no day below another hit of the same day, and no heading beside another piece
 * of its message, so that a budget holds more hits than by their single sizes.
 */
export function createPacking(budgetTokens: number, countTokens: CountTokens): Packing {
  const shown: RecallHit[] = [];
  const fenced = new Set<string | undefined>();
  let tokens = countTokens(RECALL_FRAME);

  return {
    add(hit) {
      const at = placeOf(hit, shown);
      const [before, after] = [inFence(shown[at - 1], hit), inFence(shown[at], hit)];
      const own = before === undefined ? hit.tokens : countTokens(renderEntry(hit, before));
      const saved = after === undefined ? 0 : entryTokens(after, before) - entryTokens(after, hit);
      const needed = own - saved + (fenced.has(hit.foldId) ? 0 : countTokens(renderFence(hit.foldId)));
      if (tokens + needed > budgetTokens) return false;
      shown.splice(at, 0, hit);
      fenced.add(hit.foldId);
      tokens += needed;
      return true;
    },
  };

  function entryTokens(hit: RecallHit, before: RecallHit | undefined): number {
    return before === undefined ? hit.tokens : countTokens(renderEntry(hit, before));
  }
}

/** The neighbour, if it is in the same fence as the hit. */
function inFence(neighbour: RecallHit | undefined, hit: RecallHit): RecallHit | undefined {
  return neighbour?.foldId === hit.foldId ? neighbour : undefined;
}

function placeOf(hit: RecallHit, shown: readonly RecallHit[]): number {
  let [low, high] = [0, shown.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = shown[middle];
    if (other !== undefined && byPlace(other, hit) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
