import type { Message } from "./message.ts";

/** A run of messages of a log. Frozen messages are cut into the same array each time, so that results can be cached by that array. */
export interface LogSegment {
  /** The index of its first message in the log. */
  readonly start: number;
  readonly messages: readonly Message[];
  /** Whether the next cut gives the same array: its messages are frozen (what they hold is taken to be frozen too), and it has full length or its log is frozen. */
  readonly isFrozen: boolean;
}

/** Messages in one segment: so many are read again where one of them has changed. */
export const SEGMENT_MESSAGES = 512;
/** Segments that are kept for one first message: logs that share messages may be cut at different places. */
const MOST_SAME_START = 4;

/** Segments of full length by their first message, the newest first. */
const segmentsByFirst = new WeakMap<Message, readonly LogSegment["messages"][]>();
const segmentsByLog = new WeakMap<readonly Message[], readonly LogSegment[]>();

/**
 * Cuts a log into segments of equal length. A log grows at its end and folds change its newest messages, so nearly all segments are those of the
 * log before it: they are recognised by the identity of their messages, and what is computed per segment is computed only for new ones.
 */
export function logSegments(log: readonly Message[]): readonly LogSegment[] {
  const known = segmentsByLog.get(log);
  if (known !== undefined) return known;
  const segments: LogSegment[] = [];
  for (let start = 0; start < log.length; start += SEGMENT_MESSAGES) segments.push(segmentAt(log, start));
  if (Object.isFrozen(log) && segments.every(({ isFrozen }) => isFrozen)) segmentsByLog.set(log, segments);
  return segments;
}

/** A frozen copy of the log, for callers that compute several things from it: it is cut into segments once. A short or frozen log is returned as it is. */
export function frozenLog(log: readonly Message[]): readonly Message[] {
  return log.length <= SEGMENT_MESSAGES || Object.isFrozen(log) ? log : Object.freeze([...log]);
}

/** Wraps `read` so that its result is cached for each segment that cannot change. */
export function segmentFacts<Facts>(
  read: (messages: readonly Message[]) => Facts,
): (segment: Pick<LogSegment, "messages" | "isFrozen">) => Facts {
  const known = new WeakMap<readonly Message[], { readonly facts: Facts }>();
  return ({ messages, isFrozen }) => {
    if (!isFrozen) return read(messages);
    const before = known.get(messages);
    if (before !== undefined) return before.facts;
    const facts = read(messages);
    known.set(messages, { facts });
    return facts;
  };
}

/** Wraps `read` so that its result is cached for each whole log that cannot change. */
export function logFacts<Facts>(read: (log: readonly Message[]) => Facts): (log: readonly Message[]) => Facts {
  const known = new WeakMap<readonly Message[], { readonly facts: Facts }>();
  return (log) => {
    const before = known.get(log);
    if (before !== undefined) return before.facts;
    const facts = read(log);
    if (Object.isFrozen(log) && logSegments(log).every(({ isFrozen }) => isFrozen)) known.set(log, { facts });
    return facts;
  };
}

function segmentAt(log: readonly Message[], start: number): LogSegment {
  const end = Math.min(start + SEGMENT_MESSAGES, log.length);
  const first = log[start];
  const sameStart = first === undefined || !isObject(first) ? undefined : segmentsByFirst.get(first);
  const known = sameStart?.find((messages) => isAt(log, start, messages) && messages.length === end - start);
  if (known !== undefined) return { start, messages: known, isFrozen: true };
  const messages = log.slice(start, end);
  const isWhole = messages.length === SEGMENT_MESSAGES;
  const isFrozen = (isWhole || Object.isFrozen(log)) && messages.every(isFrozenObject);
  if (isFrozen && isWhole && first !== undefined) {
    segmentsByFirst.set(first, [messages, ...(sameStart ?? []).slice(0, MOST_SAME_START - 1)]);
  }
  return { start, messages, isFrozen };
}

/** Whether the log holds these very messages from `start` on. */
function isAt(log: readonly Message[], start: number, messages: readonly Message[]): boolean {
  // Backwards: folds change the newest messages.
  for (let index = messages.length - 1; index >= 0; index--) if (messages[index] !== log[start + index]) return false;
  return true;
}

function isFrozenObject(value: unknown): boolean {
  return isObject(value) && Object.isFrozen(value);
}

/** `checkMessages` asks for segments before it knows that all in them are messages. */
function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
