import { checkMessages } from "../../core/message/check-messages.ts";
import { type LogSegment, logSegments } from "../../core/message/log-segments.ts";
import type { Message } from "../../core/message/message.ts";

/** All objects that we copied and froze: they need not be copied again. */
const owned = new WeakSet<object>();
const ownedSegments = new WeakSet<readonly Message[]>();

/**
 * The same messages as frozen copies of our own: whoever gave them, or is shown them, can no longer change them. Texts are
 * shared and what is ours already stays the same object, so it costs little; what is no plain object is taken as it is.
 * Throws where they are no messages.
 */
export function ownMessages(messages: unknown): readonly Message[] {
  if (Array.isArray(messages) && isOwnedLog(messages)) return messages;
  const copies = ownCopy(messages);
  checkMessages(copies);
  return copies;
}

/** Whether nobody can change a list of messages, as it is frozen and all of them are ours. */
function isOwnedLog(messages: readonly Message[]): boolean {
  if (owned.has(messages)) return checkedLog(messages);
  if (!Object.isFrozen(messages) || !logSegments(messages).every(isOwnedSegment)) return false;
  owned.add(messages);
  return checkedLog(messages);
}

/** Always true: it throws otherwise. */
function checkedLog(messages: unknown): boolean {
  checkMessages(messages);
  return true;
}

/** Whether all messages of a segment are ours: once they are, they stay so. */
function isOwnedSegment({ messages, isFrozen }: LogSegment): boolean {
  if (ownedSegments.has(messages)) return true;
  if (!isFrozen || !messages.every((message) => owned.has(message))) return false;
  ownedSegments.add(messages);
  return true;
}

/** Whether a value is one of our copies, which nobody can change. */
export function isOwned(value: object): boolean {
  return owned.has(value);
}

/** A message that nobody else holds, frozen as it is. Throws where it is none. */
export function adoptMessage(message: Message): Message {
  const unfinished: unknown[] = [message];
  for (const each of unfinished) {
    if (!isPlain(each) || owned.has(each)) continue;
    owned.add(Object.freeze(each));
    for (const value of Object.values(each)) if (typeof value === "object") unfinished.push(value);
  }
  checkMessages([message]);
  return message;
}

// No recursion: the arguments of a tool call may be nested deeper than the stack allows, or in a circle.
function ownCopy(root: unknown): unknown {
  const copies = new Map<object, object>();
  const unfinished: object[] = [];

  function copyOf(value: unknown): unknown {
    if (!isPlain(value) || owned.has(value)) return value;
    const known = copies.get(value);
    if (known !== undefined) return known;
    const copy = Array.isArray(value) ? [...value] : { ...value };
    copies.set(value, copy);
    unfinished.push(copy);
    return copy;
  }

  const copy = copyOf(root);
  for (const each of unfinished) {
    if (Array.isArray(each)) {
      for (const segment of logSegments(each)) {
        if (isOwnedSegment(segment)) continue;
        const end = segment.start + segment.messages.length;
        for (let index = segment.start; index < end; index++) each[index] = copyOf(each[index]);
      }
    } else for (const [key, value] of Object.entries(each)) Reflect.set(each, key, copyOf(value));
    owned.add(Object.freeze(each));
  }
  return copy;
}

/** Lists, and objects that hold nothing but their fields. */
function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
