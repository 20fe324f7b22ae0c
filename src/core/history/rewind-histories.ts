import { assert, assertArray, assertObject } from "../assert.ts";
import { collectStandIns, isStandIn, markerId, type StandIns, summaryId } from "../message/effective-view.ts";
import type { Message } from "../message/message.ts";
import { withoutField } from "./clean-up.ts";
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
  /** Index of the UI message to go back to. Without one to keep it may also be their number, which cuts nothing. */
  readonly targetIndex: number;
}

/**
 * Both histories as they were at an earlier moment: what came later is gone, and so are the folds that were made later.
 * An array in which nothing changed is the same object.
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
  // A stand-in may be older than the cut though its fold was made later: its time only says where it stands.
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

/** Whether a message stands for one of these folds. */
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
 * Clears tags whose summary or marker is not in the log; the same array where there are none. Contents are not looked at:
 * a history with parts that we could not send can still be rewound.
 */
function clearOrphanTags(messages: readonly Message[]): readonly Message[] {
  const { condenseIds, truncationIds } = collectStandIns(messages);
  const isOrphan = (parent: string | undefined, ids: ReadonlySet<string>) => parent !== undefined && !ids.has(parent);
  const cleared = messages.map((message) => {
    const shown = isOrphan(message.condenseParent, condenseIds) ? withoutField(message, "condenseParent") : message;
    return isOrphan(message.truncationParent, truncationIds) ? withoutField(shown, "truncationParent") : shown;
  });
  return cleared.every((message, index) => message === messages[index]) ? messages : cleared;
}

interface SaidMessage {
  readonly index: number;
  readonly role: Message["role"];
  readonly ts: number;
}

/**
 * The index from which on the API history lies at or after a UI message; its length where nothing does.
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
