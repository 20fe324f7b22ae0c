import type { Block, BlockFold, Message } from "../message/message.ts";
import { isToolResult, isToolUse } from "../message/tool-pairs.ts";

/** What providers leave out of requests by themselves: old results of tools, and old thoughts. */
export type ClearingKind = "results" | "thoughts";

/** What a provider left out of the newest request by itself. No fold of the log records it, as the request was sent whole. */
export interface ProviderClearing {
  /** The calls whose results it left out. */
  readonly toolUseIds: readonly string[];
  /** Whether it left out what these calls were made with, too. */
  readonly hidesInputs: boolean;
  /** The ids of the messages whose thoughts it left out. */
  readonly thoughtsOf: readonly string[];
}

/** A report of a provider's clearing, as a session keeps it. */
export interface RecordedClearing extends ProviderClearing {
  /** Set where this report adds to the one before it; otherwise it replaces that. */
  readonly isAddition?: true;
}

/** The fold ids by which cleared blocks are recalled and restored, as if a fold hid them. */
export const CLEARING_FOLD_IDS: Readonly<Record<ClearingKind, string>> = {
  results: "provider-clear-results",
  thoughts: "provider-clear-thoughts",
};

export function isNothingCleared({ toolUseIds, thoughtsOf }: ProviderClearing): boolean {
  return toolUseIds.length === 0 && thoughtsOf.length === 0;
}

/**
 * The log as if folds hid what the provider left out, so that it is recalled and listed like anything hidden. Never to be used for a view: these blocks
 * are still sent to the provider.
 */
export function foldCleared(messages: readonly Message[], clearing: ProviderClearing): readonly Message[] {
  if (isNothingCleared(clearing)) return messages;
  const calls = new Set(clearing.toolUseIds);
  const thinkers = new Set(clearing.thoughtsOf);
  const kindOf = (block: Block, { id = "" }: Message): ClearingKind | undefined => {
    if (isToolResult(block)) return calls.has(block.tool_use_id) ? "results" : undefined;
    if (isToolUse(block)) return clearing.hidesInputs && calls.has(block.id) ? "results" : undefined;
    return isThought(block) && thinkers.has(id) ? "thoughts" : undefined;
  };
  return messages.map((message) => {
    if (typeof message.content === "string") return message;
    const folds = message.content.flatMap((block, blockIndex): readonly BlockFold[] => {
      const kind = kindOf(block, message);
      // A fold of ours hides the block already: the provider was sent its stand-in.
      if (kind === undefined || message.folds?.some((fold) => fold.blockIndex === blockIndex)) return [];
      return [{ foldId: CLEARING_FOLD_IDS[kind], kind: "clear", blockIndex, standIn: block, hiddenTokens: 0 }];
    });
    return folds.length === 0 ? message : { ...message, folds: [...(message.folds ?? []), ...folds] };
  });
}

/** The ids of the first `count` messages of a view that hold thoughts. */
export function oldestThinkers(view: readonly Message[], count: number): readonly string[] {
  const thinkers = view.filter(({ content }) => typeof content !== "string" && content.some(isThought));
  return thinkers.slice(0, count).flatMap(({ id }) => id ?? []);
}

function isThought({ type }: Block): boolean {
  return type === "reasoning" || type === "thinking" || type === "redacted_thinking";
}
