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
import type { PlacedMessage } from "../../engine/session/log-outline.ts";
import type { OutlinedSession, SessionSnapshot } from "../../engine/session/session-snapshot.ts";

/** The parts that are sent: all but accounts of the provider's compactions, which only we read. */
export function sentParts(parts: readonly WirePart[]): readonly WirePart[] {
  return parts.filter((part) => part.type !== "stand-in" || !isCompactionAccount(part.message));
}

/** A session's log or outline, with its view. */
export type ShownSession =
  | Pick<SessionSnapshot, "log" | "outline" | "view">
  | Pick<OutlinedSession, "log" | "outline" | "view">;

/**
 * The parts of a body that shows a request as the session's view. The request's first messages are those of the log, in order, from the index
 * `offset` on (stand-ins not counted); later messages are sent unchanged. A request may also hold only the beginning of the log: then undefined
 * where a stand-in hides both messages of the request and later ones. Also undefined where the view is not of this log, or only the whole log
 * could tell.
 */
export function wireView(
  { log, outline, view }: ShownSession,
  messageCount: number,
  offset = 0,
): readonly WirePart[] | undefined {
  const { entries, spokenCount } =
    log === undefined ? { entries: outline.visible, spokenCount: outline.saidMessages } : shownIn(log);
  const isWhole = messageCount + offset >= spokenCount;
  if (!isWhole || !isViewOf(entries, view)) return log && walkLog({ log, view }, messageCount, offset);
  const parts = entries.map(({ message, place }) =>
    partOf(message, place === undefined || place < offset ? undefined : place - offset),
  );
  for (let index = spokenCount - offset; index < messageCount; index++) parts.push({ type: "original", index });
  return parts;
}

interface ShownMessages {
  /** The messages of a log that its view shows. */
  readonly entries: readonly PlacedMessage[];
  readonly standIns: StandIns;
  readonly spokenCount: number;
}

const NOTHING_SHOWN: ShownMessages = { entries: [], standIns: collectStandIns([]), spokenCount: 0 };

/** The visible messages of a log that may have grown since the last call. All messages are read again only where a stand-in was added. */
const shownIn = readGrowth(NOTHING_SHOWN, (known, added: readonly Message[], log) =>
  added.some(isStandIn) ? addShown({ ...NOTHING_SHOWN, standIns: collectStandIns(log) }, log) : addShown(known, added),
);

function addShown({ entries, standIns, spokenCount }: ShownMessages, added: readonly Message[]): ShownMessages {
  const shown = [...entries];
  let place = spokenCount;
  for (const message of added) {
    const isOurs = isStandIn(message);
    if (!isHidden(message, standIns)) shown.push({ message, place: isOurs ? undefined : place });
    if (!isOurs) place += 1;
  }
  return { entries: shown, standIns, spokenCount: place };
}

function isViewOf(entries: readonly PlacedMessage[], view: readonly Message[]): boolean {
  // A view has the log's own objects, in order, and one rendered object for each message with folds.
  return (
    entries.length === view.length && entries.every(({ message }, index) => renderMessage(message) === view[index])
  );
}

/** `wireView` where the request is only the beginning of the log, or the view shows other messages than the log's tags say. */
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

/** Whether some fold hides messages both before and after this point of the log, or has its stand-in on the other side of what it hides. */
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
