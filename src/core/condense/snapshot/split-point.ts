import { assert } from "../../assert.ts";

/** One turn as the split rule reads it, whatever format it came in. */
export interface SplitTurn {
  readonly characters: number;
  /** The kept part may begin here: a user's turn that answers no call. */
  readonly isSplit: boolean;
  /** Nothing is pending after it: a model's turn without calls. */
  readonly isClosed: boolean;
}

/**
 * The index of the first turn to keep: the first split with at least `fraction` of all characters before it. Where no split
 * lies that far, it is the number of turns if the last turn is closed, and else the last split; 0 keeps everything.
 */
export function findSplitPoint(turns: readonly SplitTurn[], fraction: number): number {
  const isInside = typeof fraction === "number" && fraction > 0 && fraction < 1;
  assert(isInside, "fraction", fraction, "a number above 0 and below 1");
  const allCharacters = turns.reduce((sum, turn) => sum + turn.characters, 0);
  let charactersBefore = 0;
  let lastSplit = 0;
  for (const [index, turn] of turns.entries()) {
    if (turn.isSplit) {
      // A quotient meets a share like 0.55 exactly; the product 0.55 * 100 is above 55.
      if (charactersBefore / allCharacters >= fraction) return index;
      lastSplit = index;
    }
    charactersBefore += turn.characters;
  }
  return turns.at(-1)?.isClosed === true ? turns.length : lastSplit;
}
