import { checkMessages } from "../../core/message/check-messages.ts";
import { type LogSegment, logSegments } from "../../core/message/log-segments.ts";
import type { Message } from "../../core/message/message.ts";

/** The objects that we copied and froze, deeply: they need not be copied again. */
const owned = new WeakSet<object>();
const ownedSegments = new WeakSet<readonly Message[]>();

/**
 * Copies messages and freezes the copies, deeply, so that neither callers nor extensions can change them. Objects that are our copies already are
 * shared, as are texts. Objects of classes are not copied. Throws "invalid-message" where the value is no list of messages.
 */
export function ownMessages(messages: unknown): readonly Message[] {
  if (Array.isArray(messages) && isOwnedLog(messages)) return messages;
  const copies = ownCopy(messages);
  checkMessages(copies);
  return copies;
}

/** Whether a list of messages is frozen and all its messages are our copies. */
function isOwnedLog(messages: readonly Message[]): boolean {
  if (owned.has(messages)) return checkedLog(messages);
  if (!Object.isFrozen(messages) || !logSegments(messages).every(isOwnedSegment)) return false;
  owned.add(messages);
  return checkedLog(messages);
}

/** Checks messages; returns true or throws. */
function checkedLog(messages: unknown): boolean {
  checkMessages(messages);
  return true;
}

/** Whether all messages of a segment are our copies. Once they are, they always will be. */
function isOwnedSegment({ messages, isFrozen }: LogSegment): boolean {
  if (ownedSegments.has(messages)) return true;
  if (!isFrozen || !messages.every((message) => owned.has(message))) return false;
  ownedSegments.add(messages);
  return true;
}

/** Whether an object is one of our frozen copies. */
export function isOwned(value: object): boolean {
  return owned.has(value);
}

/** Freezes a message without copying it: call it only for a message to which nobody else has a reference. Throws where it is no message. */
export function adoptMessage(message: Message): Message {
  const unfinished: unknown[] = [message];
  for (const item of unfinished) {
    if (!isPlain(item) || owned.has(item)) continue;
    owned.add(Object.freeze(item));
    for (const value of Object.values(item)) if (typeof value === "object") unfinished.push(value);
  }
  checkMessages([message]);
  return message;
}

// Not recursive: the arguments of a tool call may be circular, or nested deeper than the stack allows.
function ownCopy(root: unknown): unknown {
  const copies = new Map<object, object>();
  const unfinished: object[] = [];

  function copyOf(value: unknown): unknown {
    if (!isPlain(value) || owned.has(value)) return value;
    const existing = copies.get(value);
    if (existing !== undefined) return existing;
    const copy = Array.isArray(value) ? [...value] : { ...value };
    copies.set(value, copy);
    unfinished.push(copy);
    return copy;
  }

  const copy = copyOf(root);
  for (const item of unfinished) {
    if (Array.isArray(item)) {
      for (const segment of logSegments(item)) {
        if (isOwnedSegment(segment)) continue;
        const end = segment.start + segment.messages.length;
        for (let index = segment.start; index < end; index++) item[index] = copyOf(item[index]);
      }
    } else copyFields(item, copyOf);
    owned.add(Object.freeze(item));
  }
  return copy;
}

/** Replaces the objects among an object's fields by their copies. Most fields are texts and numbers, which stay. */
function copyFields(object: object, copyOf: (value: unknown) => unknown): void {
  for (const name of Object.keys(object)) {
    const value: unknown = Reflect.get(object, name);
    if (typeof value === "object") Reflect.set(object, name, copyOf(value));
  }
}

/** Whether a value is an array or a plain object. */
function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
