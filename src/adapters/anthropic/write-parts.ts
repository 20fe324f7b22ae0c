import { entryAt } from "../../core/json/entry-at.ts";
import type { WirePart } from "../../core/ports/wire-adapter.ts";
import { asArray, fieldAt } from "../../core/transcript/read-json.ts";
import { bytesOf, type ItemGroup, type Layout, type WireItem, type WireSource } from "./read-layout.ts";
import { hasThinkingBudget, withThinking } from "./thinking.ts";
import { writeStandIn } from "./write-block.ts";
import { writeFoldedItems } from "./write-folds.ts";

/** One item of the list that is sent. */
export type Piece = TurnPiece | AsidePiece;

interface TurnPiece {
  readonly type: "turn";
  readonly role: ItemGroup["role"];
  readonly text: string;
  /** Whether it answers calls. */
  readonly hasResults: boolean;
  /** The item of the request that it shows; absent for what is ours. */
  readonly item?: WireItem;
}

/** Neither the user's nor the assistant's. */
interface AsidePiece {
  readonly type: "aside";
  readonly text: string;
  readonly item: WireItem;
}

/** The items for these parts, with what the provider demands where folding brought others together. */
export function writeParts(source: WireSource, layout: Layout, parts: readonly WirePart[]): readonly Piece[] {
  const pieces: Piece[] = [];
  for (const [position, part] of parts.entries()) {
    const written = writePart(source, layout.groups, part);
    if (written === undefined) continue;
    const { turn, asides } = written;
    const isMoved = !isInPlace(part, parts[position - 1]);
    const bridge = isMoved ? bridgeTo(turn, pieces.at(-1)) : undefined;
    if (bridge !== undefined) pieces.push(bridge);
    const isChanged = isMoved || part.type !== "original";
    const mayLackThinking = isChanged && turn.role === "assistant" && startsLoop(pieces);
    if (mayLackThinking && hasThinkingBudget(layout.fields)) {
      const lenders = layout.groups.slice(0, endOfPart(parts, position));
      pieces.push({ ...turn, text: withThinking(turn.text, source, lenders) });
    } else pieces.push(turn);
    pieces.push(...asides);
  }
  return pieces;
}

interface WrittenPart {
  readonly turn: TurnPiece;
  readonly asides: readonly AsidePiece[];
}

/** Undefined for a stand-in that has nothing to say on this wire. */
function writePart(source: WireSource, groups: readonly ItemGroup[], part: WirePart): WrittenPart | undefined {
  if (part.type === "stand-in") {
    const text = writeStandIn(part.message);
    if (text === undefined) return undefined;
    return { turn: { type: "turn", role: part.message.role, text, hasResults: false }, asides: [] };
  }
  const group = entryAt(groups, part.index);
  const { role, main, attached } = group;
  const folded = part.type === "folded" ? writeFoldedItems(source, group, part.folds) : [];
  const [turnText, ...asideTexts] = folded;
  const hasResults = asArray(fieldAt(main.value, "content")).some((block) => fieldAt(block, "type") === "tool_result");
  return {
    turn: { type: "turn", role, hasResults, item: main, text: turnText ?? bytesOf(source, main) },
    asides: attached.map((item, index) => ({ type: "aside", item, text: asideTexts[index] ?? bytesOf(source, item) })),
  };
}

/** Whether the part follows what it followed when it came. */
function isInPlace(part: WirePart, before: WirePart | undefined): boolean {
  if (part.type === "stand-in" || before?.type === "stand-in") return false;
  return part.index === (before === undefined ? 0 : before.index + 1);
}

/** A turn of ours where the next one must not follow: the user speaks first, and after a system message the assistant. */
function bridgeTo({ role }: TurnPiece, last: Piece | undefined): TurnPiece | undefined {
  if (last === undefined) return role === "assistant" ? bridge("user", "[The conversation goes on here.]") : undefined;
  return last.type === "aside" && role === "user" ? bridge("assistant", "[Noted.]") : undefined;
}

function bridge(role: TurnPiece["role"], content: string): TurnPiece {
  return { type: "turn", role, text: JSON.stringify({ role, content }), hasResults: false };
}

/** Whether what the assistant says next is the first answer to a user's word. */
function startsLoop(pieces: readonly Piece[]): boolean {
  const last = pieces.findLast((piece) => piece.type === "turn");
  return last === undefined || (last.role === "user" && !last.hasResults);
}

/** Up to where in the request a part and what it hides reach. */
function endOfPart(parts: readonly WirePart[], position: number): number | undefined {
  const part = parts[position];
  if (part !== undefined && part.type !== "stand-in") return part.index + 1;
  return parts.slice(position).find((later) => later.type !== "stand-in")?.index;
}
