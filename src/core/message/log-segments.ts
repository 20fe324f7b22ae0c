import type { Message } from "./message.ts";

/** A part of a log. Where its messages cannot change, the same messages are the same array each time: what follows from them is kept by it. */
export interface LogSegment {
  /** The place of its first message in the log. */
  readonly start: number;
  readonly messages: readonly Message[];
  /** Whether it will be the same array the next time: nobody can change its messages (all in them is taken to be frozen too), and it is whole, or its log is frozen. */
  readonly isFrozen: boolean;
}

/** In messages. So many are looked at again where one of them has changed. */
export const SEGMENT_MESSAGES = 512;
/** Logs that share messages may be cut at different places. */
const MOST_CUTS = 4;

/** Whole segments by their first message, the newest first. */
const cuts = new WeakMap<Message, readonly LogSegment["messages"][]>();
const knownLogs = new WeakMap<readonly Message[], readonly LogSegment[]>();

/**
 * A log in parts of the same length. A log grows at its end and folds change its newest messages: all other parts are those of the log before, so
 * whatever is read part by part costs what is new. Comparing messages by identity is all that is left to do for the others.
 */
export function logSegments(log: readonly Message[]): readonly LogSegment[] {
  const known = knownLogs.get(log);
  if (known !== undefined) return known;
  const segments: LogSegment[] = [];
  for (let start = 0; start < log.length; start += SEGMENT_MESSAGES) segments.push(segmentAt(log, start));
  if (Object.isFrozen(log) && segments.every(({ isFrozen }) => isFrozen)) knownLogs.set(log, segments);
  return segments;
}

/** The log as a list that nobody can change: for whoever asks several things of it, so that it is cut once. */
export function frozenLog(log: readonly Message[]): readonly Message[] {
  return log.length <= SEGMENT_MESSAGES || Object.isFrozen(log) ? log : Object.freeze([...log]);
}

/** What follows from a segment alone, read once of each. */
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

/** What follows from a whole log, read once where nobody can change it. */
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
  const others = first === undefined || !isObject(first) ? undefined : cuts.get(first);
  const known = others?.find((messages) => isCutOf(log, start, messages) && messages.length === end - start);
  if (known !== undefined) return { start, messages: known, isFrozen: true };
  const messages = log.slice(start, end);
  const isWhole = messages.length === SEGMENT_MESSAGES;
  const isFrozen = (isWhole || Object.isFrozen(log)) && messages.every(isFrozenObject);
  if (isFrozen && isWhole && first !== undefined) {
    cuts.set(first, [messages, ...(others ?? []).slice(0, MOST_CUTS - 1)]);
  }
  return { start, messages, isFrozen };
}

function isCutOf(log: readonly Message[], start: number, messages: readonly Message[]): boolean {
  // Newest first: that is where folds change messages.
  for (let index = messages.length - 1; index >= 0; index--) if (messages[index] !== log[start + index]) return false;
  return true;
}

function isFrozenObject(value: unknown): boolean {
  return isObject(value) && Object.isFrozen(value);
}

/** Whoever checks messages asks for their segments, too. */
function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
