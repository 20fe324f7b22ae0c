import { nearestName } from "../../core/nearest-name.ts";

const MAX_EDITS = 3;

/** ` Did you mean …?` for a name that is a typing error away from a known one; empty if none is that near. @default prefix "" */
export function didYouMean(name: string, known: readonly string[], prefix = ""): string {
  // More edits than half of its letters make it another word.
  const maxEdits = Math.min(MAX_EDITS, Math.floor(name.length / 2));
  const nearest = nearestName(name, known, { maxEdits });
  return nearest === undefined ? "" : ` Did you mean ${prefix}${nearest}?`;
}
