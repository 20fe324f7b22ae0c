import { isRecord } from "../../core/json/read-json.ts";
import type { Block, Message } from "../../core/message/message.ts";
import type { Grouping, ItemGroup, ItemList } from "../splice/index.ts";
import { type CallNames, createCallNames } from "./name-calls.ts";
import { callOf, readPart, responseOf } from "./read-part.ts";

/**
 * The turns of a conversation: a content as the blocks of its parts, and those of a role that we do not know behind it as one block
 * each, or before the conversation where they come first. Undefined where calls and responses stand in places that make no pairs.
 */
export function groupTurns({ items: contents }: ItemList): Grouping | undefined {
  const names = createCallNames();
  const groups: ItemGroup[] = [];
  const turns = findTurns(contents);
  for (const { role, start, end } of turns) {
    const first = contents[start];
    const others = contents.slice(start + 1, end);
    const parts = partsOf(first);
    const isMisplaced = role === "assistant" ? responseOf : callOf;
    if (parts.some((part) => isMisplaced(part) !== undefined)) return undefined;
    const blocks = parts.length === 0 ? [wholeContent(first)] : readParts(parts, role, names);
    const content = others.length === 0 ? blocks : [...blocks, ...others.map(wholeContent)];
    const items = others.length === 0 ? [start] : Array.from({ length: end - start }, (_, offset) => start + offset);
    groups.push({ message: { role, content }, items });
  }
  return { headCount: turns[0]?.start ?? contents.length, groups };
}

/** The parts of a content; Google's servers take one part alone for a list of it. None where there is nothing to read. */
export function partsOf(content: unknown): readonly unknown[] {
  if (!isRecord(content)) return [];
  if (Array.isArray(content.parts)) return content.parts;
  return isRecord(content.parts) ? [content.parts] : [];
}

interface Turn {
  readonly role: Message["role"];
  readonly start: number;
  /** Exclusive. */
  end: number;
}

function findTurns(contents: readonly unknown[]): readonly Turn[] {
  const turns: Turn[] = [];
  for (const [index, content] of contents.entries()) {
    const role = roleOf(content);
    const last = turns.at(-1);
    if (role !== undefined) turns.push({ role, start: index, end: index + 1 });
    else if (last !== undefined) last.end = index + 1;
  }
  return turns;
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
