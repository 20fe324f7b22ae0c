import { hidingFolds } from "../message/block-folds.ts";
import { type Block, type CountTokens, isKnownBlock, type Message, type ToolUseBlock } from "../message/message.ts";
import { contentBlocks, isToolResult, isToolUse } from "../message/tool-pairs.ts";
import { partsOfBlock, type Standing } from "../standing/find-standing.ts";
import { resultText } from "../standing/result-text.ts";
import type { StandingPart, TextSpan } from "../standing/standing-part.ts";
import { countBlockTokens } from "../tokens/count-messages.ts";
import { describeCall } from "../tool-calls/stand-in-call.ts";
import { clipItem } from "./clip/clip-item.ts";
import { fileFor, type NamedFile, type OffloadRule } from "./offload.ts";
import { standInText, textInPlaceOf } from "./stand-in.ts";
import type { GainfulRequest } from "./tool-results.ts";

/** Whether a block binds as a whole. */
export function isBoundWhole(parts: readonly StandingPart[]): boolean {
  return parts.some(({ span }) => span === undefined);
}

/** A stub in place of a text, with the parts of the text that bind below it. */
export function stubWithBound(stub: string, text: string, parts: readonly StandingPart[]): string {
  return [stub, ...spansOf(parts).map(({ start, end }) => text.slice(start, end))].join("\n");
}

/** A message of a unit that stays visible because something in the unit binds. */
export interface KeptMessage {
  readonly logIndex: number;
  /** Without its folds applied. */
  readonly original: Message;
}

export interface TrimOptions {
  readonly standing: Standing;
  readonly foldId: string;
  readonly countTokens: CountTokens;
  /** Which tool results are moved to files that their stubs name. @default none */
  readonly offload?: OffloadRule | undefined;
}

/** Smaller blocks are not worth a stand-in. */
const LEAST_TRIMMED_TOKENS = 100;
/** How much is left of a text, or of a call's arguments. */
const TRIMMED_TOKENS = 60;

/**
 * Stand-ins for the parts that do not bind in messages that stay for the parts that do: of a tool result with a reminder in it, only the reminder
 * is needed. Reasoning stays, as it may be signed, and so do unknown blocks.
 */
export function trimUnits(kept: readonly KeptMessage[], options: TrimOptions): readonly GainfulRequest[] {
  const calls = new Map<string, ToolUseBlock>();
  const requests: GainfulRequest[] = [];
  for (const { logIndex, original } of kept) {
    const folds = new Map(hidingFolds(original).map((fold) => [fold.blockIndex, fold]));
    for (const [blockIndex, block] of blocksOf(original).entries()) {
      if (isToolUse(block)) calls.set(block.id, block);
      const fold = folds.get(blockIndex);
      if (fold?.kind === "clear" || fold?.kind === "dedupe") continue;
      const shown = fold?.kind === "resolve" ? fold.standIn : block;
      const shownTokens = fold?.kind === "clip" ? options.countTokens([fold.standIn]) : undefined;
      // A resolved pointer shows the output of another call, which no file of this block holds.
      const offload = shown === block ? options.offload : undefined;
      const request = trimBlock(shown, { ...options, logIndex, blockIndex, calls, shownTokens, offload });
      if (request !== undefined) requests.push(request);
    }
  }
  return requests;
}

/** A message's blocks, indexed as folds and standing parts index them: a string is one text block. */
export function blocksOf({ content }: Message): readonly Block[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : contentBlocks(content);
}

interface BlockPlace extends TrimOptions {
  readonly logIndex: number;
  readonly blockIndex: number;
  readonly calls: ReadonlyMap<string, ToolUseBlock>;
  /** The tokens that the view shows of the block, where an earlier fold clipped it. */
  readonly shownTokens: number | undefined;
}

function trimBlock(block: Block, place: BlockPlace): GainfulRequest | undefined {
  const { standing, logIndex, blockIndex, countTokens, offload } = place;
  const parts = partsOfBlock(standing, logIndex, blockIndex);
  if (isBoundWhole(parts)) return undefined;
  const tokens = countBlockTokens(block, countTokens);
  const file = fileFor(block, tokens, offload);
  const standIn = tokens < LEAST_TRIMMED_TOKENS ? undefined : standInFor(block, parts, { ...place, tokens, file });
  if (standIn === undefined) return undefined;
  const standInTokens = countTokens([standIn]);
  const gainTokens = (place.shownTokens ?? tokens) - standInTokens;
  if (gainTokens <= 0) return undefined;
  const hiddenTokens = tokens - standInTokens;
  return { messageIndex: logIndex, blockIndex, standIn, hiddenTokens, gainTokens, file: file?.name };
}

/** The parts of a text that bind, in order; a part inside another one is left out. */
export function spansOf(parts: readonly StandingPart[]): readonly TextSpan[] {
  const spans = parts.flatMap(({ span }) => span ?? []).toSorted((one, other) => one.start - other.start);
  // A rule may lie inside another binding part.
  return spans.filter(({ end }, index) => !spans.slice(0, index).some((before) => before.end >= end));
}

function standInFor(
  block: Block,
  parts: readonly StandingPart[],
  {
    foldId,
    calls,
    countTokens,
    tokens,
    file,
  }: BlockPlace & { readonly tokens: number; readonly file: NamedFile | undefined },
): Block | undefined {
  if (isToolResult(block)) {
    const what = describeCall(calls.get(block.tool_use_id));
    const stub = standInText({ foldId, what, tokens, path: file?.path });
    return { ...block, content: stubWithBound(stub, resultText(block), parts) };
  }
  if (!isKnownBlock(block)) return undefined;
  switch (block.type) {
    case "text":
      if (parts.length === 0) return clipped(block, { foldId, countTokens, tokens });
      return { ...block, text: stubWithBound(standInText({ foldId, tokens }), block.text, parts) };
    case "tool_use":
      return clipped(block, { foldId, countTokens, tokens });
    case "image":
      return textInPlaceOf(block, standInText({ foldId, what: "image" }));
    case "reasoning":
    case "tool_result":
      return undefined;
  }
}

function clipped(
  block: Block,
  { foldId, countTokens, tokens }: Pick<BlockPlace, "foldId" | "countTokens"> & { readonly tokens: number },
): Block {
  const measure = (item: Block) => countTokens([item]);
  return clipItem(block, { budgetTokens: TRIMMED_TOKENS, totalTokens: tokens, measure, foldId });
}
