import { isRecord } from "../../core/json/read-json.ts";
import type { Block, Message } from "../../core/message/message.ts";
import { type CallNames, createCallNames } from "../../core/transcript/gemini-call-names.ts";
import { callOf, readPart, responseOf } from "../../core/transcript/gemini-part.ts";
import type { Grouping, ItemGroup, ItemList } from "../splice/index.ts";
import { groupEach, someItem } from "../splice/read-once.ts";

/**
 * Groups the contents into turns. A content has one block for each part; contents of unknown roles behind it are one block each, and those that
 * come first are the head. Undefined if the user calls functions or the model answers them: such calls and responses make no pairs.
 */
export function groupTurns({ items }: ItemList): Grouping | undefined {
  if (isAnyMisplaced(items)) return undefined;
  const groups = groupContents(items);
  return { headCount: groups[0]?.items[0] ?? items.length, groups };
}

/** Whether any content of the user holds a call, or any of the model a response. */
const isAnyMisplaced = someItem((content: unknown): boolean => {
  const role = roleOf(content);
  if (role === undefined) return false;
  const isMisplaced = role === "assistant" ? responseOf : callOf;
  return partsOf(content).some((part) => isMisplaced(part) !== undefined);
});

const groupContents = groupEach<unknown, ItemGroup>(() => {
  const names = createCallNames();
  return (contents, from, list) => {
    names.rewind(from);
    for (let start = from, end = from; start < contents.length; start = end) {
      const role = roleOf(contents[start]);
      end = endOfTurn(contents, start);
      if (role === undefined) continue;
      if (names.areAllAnswered()) list.resumable(start);
      list.add(readTurn(contents.slice(start, end), { role, start, names }));
    }
  };
});

/** The index at which the next turn begins. */
function endOfTurn(contents: readonly unknown[], start: number): number {
  let end = start + 1;
  while (end < contents.length && roleOf(contents[end]) === undefined) end++;
  return end;
}

interface Turn {
  readonly role: Message["role"];
  /** The index of its first content. */
  readonly start: number;
  readonly names: CallNames;
}

function readTurn(contents: readonly unknown[], { role, start, names }: Turn): ItemGroup {
  const [first, ...others] = contents;
  const parts = partsOf(first);
  const blocks = parts.length === 0 ? [wholeContent(first)] : readParts(parts, { role, start, names });
  return {
    message: { role, content: others.length === 0 ? blocks : [...blocks, ...others.map(wholeContent)] },
    items: contents.map((_, offset) => start + offset),
  };
}

/** The parts of a content; an empty list if it has none. Google's servers also take one part without a list. */
export function partsOf(content: unknown): readonly unknown[] {
  if (!isRecord(content)) return [];
  if (Array.isArray(content.parts)) return content.parts;
  return isRecord(content.parts) ? [content.parts] : [];
}

/** The role of a content; undefined for an unknown one. `function` is the older role of responses, and a content without a role is the user's. */
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

function readParts(parts: readonly unknown[], { role, start, names }: Turn): readonly Block[] {
  const pairOf = role === "assistant" ? callOf : responseOf;
  const paired = parts.map(pairOf);
  const callsOrResponses = paired.filter(isRecord);
  const ids = role === "assistant" ? names.nameCalls(callsOrResponses, start) : names.nameResponses(callsOrResponses);
  let next = 0;
  return parts.map((part, index) => {
    return readPart(part, { role, callId: paired[index] === undefined ? "" : (ids[next++] ?? "") });
  });
}

function wholeContent(content: unknown): Block {
  return { type: "content", content };
}
