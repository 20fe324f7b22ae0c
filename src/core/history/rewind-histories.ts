import { assert, assertArray, assertObject } from "../assert.ts";
import { collectStandIns, isStandIn, markerId, type StandIns, summaryId } from "../message/effective-view.ts";
import type { Message } from "../message/message.ts";
import { withoutOrphanTags } from "./clean-up.ts";
import { checkUiMessages, collectFoldEvents, isFoldEvent, type UiMessage } from "./ui-messages.ts";

/** The two histories of a task: what the person saw, and what the model saw. */
export interface TaskHistories {
  readonly clineMessages: readonly UiMessage[];
  readonly apiConversationHistory: readonly Message[];
}

export interface RewindOptions {
  /**
   * Keeps the target in the UI history, as when it is edited; the API history ends before it all the same, for its new
   * version is still to be sent.
   * @default false
   */
  readonly includeTargetMessage?: boolean;
  /** Leaves tags that point to nothing on the messages; they hide nothing. @default false */
  readonly skipCleanup?: boolean;
}

export interface RewindCut extends RewindOptions {
  /** Index of the UI message to go back to. Without `includeTargetMessage` it may also be the number of UI messages, which cuts nothing. */
  readonly targetIndex: number;
}

/**
 * Both histories as they were at an earlier moment: without later messages, and without the folds that were made later.
 * A history that does not change is returned as the same array.
 *
 * Histories are cut by position, so that messages whose clock went backwards go or stay with their neighbours. API
 * messages without a time stay.
 */
export function rewindHistories(histories: TaskHistories, cut: RewindCut): TaskHistories {
  const { clineMessages, apiConversationHistory } = histories;
  checkUiMessages("clineMessages", clineMessages);
  checkApiMessages(apiConversationHistory);
  const { targetIndex, includeTargetMessage = false, skipCleanup = false } = cut;
  const lastIndex = clineMessages.length - (includeTargetMessage ? 1 : 0);
  const isWithin = Number.isInteger(targetIndex) && targetIndex >= 0 && targetIndex <= lastIndex;
  assert(isWithin, "index", targetIndex, indexRange(lastIndex));

  const target = clineMessages[targetIndex];
  const keptEvents = clineMessages.slice(0, includeTargetMessage ? targetIndex + 1 : targetIndex);
  const undone = collectFoldEvents(clineMessages.slice(keptEvents.length));
  const boundary =
    target === undefined ? apiConversationHistory.length : findApiBoundary(apiConversationHistory, target);
  // The time of a stand-in only says where it stands: it may be before the cut although its fold was made later.
  const keptMessages = apiConversationHistory.filter(
    (message, index) => !isStandInOf(message, undone) && (index < boundary || typeof message.ts !== "number"),
  );
  const cutHistory = sameIfWhole(apiConversationHistory, keptMessages);
  return {
    clineMessages: sameIfWhole(clineMessages, keptEvents),
    apiConversationHistory: skipCleanup ? cutHistory : clearOrphanTags(cutHistory),
  };
}

function checkApiMessages(messages: unknown): void {
  assertArray("apiConversationHistory", messages);
  for (const [index, message] of messages.entries()) assertObject(`apiConversationHistory[${index}]`, message);
}

function indexRange(lastIndex: number): string {
  return lastIndex < 0
    ? "that of a message, and clineMessages holds none to keep"
    : `a whole number from 0 to ${lastIndex}`;
}

/** Whether a message is the stand-in of one of these folds. */
function isStandInOf(message: Message, { condenseIds, truncationIds }: StandIns): boolean {
  const [condenseId, truncationId] = [summaryId(message), markerId(message)];
  return (
    (condenseId !== undefined && condenseIds.has(condenseId)) ||
    (truncationId !== undefined && truncationIds.has(truncationId))
  );
}

function sameIfWhole<Item>(whole: readonly Item[], part: readonly Item[]): readonly Item[] {
  return part.length === whole.length ? whole : part;
}

/**
 * Clears tags whose summary or marker is not in the log; the same array where there are none. Unlike `cleanupAfterTruncation`, it does not check
 * the messages: a history with parts that we could not send can still be rewound.
 */
function clearOrphanTags(messages: readonly Message[]): readonly Message[] {
  const standIns = collectStandIns(messages);
  const cleared = messages.map((message) => withoutOrphanTags(message, standIns));
  return cleared.every((message, index) => message === messages[index]) ? messages : cleared;
}

interface SaidMessage {
  readonly index: number;
  readonly role: Message["role"];
  readonly ts: number;
}

/**
 * The index of the first API message that is as old as a UI message or younger; the length of the history where there is none.
 *
 * While a reply streams, a UI message may be older than the API message it belongs to, and than the reply that it answers.
 * So, where no API message has its time but some are older, the history is cut at the first user message from then on.
 */
function findApiBoundary(messages: readonly Message[], target: UiMessage): number {
  const said = messages.flatMap((message, index) => saidMessage(message, index));
  const exact = said.find(({ ts }) => ts === target.ts);
  if (exact !== undefined) return exact.index;
  const later = said.filter(({ ts }) => ts > target.ts);
  // A fold happens between two requests and has no API message that could come late: its time is exact.
  const mayRace = later.length < said.length && !isFoldEvent(target);
  const boundary = (mayRace ? later.find(({ role }) => role === "user") : undefined) ?? later[0];
  return boundary?.index ?? messages.length;
}

/** Summaries and markers are left out: their times only say where they stand, and some have the role of a user. */
function saidMessage(message: Message, index: number): readonly SaidMessage[] {
  const { role, ts } = message;
  return typeof ts !== "number" || isStandIn(message) ? [] : [{ index, role, ts }];
}
