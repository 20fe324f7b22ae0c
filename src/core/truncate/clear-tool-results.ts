import { assert, assertArray, assertNumber, assertObject } from "../assert.ts";
import { hidingFolds } from "../message/block-folds.ts";
import { checkMessages } from "../message/check-messages.ts";
import { newFoldId } from "../message/fold-id.ts";
import type { Block, CountTokens, Message, ToolUseBlock } from "../message/message.ts";
import { isToolUse } from "../message/tool-pairs.ts";
import { findStanding, partsOfBlock, type Standing } from "../standing/find-standing.ts";
import { resultText } from "../standing/result-text.ts";
import type { StandingPart } from "../standing/standing-part.ts";
import { checkedCounter } from "../tokens/checked-counter.ts";
import { countBlockTokens } from "../tokens/count-messages.ts";
import { describeCall } from "../tool-calls/stand-in-call.ts";
import { clipItem } from "./clip/clip-item.ts";
import { checkOffload, fileFor, type OffloadRule } from "./offload.ts";
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

/** The options of clearing that callers of the whole ladder may set. */
export type ClearRules = Pick<ClearOptions, "excludeTools" | "placeholder">;

export interface ClearOptions {
  /** @default countContentTokens */
  readonly countTokens?: CountTokens;
  /** Fold ids follow from it. @default "" */
  readonly taskId?: string;
  /** So many of the newest visible results stay as they are. @default 10, or none where `messageIds` names them */
  readonly keepNewest?: number;
  /** Only results in messages with these ids are cleared. @default all that are old enough */
  readonly messageIds?: readonly string[];
  /** Less than this is not worth breaking the cached prefix for: then nothing is cleared. @default 2_000 */
  readonly minGainTokens?: number;
  /** Results of the tools with these names stay. @default none */
  readonly excludeTools?: readonly string[];
  /** Whether long arguments of the calls whose results are old enough are shown by head and tail, in the same fold. @default false */
  readonly clearToolInputs?: boolean;
  /** What a stub says in place of the tool and its main argument. @default the tool and its main argument */
  readonly placeholder?: string | undefined;
  /** Which results are moved to files that their stubs name. @default none */
  readonly offload?: OffloadRule | undefined;
}

/**
 * Shows old tool results as one-line stubs that name the tool and its main argument, all in one fold.
 *
 * These stay as they are: results that bind the agent or are in messages marked important, results of excluded tools, stubs and pointers of earlier
 * folds, and results no larger than their stub.
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
  const { taskId = "", messageIds, minGainTokens = 2_000 } = options;
  const { keepNewest = messageIds === undefined ? DEFAULT_KEEP_NEWEST : 0 } = options;
  assertNumber("keepNewest", keepNewest, 0);
  assertNumber("minGainTokens", minGainTokens);
  const { excludeTools = [], clearToolInputs = false, placeholder } = options;
  assertArray("excludeTools", excludeTools);
  if (messageIds !== undefined) assertArray("messageIds", messageIds);
  assert(typeof clearToolInputs === "boolean", "clearToolInputs", clearToolInputs, "true or false");
  assert(placeholder === undefined || typeof placeholder === "string", "placeholder", placeholder, "a text");
  checkOffload(options.offload);
  const foldId = newFoldId("clear", taskId, messages);
  const results = findVisibleResults(messages);
  const standing = findStanding(messages);
  const chosenIds = messageIds && new Set(messageIds);
  const old = results
    .slice(0, Math.max(0, results.length - keepNewest))
    .filter(({ message: { id } }) => chosenIds === undefined || (id !== undefined && chosenIds.has(id)))
    .filter(({ call }) => call === undefined || !excludeTools.includes(call.name));
  const requests = old
    .filter((result) => !isStub(result) && result.message.important !== true)
    .map((result) => ({ ...result, parts: partsOfBlock(standing, result.messageIndex, result.blockIndex) }))
    .filter(({ parts }) => !isBoundWhole(parts))
    .map((result) => requestStub(result, { foldId, countTokens, placeholder, offload: options.offload }))
    .filter((request) => request.gainTokens > 0);
  const calls = clearToolInputs ? old.flatMap(({ call }) => call ?? []) : [];
  const inputs = clipInputs(messages, { calls: new Set(calls), standing, foldId, countTokens });
  return foldBatch(messages, { foldId, kind: "clear", requests: [...inputs, ...requests], minGainTokens });
}

function isStub({ shownBy }: VisibleResult): boolean {
  return shownBy !== undefined && shownBy.kind !== "clip" && shownBy.kind !== "resolve";
}

type BoundResult = VisibleResult & { readonly parts: readonly StandingPart[] };

interface StubOptions {
  readonly foldId: string;
  readonly countTokens: CountTokens;
  readonly placeholder: string | undefined;
  readonly offload: OffloadRule | undefined;
}

/** The fold of one result: a stub that names the call, and below it the parts of the result that bind. */
function requestStub(result: BoundResult, { foldId, countTokens, placeholder, offload }: StubOptions): GainfulRequest {
  const { messageIndex, blockIndex, block, call, shownBy, parts } = result;
  const tokens = countResultTokens(result, countTokens);
  const shownTokens = shownBy === undefined ? tokens : countTokens([shownBy.standIn]);
  const file = fileFor(block, tokens, offload);
  const stub = standInText({ foldId, what: placeholder ?? describeCall(call), tokens, path: file?.path });
  const standIn = { ...block, content: stubWithBound(stub, resultText(block), parts) };
  const stubTokens = countTokens([standIn]);
  const gained = { hiddenTokens: tokens - stubTokens, gainTokens: shownTokens - stubTokens };
  return { messageIndex, blockIndex, standIn, ...gained, file: file?.name };
}

/** Shorter arguments are not worth a stand-in. */
const LEAST_INPUT_TOKENS = 200;
/** How much is left of longer ones: their keys, and the beginning and end of their values. */
const CLEARED_INPUT_TOKENS = 60;

interface InputOptions {
  readonly calls: ReadonlySet<ToolUseBlock>;
  readonly standing: Standing;
  readonly foldId: string;
  readonly countTokens: CountTokens;
}

/** Clips the long arguments of these calls: a file that was written long ago can be read from the disk. */
function clipInputs(
  messages: readonly Message[],
  { calls, standing, foldId, countTokens }: InputOptions,
): readonly GainfulRequest[] {
  if (calls.size === 0) return [];
  const measure = (block: Block) => countTokens([block]);
  return messages.flatMap((message, messageIndex) => {
    if (message.important === true || typeof message.content === "string") return [];
    return message.content.flatMap((block, blockIndex): readonly GainfulRequest[] => {
      const isFolded = hidingFolds(message).some((fold) => fold.blockIndex === blockIndex);
      if (!isToolUse(block) || !calls.has(block) || isFolded) return [];
      const totalTokens = countBlockTokens(block, countTokens);
      if (totalTokens < LEAST_INPUT_TOKENS || partsOfBlock(standing, messageIndex, blockIndex).length > 0) return [];
      const standIn = clipItem(block, { budgetTokens: CLEARED_INPUT_TOKENS, totalTokens, measure, foldId });
      const gainTokens = totalTokens - measure(standIn);
      return gainTokens > 0 ? [{ messageIndex, blockIndex, standIn, hiddenTokens: gainTokens, gainTokens }] : [];
    });
  });
}
