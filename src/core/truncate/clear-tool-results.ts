import { assertNumber, assertObject } from "../assert.ts";
import { checkMessages } from "../message/check-messages.ts";
import { newFoldId } from "../message/fold-id.ts";
import type { CountTokens, Message } from "../message/message.ts";
import { findStanding, partsOfBlock } from "../standing/find-standing.ts";
import { resultText } from "../standing/result-text.ts";
import type { StandingPart } from "../standing/standing-part.ts";
import { checkedCounter } from "../tokens/checked-counter.ts";
import { describeCall } from "../tool-calls/stand-in-call.ts";
import { standInText } from "./stand-in.ts";
import {
  type BlockFoldResult,
  countResultTokens,
  findVisibleResults,
  foldBatch,
  type GainfulRequest,
  type VisibleResult,
} from "./tool-results.ts";
import { isBoundWhole, stubWithBound } from "./trim-units.ts";

/** How many of the newest results are never cleared unless the caller says otherwise. */
export const DEFAULT_KEEP_NEWEST = 10;

export interface ClearOptions {
  /** @default countContentTokens */
  readonly countTokens?: CountTokens;
  /** Fold ids follow from it. @default "" */
  readonly taskId?: string;
  /** So many of the newest visible results stay as they are. @default 10 */
  readonly keepNewest?: number;
  /** Less than this is not worth breaking the cached prefix for: then nothing is cleared. @default 2_000 */
  readonly minGainTokens?: number;
}

/**
 * Shows old tool results as one-line stubs that name the tool and its main argument, all in one fold.
 *
 * Results that bind the agent or are in messages marked important, stubs and pointers of earlier folds, and results no larger than their stub stay
 * as they are.
 * @example
 * ```ts
 * import { clearToolResults, type Message } from "palimpsest/core";
 * const read = (id: string): Message[] => [
 *   { role: "assistant", content: [{ type: "tool_use", id, name: "read_file", input: { path: `${id}.ts` } }] },
 *   { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: `line of ${id}\n`.repeat(300) }] },
 * ];
 * console.log(clearToolResults([...read("a"), ...read("b"), ...read("c")], { keepNewest: 1 }).blocks); // 2
 * ```
 */
export function clearToolResults(messages: readonly Message[], options: ClearOptions = {}): BlockFoldResult {
  checkMessages(messages);
  assertObject("options", options);
  const countTokens = checkedCounter(options.countTokens);
  const { taskId = "", keepNewest = DEFAULT_KEEP_NEWEST, minGainTokens = 2_000 } = options;
  assertNumber("keepNewest", keepNewest, 0);
  assertNumber("minGainTokens", minGainTokens);
  const foldId = newFoldId("clear", taskId, messages);
  const results = findVisibleResults(messages);
  const standing = findStanding(messages);
  const requests = results
    .slice(0, Math.max(0, results.length - keepNewest))
    .filter((result) => !isStub(result) && result.message.important !== true)
    .map((result) => ({ ...result, parts: partsOfBlock(standing, result.messageIndex, result.blockIndex) }))
    .filter(({ parts }) => !isBoundWhole(parts))
    .map((result) => requestStub(result, foldId, countTokens))
    .filter((request) => request.gainTokens > 0);
  return foldBatch(messages, { foldId, kind: "clear", requests, minGainTokens });
}

function isStub({ shownBy }: VisibleResult): boolean {
  return shownBy !== undefined && shownBy.kind !== "clip" && shownBy.kind !== "resolve";
}

type BoundResult = VisibleResult & { readonly parts: readonly StandingPart[] };

function requestStub(result: BoundResult, foldId: string, countTokens: CountTokens): GainfulRequest {
  const { messageIndex, blockIndex, block, call, shownBy, parts } = result;
  const tokens = countResultTokens(result, countTokens);
  const shownTokens = shownBy === undefined ? tokens : countTokens([shownBy.standIn]);
  const stub = standInText({ foldId, what: describeCall(call), tokens });
  const standIn = { ...block, content: stubWithBound(stub, resultText(block), parts) };
  const stubTokens = countTokens([standIn]);
  const gained = { hiddenTokens: tokens - stubTokens, gainTokens: shownTokens - stubTokens };
  return { messageIndex, blockIndex, standIn, ...gained };
}
