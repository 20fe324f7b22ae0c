import { assertFunction, assertNumber, assertObject } from "../assert.ts";
import { checkMessages } from "../message/check-messages.ts";
import { newFoldId } from "../message/fold-id.ts";
import type { CountTokens, Message } from "../message/message.ts";
import { findStanding, partsOfBlock } from "../standing/find-standing.ts";
import { checkedCounter } from "../tokens/checked-counter.ts";
import { describeCall } from "../tool-calls/stand-in-call.ts";
import { isReadingTool, type KeyedResult, keyResult } from "./dedupe-key.ts";
import { standInText } from "./stand-in.ts";
import {
  type BlockFoldResult,
  countResultTokens,
  findVisibleResults,
  foldBatch,
  type GainfulRequest,
} from "./tool-results.ts";

export interface DedupeOptions {
  /** @default countContentTokens */
  readonly countTokens?: CountTokens;
  /** Fold ids follow from it. @default "" */
  readonly taskId?: string;
  /** Smaller results are left alone. @default 50 */
  readonly minTokens?: number;
  /** Less than this is not worth breaking the cached prefix for: then nothing is hidden. @default 500 */
  readonly minGainTokens?: number;
  /**
   * Pointers lead only to this many of the newest visible results: older ones may be cleared next.
   * @default all
   */
  readonly pointTo?: number;
  /** Whether a tool only reads, so that a newer result of the same call replaces an older one. @default by common names */
  readonly isReading?: (toolName: string) => boolean;
}

/**
 * Shows repeated tool results as pointers to the newest copy, and what the same reading call returned before it changed
 * as pointers to what it returns now, all in one fold.
 *
 * A pointer always leads to a result that is visible and whole. Errors replace only equal errors. Results that bind the agent or are in messages
 * marked important, results already folded and those no larger than their pointer stay as they are.
 * @example
 * ```ts
 * import { dedupeToolResults, type Message } from "palimpsest/core";
 * const read = (id: string): Message[] => [
 *   { role: "assistant", content: [{ type: "tool_use", id, name: "read_file", input: { path: "a.ts" } }] },
 *   { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "the same line\n".repeat(300) }] },
 * ];
 * console.log(dedupeToolResults([...read("first"), ...read("second")]).blocks); // 1
 * ```
 */
export function dedupeToolResults(messages: readonly Message[], options: DedupeOptions = {}): BlockFoldResult {
  checkMessages(messages);
  assertObject("options", options);
  const countTokens = checkedCounter(options.countTokens);
  const { taskId = "", minTokens = 50, minGainTokens = 500, isReading = isReadingTool } = options;
  const { pointTo = Number.POSITIVE_INFINITY } = options;
  assertNumber("minTokens", minTokens);
  assertNumber("minGainTokens", minGainTokens);
  assertFunction("isReading", isReading);
  const foldId = newFoldId("dedupe", taskId, messages);
  const standing = findStanding(messages);
  const newestCopies = newestResults();
  const requests: GainfulRequest[] = [];
  for (const [age, visible] of findVisibleResults(messages).toReversed().entries()) {
    if (visible.shownBy !== undefined) continue;
    const result = keyResult(visible, isReading);
    const newer = newestCopies.find(result);
    const isBound = partsOfBlock(standing, visible.messageIndex, visible.blockIndex).length > 0;
    const canHide = newer !== undefined && result.message.important !== true && !isBound;
    const request = canHide ? requestPointer(result, newer, { foldId, countTokens, minTokens }) : undefined;
    if (request !== undefined) requests.push(request);
    if (age < pointTo) newestCopies.add(result, request === undefined ? result : newer?.result);
  }
  return foldBatch(messages, { foldId, kind: "dedupe", requests: requests.toReversed(), minGainTokens });
}

interface NewerCopy {
  readonly type: "same" | "changed";
  readonly result: KeyedResult;
}

/** Indexes results, added newest first: the newest that shows each text, and the newest of each reading call. */
function newestResults() {
  const byText = new Map<string, KeyedResult>();
  const byCall = new Map<string, KeyedResult>();
  return {
    find({ text, textKey, callKey }: KeyedResult): NewerCopy | undefined {
      const same = textKey === undefined ? undefined : byText.get(textKey);
      if (same !== undefined && same.text === text) return { type: "same", result: same };
      const changed = callKey === undefined ? undefined : byCall.get(callKey);
      return changed === undefined ? undefined : { type: "changed", result: changed };
    },
    /** `shownBy` is the result itself or, where it is hidden, what its pointer names: no pointer leads to a pointer. */
    add(result: KeyedResult, shownBy: KeyedResult = result): void {
      const { textKey, callKey } = result;
      if (textKey !== undefined && shownBy === result && !byText.has(textKey)) byText.set(textKey, result);
      if (callKey !== undefined && !byCall.has(callKey)) byCall.set(callKey, shownBy);
    },
  };
}

interface PointerOptions {
  readonly foldId: string;
  readonly countTokens: CountTokens;
  readonly minTokens: number;
}

function requestPointer(
  { message, messageIndex, blockIndex, block, call }: KeyedResult,
  { type, result: newer }: NewerCopy,
  { foldId, countTokens, minTokens }: PointerOptions,
): GainfulRequest | undefined {
  const tokens = countResultTokens({ message, block }, countTokens);
  if (tokens < minTokens) return undefined;
  const place = newer.message.id === undefined ? `call ${newer.block.tool_use_id}` : `message ${newer.message.id}`;
  const where = type === "same" ? `repeated in ${place}` : `older version, newest in ${place}`;
  const standIn = { ...block, content: standInText({ foldId, what: `${describeCall(call)}, ${where}`, tokens }) };
  const hiddenTokens = tokens - countTokens([standIn]);
  return hiddenTokens > 0 ? { messageIndex, blockIndex, standIn, hiddenTokens, gainTokens: hiddenTokens } : undefined;
}
