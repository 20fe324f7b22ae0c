import { readGrowth } from "../../adapters/splice/read-once.ts";
import { isCompactionAccount } from "../../core/message/compaction.ts";
import {
  collectStandIns,
  isHidden,
  isStandIn,
  renderMessage,
  type StandIns,
} from "../../core/message/effective-view.ts";
import type { Message } from "../../core/message/message.ts";
import type { WirePart } from "../../core/ports/wire-adapter.ts";
import type { SessionSnapshot } from "../../engine/session/session.ts";

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
  const { entries, spokenCount } = shownIn(log);
  const isWhole = messageCount + offset >= spokenCount;
  if (!isWhole || !isViewOf(entries, view)) return walkLog({ log, view }, messageCount, offset);
  const parts = entries.map(({ message, index }) =>
    partOf(message, index === undefined || index < offset ? undefined : index - offset),
  );
  for (let index = spokenCount - offset; index < messageCount; index++) parts.push({ type: "original", index });
  return parts;
}

/** A message of a log that its view shows. */
interface ShownMessage {
  readonly message: Message;
  /** How many messages were said before it; undefined where it was never said. */
  readonly index: number | undefined;
}

interface ShownMessages {
  readonly entries: readonly ShownMessage[];
  readonly standIns: StandIns;
  readonly spokenCount: number;
}

const NOTHING_SHOWN: ShownMessages = { entries: [], standIns: collectStandIns([]), spokenCount: 0 };

/** What a log shows. Only where a stand-in was added, which hides what came before it, all messages are looked at again. */
const shownIn = readGrowth(NOTHING_SHOWN, (known, added: readonly Message[], log) =>
  added.some(isStandIn) ? addShown({ ...NOTHING_SHOWN, standIns: collectStandIns(log) }, log) : addShown(known, added),
);

function addShown({ entries, standIns, spokenCount }: ShownMessages, added: readonly Message[]): ShownMessages {
  const shown = [...entries];
  let index = spokenCount;
  for (const message of added) {
    const isOurs = isStandIn(message);
    if (!isHidden(message, standIns)) shown.push({ message, index: isOurs ? undefined : index });
    if (!isOurs) index += 1;
  }
  return { entries: shown, standIns, spokenCount: index };
}

function isViewOf(entries: readonly ShownMessage[], view: readonly Message[]): boolean {
  // A view has the log's own objects, in order, and one rendered object for each message with folds.
  return (
    entries.length === view.length && entries.every(({ message }, index) => renderMessage(message) === view[index])
  );
}

/** The same where the request is only the beginning of the log, or the view shows something else than the log's tags say. */
function walkLog(
  { log, view }: Pick<SessionSnapshot, "log" | "view">,
  messageCount: number,
  offset: number,
): readonly WirePart[] | undefined {
  const parts: WirePart[] = [];
  let index = 0 - offset;
  for (const message of log) {
    const isOurs = isStandIn(message);
    if (!isOurs && index >= messageCount) return hidesAcross(log, messageCount + offset) ? undefined : parts;
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
