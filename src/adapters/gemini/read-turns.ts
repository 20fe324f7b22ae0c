import type { Block, Message } from "../../core/message/message.ts";
import { isRecord } from "../../core/transcript/read-json.ts";
import { type CallNames, createCallNames } from "./name-calls.ts";
import { callOf, readPart, responseOf } from "./read-part.ts";

/** The contents that are one message: the first of them as its parts, the others as one block each. */
export interface Turn {
  readonly message: Message;
  /** Index into the request's contents. */
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/**
 * The turns of a conversation. Contents of a role that we do not know belong to the turn before them, or to none where they come
 * first. Undefined where calls and responses stand in places that make no pairs.
 */
export function readTurns(contents: readonly unknown[]): readonly Turn[] | undefined {
  const names = createCallNames();
  const turns: Turn[] = [];
  for (const [start, { role, items }] of groupTurns(contents)) {
    const [first, ...others] = items;
    const parts = partsOf(first);
    const isMisplaced = role === "assistant" ? responseOf : callOf;
    if (parts.some((part) => isMisplaced(part) !== undefined)) return undefined;
    const blocks = parts.length === 0 ? [wholeContent(first)] : readParts(parts, role, names);
    const content = [...blocks, ...others.map(wholeContent)];
    turns.push({ message: { role, content }, start, end: start + items.length });
  }
  return turns;
}

/** The parts of a content; Google's servers take one part alone for a list of it. None where there is nothing to read. */
export function partsOf(content: unknown): readonly unknown[] {
  if (!isRecord(content)) return [];
  if (Array.isArray(content.parts)) return content.parts;
  return isRecord(content.parts) ? [content.parts] : [];
}

interface TurnItems {
  readonly role: Message["role"];
  readonly items: unknown[];
}

/** By the index of their first content. */
function groupTurns(contents: readonly unknown[]): ReadonlyMap<number, TurnItems> {
  const groups = new Map<number, TurnItems>();
  let last: TurnItems | undefined;
  for (const [index, content] of contents.entries()) {
    const role = roleOf(content);
    if (role === undefined) {
      last?.items.push(content);
      continue;
    }
    last = { role, items: [content] };
    groups.set(index, last);
  }
  return groups;
}

/** Functions answered under a role of their own once; without a role, the user speaks. */
export function roleOf(content: unknown): Message["role"] | undefined {
  if (!isRecord(content)) return undefined;
  switch (content.role) {
    case "model":
      return "assistant";
    case "user":
    case "function":
    case "":
    case null:
    case undefined:
      return "user";
    default:
      return undefined;
  }
}

function readParts(parts: readonly unknown[], role: Message["role"], names: CallNames): readonly Block[] {
  const paired = parts.map((part) => callOf(part) ?? responseOf(part)).filter(isRecord);
  const ids = role === "assistant" ? names.nameCalls(paired) : names.nameResponses(paired);
  let next = 0;
  return parts.map((part) => {
    const isPaired = callOf(part) !== undefined || responseOf(part) !== undefined;
    return readPart(part, { role, callId: isPaired ? (ids[next++] ?? "") : "" });
  });
}

function wholeContent(content: unknown): Block {
  return { type: "content", content };
}
