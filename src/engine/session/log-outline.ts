import { countFolds } from "../../core/history/list-folds.ts";
import { isStandIn, visiblePlaces } from "../../core/message/effective-view.ts";
import { isPartOfFold, isShortened, isWrittenAnew } from "../../core/message/folded-messages.ts";
import { logSegments, segmentFacts } from "../../core/message/log-segments.ts";
import type { Message } from "../../core/message/message.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import { sha256Of } from "./journal/record-chain.ts";

/** A log without the messages that folds hide: its visible messages, and facts about all of them. */
export interface LogOutline extends OutlineFacts {
  /** The messages that the view shows, with their folds and the stand-ins among them, in order. */
  readonly visible: readonly PlacedMessage[];
  /** The first keys of the messages behind the stretches, all of which are visible. */
  readonly newestKeys: readonly string[];
}

/** Facts about all messages of a log, hidden ones included. */
export interface OutlineFacts {
  /** The number of messages, including stand-ins. */
  readonly messages: number;
  /** The number of messages without stand-ins, and our count of their tokens. */
  readonly saidMessages: number;
  readonly saidTokens: number;
  readonly foldCount: number;
  /** Whether anything is hidden or shortened, and whether any of it was not done by the provider alone. */
  readonly isFolded: boolean;
  readonly isWritten: boolean;
  /** Hashes of the messages' keys, stretch by stretch. Where a stretch ends depends on who made the outline: only whole stretches can be compared. */
  readonly stretches: readonly SaidStretch[];
}

/** Consecutive messages of a log, stand-ins left out. */
export interface SaidStretch {
  readonly messages: number;
  /** The hash of their first keys: see `hashKeys`. */
  readonly hash: string;
}

export interface PlacedMessage {
  readonly message: Message;
  /** The number of messages before this one, stand-ins left out; undefined for a stand-in. */
  readonly place: number | undefined;
}

/** An outline as JSON can hold it, beside the visible messages. */
export interface SavedOutline extends OutlineFacts {
  /** For each visible message the number of messages before it, stand-ins left out; null for a stand-in. */
  readonly places: readonly (number | null)[];
}

/** The hash of the first keys of messages, in order; undefined on a platform without synchronous hashes. */
export function hashKeys(keys: readonly string[]): string | undefined {
  return sha256Of(keys.join("\n"));
}

interface SegmentFacts extends Pick<OutlineFacts, "saidTokens" | "isFolded" | "isWritten"> {
  readonly stretch: SaidStretch | undefined;
}

const factsOfSegment = segmentFacts((messages): SegmentFacts => {
  const said = messages.filter((message) => !isStandIn(message));
  const hash = hashKeys(firstKeys(said));
  return {
    saidTokens: countMessagesTokens(said),
    isFolded: messages.some((message) => isStandIn(message) || isShortened(message)),
    isWritten: messages.some(isWrittenAnew),
    stretch: hash === undefined ? undefined : { messages: said.length, hash },
  };
});

/** The outline of a whole log; undefined on a platform without hashes. For a log that has grown, only the new messages are read. */
export function outlineOf(log: readonly Message[]): SavedOutline | undefined {
  const segments = logSegments(log).map(factsOfSegment);
  const stretches = segments.flatMap(({ stretch }) => stretch ?? []);
  if (stretches.length < segments.length) return undefined;
  return {
    messages: log.length,
    saidMessages: stretches.reduce((sum, { messages }) => sum + messages, 0),
    saidTokens: segments.reduce((sum, { saidTokens }) => sum + saidTokens, 0),
    foldCount: countFolds(log),
    isFolded: segments.some(({ isFolded }) => isFolded),
    isWritten: segments.some(({ isWritten }) => isWritten),
    stretches: stretches.filter(({ messages }) => messages > 0),
    places: placesIn(log),
  };
}

function placesIn(log: readonly Message[]): readonly (number | null)[] {
  let saidMessages = 0;
  const places = log.map((message) => (isStandIn(message) ? null : saidMessages++));
  return visiblePlaces(log).map((index) => places[index] ?? null);
}

/** A saved outline with the messages that were appended since; undefined where one of these is part of a fold. */
export function extendOutline(
  { places, ...saved }: SavedOutline,
  visible: readonly Message[],
  appended: readonly Message[],
): LogOutline | undefined {
  if (appended.some(isPartOfFold)) return undefined;
  const { messages, saidMessages, saidTokens } = saved;
  return {
    ...saved,
    messages: messages + appended.length,
    saidMessages: saidMessages + appended.length,
    saidTokens: saidTokens + countMessagesTokens(appended),
    newestKeys: firstKeys(appended),
    visible: [
      ...visible.map((message, index) => ({ message, place: places[index] ?? undefined })),
      ...appended.map((message, index) => ({ message, place: saidMessages + index })),
    ],
  };
}

/** The outline as it is saved; undefined on a platform without hashes. */
export function saveOutline({ visible, newestKeys, ...facts }: LogOutline): SavedOutline | undefined {
  const hash = hashKeys(newestKeys);
  if (hash === undefined) return undefined;
  const newest = newestKeys.length === 0 ? [] : [{ messages: newestKeys.length, hash }];
  const places = visible.map(({ place }) => place ?? null);
  return { ...facts, stretches: [...facts.stretches, ...newest], places };
}

function firstKeys(messages: readonly Message[]): readonly string[] {
  return messages.map(({ keys }) => keys?.[0] ?? "");
}
