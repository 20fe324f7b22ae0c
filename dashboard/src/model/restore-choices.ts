import type { ExpandedFold } from "../api/types.ts";
import { counted } from "./format.ts";

/** One way to bring something back: what is asked for, and where its price is. */
export interface RestoreChoice {
  readonly label: string;
  readonly target: { readonly foldId: string } | { readonly from: string; readonly to: string };
  /** Below the session's path. */
  readonly pricePath: string;
}

/**
 * A message alone, and all that its fold hides. Where a later fold hides the stand-in of this one too, undoing this one alone would
 * show nothing: its messages are asked for instead.
 */
export function restoreChoices(fold: ExpandedFold, messageId: string | undefined): readonly RestoreChoice[] {
  const alone = messageId === undefined ? [] : [spanChoice("Only this message", messageId, messageId)];
  const hidden = fold.hidden.flatMap(({ id }) => id ?? []);
  const [first, last] = [hidden[0], hidden.at(-1)];
  const isNested = fold.standIns.some(({ hiddenBy }) => hiddenBy !== undefined);
  const label = allText(fold);
  if (isNested && first !== undefined && last !== undefined) return [...alone, spanChoice(label, first, last)];
  const { foldId } = fold;
  return [...alone, { label, target: { foldId }, pricePath: `/folds/${encodeURIComponent(foldId)}/price` }];
}

function spanChoice(label: string, from: string, to: string): RestoreChoice {
  const query = `from=${encodeURIComponent(from)}&to=${encodeURIComponent(to)}`;
  return { label, target: { from, to }, pricePath: `/price?${query}` };
}

function allText({ messages, blocks }: ExpandedFold): string {
  const parts = [
    ...(messages > 0 ? [counted(messages, "message")] : []),
    ...(blocks > 0 ? [counted(blocks, "part of a message", "parts of messages")] : []),
  ];
  return `All that the fold hides: ${parts.join(" and ")}`;
}
