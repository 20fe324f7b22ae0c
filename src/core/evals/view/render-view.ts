import { effectiveView } from "../../message/effective-view.ts";
import { countMessagesTokens } from "../../tokens/count-messages.ts";
import { countTextTokens } from "../../tokens/o200k/count-text-tokens.ts";
import type { View } from "../eval-types.ts";
import { linesOf, messageParts } from "./message-parts.ts";

/** The lines of a view. For messages, those of their effective view, each part below a heading with its author. */
export function viewLines(view: View): readonly string[] {
  if (typeof view === "string") return linesOf(view);
  return effectiveView(view).flatMap((message) =>
    messageParts(message).flatMap(({ heading, lines }) => [heading, ...lines]),
  );
}

/**
 * A view as one text, the same for every strategy that returns messages.
 * @example
 * ```ts
 * import { renderView } from "palimpsest/evals";
 * console.log(renderView([{ role: "user", content: "Why does it blink?" }])); // [user] Why does it blink?
 * ```
 */
export function renderView(view: View): string {
  return typeof view === "string" ? view : viewLines(view).join("\n");
}

/** The tokens of a view: those of its text, or of its messages as they are sent. */
export function countViewTokens(view: View): number {
  return typeof view === "string" ? countTextTokens(view) : countMessagesTokens(effectiveView(view));
}
