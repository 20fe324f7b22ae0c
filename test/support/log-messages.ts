import type { Message } from "../../src/index.ts";

const FOLD = {
  foldId: "f",
  kind: "clip",
  blockIndex: 0,
  standIn: { type: "text", text: "…" },
  hiddenTokens: 9,
} as const;

/** A message of a log, by what it is in it: said, hidden, shortened or a stand-in. */
export function logMessage(kind: string, index: number): Message {
  const said: Message = { role: "user", content: `words ${index}`, keys: [`m:${index}`] };
  switch (kind) {
    case "condensed":
      return { ...said, condenseParent: "c" };
    case "truncated":
      return { ...said, truncationParent: "t" };
    case "folded":
      return { ...said, folds: [FOLD] };
    case "summary":
      return { ...said, isSummary: true, condenseId: "c" };
    case "account":
      return { ...said, isSummary: true, condenseId: "p", compaction: "provider" };
    case "marker":
      return { ...said, isTruncationMarker: true, truncationId: "t" };
    default:
      return said;
  }
}
