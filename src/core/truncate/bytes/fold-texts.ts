import { foldBlocks } from "../../message/block-folds.ts";
import { newFoldId } from "../../message/fold-id.ts";
import type { BlockFold, Content, CountTokens, Message } from "../../message/message.ts";
import { findStanding } from "../../standing/find-standing.ts";
import { describeCall } from "../../tool-calls/stand-in-call.ts";
import { clipBlocks } from "../clip/clip-blocks.ts";
import { standInText } from "../stand-in.ts";
import { sum } from "../sum.ts";
import { countResultTokens, findVisibleResults, type VisibleResult } from "../tool-results.ts";
import { jsonBytes, measureViewSize, readEntries, type SizedEntry, utf8Bytes, type ViewSize } from "./view-size.ts";

/** Shows old tool results as stubs, the largest first, until the view has no more bytes than the goal or none are left. */
export function clearLargestResults(shed: Shed, { goal, countTokens, taskId }: ShedRun): Shed {
  const { messages } = shed;
  const entries = readEntries(messages);
  const old = new Set(entries.flatMap(({ standing, logIndex }) => (standing === "old" ? [logIndex] : [])));
  const foldId = newFoldId("clear", taskId, messages);
  let excess = viewBytes(entries) - goal;
  const standing = findStanding(messages);
  const stubs = findVisibleResults(messages)
    .filter(({ messageIndex }) => !standing.has(messageIndex))
    .filter(
      ({ messageIndex, shownBy }) => old.has(messageIndex) && (shownBy === undefined || LARGE_KINDS.has(shownBy.kind)),
    )
    .map((result) => stubFor(result, { foldId, countTokens }))
    .toSorted((one, other) => other.bytes - one.bytes)
    .filter(({ bytes }) => {
      const isChosen = excess > 0 && bytes > 0;
      if (isChosen) excess -= bytes;
      return isChosen;
    });
  if (stubs.length === 0) return shed;
  const folded = foldBlocks(
    messages,
    { foldId, kind: "clear" },
    stubs.map(({ request }) => request),
  );
  return { messages: folded, foldIds: [...shed.foldIds, foldId] };
}

/** Kinds of folds whose stand-in may itself be large. */
const LARGE_KINDS: ReadonlySet<string> = new Set(["clip", "resolve"]);

interface StubOptions {
  readonly foldId: string;
  readonly countTokens: CountTokens;
}

function stubFor(result: VisibleResult, { foldId, countTokens }: StubOptions) {
  const { messageIndex, blockIndex, block, call, shownBy } = result;
  const tokens = countResultTokens(result, countTokens);
  const standIn = { ...block, content: standInText({ foldId, what: describeCall(call), tokens }) };
  const hiddenTokens = tokens - countTokens([standIn]);
  return {
    request: { messageIndex, blockIndex, standIn, hiddenTokens },
    /** How many bytes smaller the view becomes. */
    bytes: jsonBytes(shownBy?.standIn ?? block) - jsonBytes(standIn),
  };
}

/** Tokens per byte of ordinary text, for a counter that gives no number. */
const TOKENS_PER_BYTE = 0.25;
const LEAST_TOKENS_PER_BYTE = 0.1;
/** A clip that misses the limit and gains less than this share is dropped: the next request would only clip a few bytes again. */
const LEAST_GAIN_SHARE = 0.1;

/** Clips the largest blocks in messages of these standings until the view has no more bytes than the goal, as far as that is possible. */
export function clipLargest(shed: Shed, standings: readonly SizedEntry["standing"][], run: ShedRun): Shed {
  const { goal, limit, countTokens, taskId } = run;
  const { messages } = shed;
  const entries = readEntries(messages);
  const bytes = viewBytes(entries);
  const scope = entries.filter(
    // A marker cannot be clipped: it names its fold, and that must stay readable.
    ({ message, standing }) => standings.includes(standing) && message.isTruncationMarker !== true,
  );
  const contents = scope.map(({ shown }) => shown.content);
  const scopeBytes = sum(contents.map(contentBytes));
  const budgetBytes = scopeBytes - (bytes - goal);
  if (scopeBytes <= budgetBytes) return shed;
  // Counts bytes, scaled to tokens by the average of these texts: blocks are cut by bytes, and the notices still speak of tokens.
  const rate = Math.max(LEAST_TOKENS_PER_BYTE, sum(contents.map(countTokens)) / scopeBytes || TOKENS_PER_BYTE);
  const { messages: clipped, foldId } = clipBlocks(messages, {
    messageIndexes: scope.map(({ logIndex }) => logIndex),
    budgetTokens: budgetBytes * rate,
    countTokens: (content) => contentBytes(content) * rate,
    taskId,
  });
  if (foldId === undefined) return shed;
  const bytesLeft = viewBytes(readEntries(clipped));
  if (bytesLeft > limit && bytesLeft > bytes * (1 - LEAST_GAIN_SHARE)) return shed;
  const counted = clipped.map((message) => recountHidden(message, foldId, countTokens));
  return { messages: counted, foldIds: [...shed.foldIds, foldId] };
}

/** Corrects the `hiddenTokens` of the fold, which were estimated from bytes. */
function recountHidden(message: Message, foldId: string, countTokens: CountTokens): Message {
  if (!message.folds?.some((fold) => fold.foldId === foldId)) return message;
  const { content } = message;
  const recount = (fold: BlockFold): BlockFold => {
    if (fold.foldId !== foldId) return fold;
    const original = typeof content === "string" ? content : content.slice(fold.blockIndex, fold.blockIndex + 1);
    return { ...fold, hiddenTokens: countTokens(original) - countTokens([fold.standIn]) };
  };
  return { ...message, folds: message.folds.map(recount) };
}

function contentBytes(content: Content): number {
  return typeof content === "string" ? utf8Bytes(JSON.stringify(content)) : jsonBytes(content);
}

function viewBytes(entries: readonly SizedEntry[]): number {
  return measureViewSize(entries.map(({ shown }) => shown)).bytes;
}

/** A log between the steps of shrinking its view. */
export interface Shed {
  readonly messages: readonly Message[];
  /** The folds that were made, in order. */
  readonly foldIds: readonly string[];
}

/** What one step of shrinking is to reach. */
export interface ShedRun {
  readonly measure: keyof ViewSize;
  /** The view must not have more than this. */
  readonly limit: number;
  /** The step ends where the view has no more than this. */
  readonly goal: number;
  readonly countTokens: CountTokens;
  readonly taskId: string;
}
