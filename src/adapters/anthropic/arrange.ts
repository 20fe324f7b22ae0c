import { asArray, fieldAt } from "../../core/json/read-json.ts";
import { isCompactionBlock } from "../../core/message/compaction-block.ts";
import type { Message } from "../../core/message/message.ts";
import type { WirePart } from "../../core/ports/wire-adapter.ts";
import type { Piece, SentMessage, Writing } from "../splice/index.ts";
import { hasThinkingBudget, withThinking } from "./thinking.ts";

/** The items of the messages, with what the provider demands where folding brought others together. */
export function arrange(messages: readonly SentMessage[], writing: Writing): readonly Piece[] {
  const pieces: Piece[] = [];
  const hasBudget = hasThinkingBudget(writing.conversation.fields);
  let last: SentMessage | undefined;
  for (const [position, sent] of messages.entries()) {
    const [turn, ...asides] = sent.pieces;
    if (turn === undefined) continue;
    const { role } = sent.message;
    const isCompacted = startsCompacted(sent);
    const bridge = sent.isInPlace || isCompacted ? undefined : bridgeTo(role, last);
    if (bridge !== undefined) pieces.push(bridge);
    const isChanged = !sent.isInPlace || sent.part.type !== "original";
    const mayLackThinking = hasBudget && isChanged && !isCompacted && role === "assistant" && startsLoop(last, writing);
    pieces.push(mayLackThinking ? lendThinking(turn, endOfPart(messages, position), writing) : turn, ...asides);
    last = sent;
  }
  return pieces;
}

/** Whether a message begins with the provider's own compaction: the conversation may begin with it, and nothing may stand before it. */
function startsCompacted({ message: { content } }: SentMessage): boolean {
  const [first] = typeof content === "string" ? [] : content;
  return first !== undefined && isCompactionBlock(first);
}

/** A turn of ours where the next one must not follow: the user speaks first, and after a system message the assistant. */
function bridgeTo(role: Message["role"], last: SentMessage | undefined): Piece | undefined {
  if (last === undefined) return role === "assistant" ? bridge("user", "[The conversation goes on here.]") : undefined;
  return last.pieces.length > 1 && role === "user" ? bridge("assistant", "[Noted.]") : undefined;
}

function bridge(role: Message["role"], content: string): Piece {
  return { text: JSON.stringify({ role, content }) };
}

/** Whether what the assistant says next is the first answer to a user's word: also to one of ours. */
function startsLoop(last: SentMessage | undefined, writing: Writing): boolean {
  return last === undefined || (last.message.role === "user" && !hasResults(last, writing));
}

function hasResults({ group }: SentMessage, { conversation }: Writing): boolean {
  const item = group && conversation.items[group.items[0] ?? -1];
  return asArray(fieldAt(item, "content")).some((block) => fieldAt(block, "type") === "tool_result");
}

function lendThinking(turn: Piece, end: number | undefined, writing: Writing): Piece {
  return { ...turn, text: withThinking(turn.text, writing, writing.conversation.groups.slice(0, end)) };
}

/** Up to where in the request a part and what it hides reach. */
function endOfPart(messages: readonly SentMessage[], position: number): number | undefined {
  const part = messages[position]?.part;
  if (part !== undefined && part.type !== "stand-in") return part.index + 1;
  const later = messages.slice(position).map((message): WirePart => message.part);
  return later.find((each) => each.type !== "stand-in")?.index;
}
