import { nearestName } from "../../core/nearest-name.ts";

const MAX_EDITS = 3;

/** ` Did you mean …?` for a name that is a slip away from a known one; empty where none is. @default prefix "" */
export function didYouMean(name: string, known: readonly string[], prefix = ""): string {
  // Half of a word changed makes another word.
  const maxEdits = Math.min(MAX_EDITS, Math.floor(name.length / 2));
  const nearest = nearestName(name, known, { maxEdits });
  return nearest === undefined ? "" : ` Did you mean ${prefix}${nearest}?`;
}
