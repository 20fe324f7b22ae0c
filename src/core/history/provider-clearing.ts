import type { Block, BlockFold, Message } from "../message/message.ts";
import { isToolResult, isToolUse } from "../message/tool-pairs.ts";

/** What providers leave out of requests by themselves: old results of tools, and old thoughts. */
export type ClearingKind = "results" | "thoughts";

/** What a provider left out of the newest request. The log and its folds know nothing of it: the request was sent whole. */
export interface ProviderClearing {
  /** The calls whose results it left out. */
  readonly toolUseIds: readonly string[];
  /** Whether it left out what these calls were made with, too. */
  readonly hidesInputs: boolean;
  /** The ids of the messages whose thoughts it left out. */
  readonly thoughtsOf: readonly string[];
}

/** What a session keeps of a report. */
export interface RecordedClearing extends ProviderClearing {
  /** Whether what the report before says is left out too. @default false: this is all of it */
  readonly isAddition?: true;
}

/** What is left out is recalled and restored by these ids, like what a fold hides. */
export const CLEARING_FOLD_IDS: Readonly<Record<ClearingKind, string>> = {
  results: "provider-clear-results",
  thoughts: "provider-clear-thoughts",
};

export function isNothingCleared({ toolUseIds, thoughtsOf }: ProviderClearing): boolean {
  return toolUseIds.length === 0 && thoughtsOf.length === 0;
}

/**
 * The log as if what the provider left out were folded, so that it is found and listed like anything hidden. Never for a view: what the provider
 * leaves out is sent to it.
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
      // A fold of ours is what the provider got: it hides the block already.
      if (kind === undefined || message.folds?.some((fold) => fold.blockIndex === blockIndex)) return [];
      return [{ foldId: CLEARING_FOLD_IDS[kind], kind: "clear", blockIndex, standIn: block, hiddenTokens: 0 }];
    });
    return folds.length === 0 ? message : { ...message, folds: [...(message.folds ?? []), ...folds] };
  });
}

/** The ids of the messages that hold the oldest thoughts of a view, `count` of them. */
export function oldestThinkers(view: readonly Message[], count: number): readonly string[] {
  const thinkers = view.filter(({ content }) => typeof content !== "string" && content.some(isThought));
  return thinkers.slice(0, count).flatMap(({ id }) => id ?? []);
}

function isThought({ type }: Block): boolean {
  return type === "reasoning" || type === "thinking" || type === "redacted_thinking";
}
