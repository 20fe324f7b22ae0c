import { PalimpsestError } from "../errors.ts";
import { checkMessages } from "../message/check-messages.ts";
import type { CountTokens, Message } from "../message/message.ts";
import { clipToFit } from "./clip-to-fit.ts";
import type { FitResult, Folded } from "./fit-result.ts";
import { hideOldest, type TruncationSelection } from "./hide-oldest.ts";
import { measureView } from "./measure-view.ts";

export interface TruncateToFitOptions {
  /** The view must not be larger than this: the room for messages alone, without system prompt and tools. */
  readonly allowedTokens: number;
  readonly countTokens: CountTokens;
  /**
   * How far to hide once hiding is needed, so that the next turns need no fold of their own.
   * @default allowedTokens
   */
  readonly targetTokens?: number;
  /** @default { type: "fraction", fracToRemove: 0.5 } */
  readonly selection?: TruncationSelection;
  /** Fold ids follow from it. @default "" */
  readonly taskId?: string;
}

/**
 * Brings the view under `allowedTokens`: hides the oldest units behind a marker, again and again; clips what is too
 * large to fit even so; and hides messages marked important only when there is no other way.
 *
 * The first message and the last unit (the current turn) stay visible, clipped if need be.
 */
export function truncateToFit(messages: readonly Message[], options: TruncateToFitOptions): FitResult {
  checkMessages(messages);
  checkBudget(options);
  const { allowedTokens, countTokens } = options;
  const before = measureView(messages, countTokens);
  if (before.tokens <= allowedTokens) return { type: "unchanged", messages, tokens: before.tokens };

  let folded: Folded = { messages, tokens: before.tokens, foldIds: [], messagesRemoved: 0 };
  if (before.keptTokens > allowedTokens) {
    // Hiding can never be enough. Clipping the oversized turn to half the room first leaves the other half to history.
    folded = clipToFit(folded, { ...options, allowedTokens: allowedTokens / 2, scope: "kept" });
  }
  for (const hideImportant of [false, true]) {
    folded = hideOldest(folded, { ...options, hideImportant });
    if (folded.tokens > allowedTokens) folded = clipToFit(folded, { ...options, scope: "view" });
    if (folded.tokens <= allowedTokens) return { type: "folded", ...folded };
  }
  return { type: "cannot-fit", ...folded };
}

function checkBudget({ allowedTokens, targetTokens }: TruncateToFitOptions): void {
  for (const [name, value] of Object.entries({ allowedTokens, targetTokens })) {
    if (value === undefined || Number.isFinite(value)) continue;
    throw new PalimpsestError("invalid-argument", `${name} is ${value}; it must be a finite number of tokens.`);
  }
}
