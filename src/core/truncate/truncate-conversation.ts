import { checkMessages } from "../message/check-messages.ts";
import { isPinned } from "../message/compaction.ts";
import { collectStandIns, isHidden, isStandIn, renderMessage } from "../message/effective-view.ts";
import { newFoldId } from "../message/fold-id.ts";
import type { Message } from "../message/message.ts";
import { detectPairs, hasOpenToolUse } from "../message/tool-pairs.ts";
import { detectUnits } from "../message/units.ts";
import { findStanding, isStanding } from "../standing/find-standing.ts";
import { decides } from "../text/decisions/decides.ts";
import { spokenTexts } from "../text/message-texts.ts";
import { countMessagesTokens } from "../tokens/count-messages.ts";
import { applyTruncation } from "./apply-truncation.ts";
import { assertFraction } from "./fit-options.ts";

export interface TruncationResult {
  readonly messages: readonly Message[];
  /** Names the marker; absent when nothing could be hidden. */
  readonly truncationId?: string;
  readonly messagesRemoved: number;
}

/**
 * Hides the oldest visible messages after the first one behind a marker: `fracToRemove` of them, rounded down to an
 * even number.
 *
 * Tool pairs are hidden whole or not at all, so a few more messages may be hidden than asked for. Messages marked important or with something that
 * binds the agent stay, and younger ones are hidden in their place; so do the newest short messages in which something was decided, while
 * others can be hidden. A tool call that is still running stays with its turn. When nothing can be hidden, `messages` is the same array and
 * `messagesRemoved` is 0.
 * @example
 * ```ts
 * import { type Message, truncateConversation } from "palimpsest/core";
 * const log = Array.from({ length: 9 }, (_, at): Message => ({ role: at % 2 === 0 ? "user" : "assistant", content: `Turn ${at}.` }));
 * console.log(truncateConversation(log, 0.5, "task-42").messagesRemoved); // 4
 * ```
 */
export function truncateConversation(
  messages: readonly Message[],
  fracToRemove: number,
  taskId: string,
): TruncationResult {
  checkMessages(messages);
  assertFraction("fracToRemove", fracToRemove);
  const standIns = collectStandIns(messages);
  // Markers are neither counted nor hidden: only what a person or the model said makes room.
  const visible = [...messages.keys()].filter((index) => {
    const message = messages[index];
    return message !== undefined && message.isTruncationMarker !== true && !isHidden(message, standIns);
  });
  const wanted = Math.floor((visible.length - 1) * fracToRemove);
  const hidden = selectHidden(messages, visible, wanted - (wanted % 2));
  const lastHidden = hidden.at(-1);
  if (lastHidden === undefined) return { messages, messagesRemoved: 0 };

  const truncationId = newFoldId("truncate", taskId, messages);
  const tokens = countMessagesTokens(hidden.flatMap((index) => messages[index] ?? []).map(renderMessage));
  const total = { messages: hidden.length, tokens };
  const firstKept = visible.find((index) => index > lastHidden) ?? messages.length;
  return {
    messages: applyTruncation(messages, { truncationId, hidden: new Set(hidden), firstKept, total }),
    truncationId,
    messagesRemoved: hidden.length,
  };
}

/** The log indexes of the `count` oldest messages that may be hidden, in whole units, ascending. */
function selectHidden(messages: readonly Message[], visible: readonly number[], count: number): readonly number[] {
  const standing = findStanding(messages);
  const deciding = newestDeciding(messages, visible);
  for (const spared of [deciding, NONE]) {
    const mayHide = (index: number) => !isStanding(standing, index) && !spared.has(index);
    const unbound = takeOldest(messages, visible, { count, mayHide });
    if (unbound.length >= count) return unbound;
  }
  // So large a share cannot be hidden without the person's requests.
  return takeOldest(messages, visible, {
    count,
    mayHide: (index) => (standing.get(index) ?? []).every(({ kind }) => kind === "request" || kind === "task"),
  });
}

const NONE: ReadonlySet<number> = new Set();
const MOST_DECIDING = 8;
const MOST_DECIDING_CHARACTERS = 1_200;

/** The newest short messages in which something was decided: they stay while others can go. */
function newestDeciding(messages: readonly Message[], visible: readonly number[]): ReadonlySet<number> {
  const deciding = new Set<number>();
  for (const index of visible.toReversed()) {
    const message = messages[index];
    if (message === undefined || message.isSummary === true || isStandIn(message)) continue;
    const length = spokenTexts(message).reduce((sum, text) => sum + text.length, 0);
    if (length <= MOST_DECIDING_CHARACTERS && decides(message)) deciding.add(index);
    if (deciding.size === MOST_DECIDING) break;
  }
  return deciding;
}

/** How many messages are to be hidden, and which may be. */
interface TakeOptions {
  readonly count: number;
  readonly mayHide: (logIndex: number) => boolean;
}

function takeOldest(
  messages: readonly Message[],
  visible: readonly number[],
  { count, mayHide }: TakeOptions,
): readonly number[] {
  const candidates = visible.flatMap((index) => messages[index] ?? []);
  const pairs = detectPairs(candidates);
  const hidden: number[] = [];
  for (const { start, end } of detectUnits(candidates).slice(1)) {
    if (hidden.length >= count) break;
    const unit = candidates.slice(start, end);
    const indexes = visible.slice(start, end);
    if (unit.some(isPinned) || !indexes.every(mayHide)) continue;
    // The current turn goes only when it was asked for whole, never as the rest of a pair or while a call is running.
    const isCurrentTurn = end === candidates.length;
    if (isCurrentTurn && (end - 1 > count || unit.some((message) => hasOpenToolUse(message, pairs)))) break;
    hidden.push(...indexes);
  }
  return hidden;
}
