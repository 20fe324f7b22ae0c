import { checkMessages } from "./check-messages.ts";
import { frozenLog, logFacts, logSegments, segmentFacts } from "./log-segments.ts";
import type { Block, BlockFold, Content, Message } from "./message.ts";
import { repairView } from "./repair-view.ts";

/** The ids of a log's summaries and markers: only a tag that names one of them hides its message. */
export interface StandIns {
  readonly condenseIds: ReadonlySet<string>;
  readonly truncationIds: ReadonlySet<string>;
}

/**
 * Returns the view of a log: the messages that are sent to the model. It leaves out messages whose summary or marker is in the log, and shows
 * folded blocks as their stand-ins. Everything else stays, in order, as the same object; only what no provider would take is repaired (see `repairView`).
 * @example
 * ```ts
 * import { getEffectiveApiHistory, type Message } from "palimpsest";
 * const log: Message[] = [
 *   { role: "user", content: "Read all files.", condenseParent: "c1" },
 *   { role: "assistant", content: "All files are read.", isSummary: true, condenseId: "c1" },
 *   { role: "user", content: "And now?" },
 * ];
 * console.log(getEffectiveApiHistory(log).at(-2)?.content); // All files are read.
 * ```
 */
export function getEffectiveApiHistory(messages: readonly Message[]): readonly Message[] {
  return repairView(effectiveView(messages));
}

/** The view before it is repaired: what the log's tags and folds leave, with all that is damaged in it. */
export function effectiveView(log: readonly Message[]): readonly Message[] {
  if (!Array.isArray(log)) checkMessages(log);
  const messages = frozenLog(log);
  checkMessages(messages);
  return visiblePlaces(messages).flatMap((place) => {
    const message = messages[place];
    return message === undefined ? [] : renderMessage(message);
  });
}

/** The indexes in the log of the messages that its view shows, in order. */
export const visiblePlaces: (messages: readonly Message[]) => readonly number[] = logFacts((messages) => {
  const standIns = collectStandIns(messages);
  const places: number[] = [];
  for (const segment of logSegments(messages)) {
    if (differentlyTagged(segment).every((message) => isHidden(message, standIns))) continue;
    for (const [index, message] of segment.messages.entries()) {
      if (!isHidden(message, standIns)) places.push(segment.start + index);
    }
  }
  return places;
});

/** Of a segment, every stand-in and one other message for each pair of tags: these alone decide whether a message is hidden, but a stand-in cannot hide itself. */
const differentlyTagged = segmentFacts((messages) => {
  const byTags = new Map<unknown, Map<unknown, Message>>();
  const standIns: Message[] = [];
  for (const message of messages) {
    if (isStandIn(message)) standIns.push(message);
    else {
      const { condenseParent, truncationParent } = message;
      const sameParent = byTags.get(condenseParent) ?? new Map<unknown, Message>();
      byTags.set(condenseParent, sameParent);
      if (!sameParent.has(truncationParent)) sameParent.set(truncationParent, message);
    }
  }
  return [...standIns, ...[...byTags.values()].flatMap((sameParent) => [...sameParent.values()])];
});

/** Every summary and marker of a segment, in order. */
export const standInsOf: ReturnType<typeof segmentFacts<readonly Message[]>> = segmentFacts((messages) =>
  messages.filter(isStandIn),
);

export const collectStandIns: (messages: readonly Message[]) => StandIns = logFacts((messages) => {
  const condenseIds = new Set<string>();
  const truncationIds = new Set<string>();
  for (const message of logSegments(messages).flatMap(standInsOf)) {
    const condenseId = summaryId(message);
    if (condenseId !== undefined) condenseIds.add(condenseId);
    const truncationId = markerId(message);
    if (truncationId !== undefined) truncationIds.add(truncationId);
  }
  return { condenseIds, truncationIds };
});

/** The tags of a message that name a stand-in. */
export type ParentTags = Pick<Message, "condenseParent" | "truncationParent">;

/** The tags that hide a message: those whose stand-in is in the log and is not the message itself. */
export function liveTags(message: Message, { condenseIds, truncationIds }: StandIns): ParentTags {
  const { condenseParent, truncationParent } = message;
  return {
    ...(isLive(condenseParent, condenseIds, summaryId(message)) ? { condenseParent } : {}),
    ...(isLive(truncationParent, truncationIds, markerId(message)) ? { truncationParent } : {}),
  };
}

/** A damaged log may tag a stand-in with its own id; it cannot replace itself. */
function isLive(parent: string | undefined, ids: ReadonlySet<string>, ownId: string | undefined): boolean {
  return parent !== undefined && parent !== ownId && ids.has(parent);
}

export function isHidden(message: Message, standIns: StandIns): boolean {
  const { condenseParent, truncationParent } = message;
  return (
    isLive(condenseParent, standIns.condenseIds, summaryId(message)) ||
    isLive(truncationParent, standIns.truncationIds, markerId(message))
  );
}

/** True for summaries and truncation markers: messages that were never said. */
export function isStandIn(message: Message): boolean {
  return summaryId(message) !== undefined || markerId(message) !== undefined;
}

/** The id under which a summary hides messages, or undefined for any other message. */
export function summaryId(message: Message): string | undefined {
  return message.isSummary === true ? message.condenseId : undefined;
}

/**
 * Whether a message recounts the conversation before it: a summary, or the plain state snapshot with which some agents begin. A summary without
 * an id counts, although it hides nothing: Roo Code wrote them for half a year.
 */
export function tellsWhatCameBefore(message: Message): boolean {
  return message.isSummary === true || (message.role === "user" && SNAPSHOT_HEAD.test(headOf(message)));
}

const SNAPSHOT_HEAD = /^\s{0,20}<state_snapshot>/;

function headOf({ content }: Message): string {
  if (typeof content === "string") return content.slice(0, 40);
  const [block] = content;
  return block !== undefined && "text" in block && typeof block.text === "string" ? block.text.slice(0, 40) : "";
}

/** The id under which a truncation marker hides messages, or undefined for any other message. */
export function markerId(message: Message): string | undefined {
  return message.isTruncationMarker === true ? message.truncationId : undefined;
}

// One rendered object per folded message, so that whatever is cached per message object (token counts) stays valid.
const rendered = new WeakMap<Message, Message>();
/** The folds of the message that was rendered, by what it was rendered to. */
const shownFolds = new WeakMap<Message, readonly BlockFold[]>();

/** The message as the view shows it: the same object when nothing in it is folded. */
export function renderMessage(message: Message): Message {
  if (message.folds === undefined || message.folds.length === 0) return message;
  const known = rendered.get(message);
  if (known !== undefined) return known;
  const { folds, ...rest } = message;
  const standIns = new Map(folds.map((fold) => [fold.blockIndex, fold.standIn]));
  const result: Message = { ...rest, content: renderContent(message.content, standIns) };
  rendered.set(message, result);
  shownFolds.set(result, folds);
  return result;
}

/** The folds whose stand-ins a message of a view shows; none for a message that `renderMessage` left as it is. */
export function foldsShownIn(message: Message): readonly BlockFold[] {
  return shownFolds.get(message) ?? [];
}

function renderContent(content: Content, standIns: ReadonlyMap<number, Block>): Content {
  if (typeof content !== "string") return content.map((block, index) => standIns.get(index) ?? block);
  const standIn = standIns.get(0);
  if (standIn === undefined) return content;
  // A string stays a string: some clients and servers take nothing else for this message.
  return "text" in standIn && typeof standIn.text === "string" ? standIn.text : [standIn];
}
