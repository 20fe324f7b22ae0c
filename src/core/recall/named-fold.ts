import type { Fold } from "../history/list-folds.ts";
import { bareId } from "./read-tool-input.ts";

/** Whether a query is nothing but one word, or the text of a stand-in: only then can it ask for a fold by its id. */
export function mayNameFold(query: string): boolean {
  return !/\s/.test(bareId(query)) || query.includes("hidden in fold ");
}

/**
 * The id of the fold that a text names, whatever the case of its letters: models repeat a whole stand-in, "[read a.ts: 3,214 tokens hidden in fold
 * clear-1a2b3c]", where they should pass its id. The longest one, if the text names several.
 */
export function namedFold(text: string, folds: readonly Pick<Fold, "foldId">[]): string | undefined {
  const words = text.toLowerCase();
  const named = folds.map(({ foldId }) => foldId).filter((foldId) => hasWord(words, foldId.toLowerCase()));
  return named.toSorted((one, other) => other.length - one.length)[0];
}

/** Whether a text has a word with nothing before and behind it that could be part of it. */
function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0 && word !== ""; at = text.indexOf(word, at + 1)) {
    const around = [text[at - 1] ?? " ", text[at + word.length] ?? " "];
    if (around.every((character) => !/[\p{L}\p{N}_-]/u.test(character))) return true;
  }
  return false;
}
