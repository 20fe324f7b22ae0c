import { isCompactionAccount } from "../../core/message/compaction.ts";
import { isStandIn, renderMessage } from "../../core/message/effective-view.ts";
import type { Message } from "../../core/message/message.ts";
import type { WirePart } from "../../core/ports/wire-adapter.ts";
import type { SessionSnapshot } from "../../engine/session/session.ts";

/** The messages of a log that were said, without summaries and markers: as an agent sends them. */
export function spokenMessages(log: readonly Message[]): readonly Message[] {
  return log.filter((message) => !isStandIn(message));
}

export function isFolded(log: readonly Message[]): boolean {
  return log.some((message) => isStandIn(message) || (message.folds ?? []).length > 0);
}

/** Whether a view of this log must be written: what only a provider hides, by a compaction of its own, can go as it came. */
export function isWritten(log: readonly Message[]): boolean {
  return log.some(
    (message) => (isStandIn(message) && message.compaction !== "provider") || (message.folds ?? []).length > 0,
  );
}

/** The parts that are sent: an account of a provider's compaction is for us alone. */
export function sentParts(parts: readonly WirePart[]): readonly WirePart[] {
  return parts.filter((part) => part.type !== "stand-in" || !isCompactionAccount(part.message));
}

/**
 * What to send of a request whose first messages are those of this log, in order, from the `offset`th on that was said, shown as in the view of it; messages behind them are sent
 * as they came. A request may also hold only the beginning of the log: undefined where a stand-in hides what is in it and what is not.
 * Undefined also where the view is of another log.
 */
export function wireView(
  { log, view }: Pick<SessionSnapshot, "log" | "view">,
  messageCount: number,
  offset = 0,
): readonly WirePart[] | undefined {
  const parts: WirePart[] = [];
  let index = 0 - offset;
  for (const message of log) {
    const isOurs = isStandIn(message);
    if (!isOurs && index >= messageCount) return hidesAcross(log, messageCount + offset) ? undefined : parts;
    // A view has the log's own objects, in order, and one rendered object for each message with folds.
    if (renderMessage(message) === view[parts.length])
      parts.push(partOf(message, isOurs || index < 0 ? undefined : index));
    if (!isOurs) index += 1;
  }
  if (parts.length !== view.length) return undefined;
  for (; index < messageCount; index++) parts.push({ type: "original", index });
  return parts;
}

function partOf(message: Message, index: number | undefined): WirePart {
  if (index === undefined) return { type: "stand-in", message };
  const { folds = [] } = message;
  return folds.length === 0 ? { type: "original", index } : { type: "folded", index, folds };
}

/** Whether some stand-in is for messages on both sides of this place, or stands on the other side of what it hides. */
function hidesAcross(log: readonly Message[], messageCount: number): boolean {
  let index = 0;
  const before = new Set<string>();
  const behind = new Set<string>();
  for (const message of log) {
    const side = index < messageCount ? before : behind;
    for (const id of [message.condenseParent, message.truncationParent, message.condenseId, message.truncationId]) {
      if (id !== undefined) side.add(id);
    }
    if (!isStandIn(message)) index += 1;
  }
  return [...before].some((id) => behind.has(id));
}
