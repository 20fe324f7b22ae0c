import { renderMessage } from "../../core/message/effective-view.ts";
import type { Block, BlockFold, Content, Message } from "../../core/message/message.ts";
import { contentBlocks, isToolResult, isToolUse } from "../../core/message/tool-pairs.ts";
import type { WirePart, WireRequest } from "../../core/ports/wire-adapter.ts";
import { foldPart } from "./fold-part.ts";
import { layOutRequest, type PlacedBlock, type PlacedTurn, type RequestLayout } from "./request-layout.ts";
import { applyEdits, type Edit } from "./text-edits.ts";
import { isForeignReasoning, writePart } from "./write-part.ts";

/** The request's body with these parts as its contents; all that is not folded is the same bytes. */
export function writeRequest(request: WireRequest, parts: readonly WirePart[]): string {
  const { body } = request.raw;
  if (isWhole(request, parts)) return body;
  const layout = layOutRequest(request);
  const pieces = parts.flatMap((part) => writePiece(layout, part) ?? []);
  return layout.head + joinPieces(layout, pieces) + layout.tail;
}

function isWhole({ messages }: WireRequest, parts: readonly WirePart[]): boolean {
  return (
    parts.length === messages.length &&
    parts.every((part, position) => part.type === "original" && part.index === position)
  );
}

/** One message as it is sent. */
interface Piece {
  readonly text: string;
  readonly role: Message["role"];
  readonly content: Content;
  /** Its place in the request; undefined for a stand-in. */
  readonly index: number | undefined;
}

function writePiece(layout: RequestLayout, part: WirePart): Piece | undefined {
  if (part.type === "stand-in") {
    const message = renderMessage(part.message);
    const { role, content } = message;
    return { text: writeStandIn(layout, message), role, content, index: undefined };
  }
  const turn = layout.turns[part.index];
  if (turn === undefined) return undefined;
  const { role, content } = turn.message;
  const edits = part.type === "folded" ? editsOf(layout, turn, part.folds) : [];
  return { text: applyEdits(layout.body, turn.slice, edits), role, content, index: part.index };
}

function editsOf(layout: RequestLayout, turn: PlacedTurn, folds: readonly BlockFold[]): readonly Edit[] {
  const standIns = new Map(folds.map(({ blockIndex, standIn }) => [blockIndex, standIn]));
  return layout.blocks(turn).flatMap((placed, index) => {
    const standIn = standIns.get(index);
    if (standIn === undefined) return [];
    if (placed.type === "part") return foldPart(placed, standIn);
    return [{ ...placed.slice, text: contentText(turn.message.role, [JSON.stringify(writePart(standIn))]) }];
  });
}

function writeStandIn(layout: RequestLayout, { role, content }: Message): string {
  const blocks: readonly Block[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const parts = blocks
    .filter((block) => !isForeignReasoning(block))
    .map((block) => {
      const call = isToolUse(block) ? layout.findCall(block) : undefined;
      return call === undefined ? JSON.stringify(writePart(block)) : copyCall(call, block);
    });
  return contentText(role, parts);
}

/** A call that a stand-in carries is the same bytes as in its own turn, its signature included. */
function copyCall(call: PlacedBlock, shown: Block): string {
  return applyEdits(call.body, call.slice, foldPart(call, shown));
}

function contentText(role: Message["role"], parts: readonly string[]): string {
  return `{"role":"${role === "user" ? "user" : "model"}","parts":[${parts.join(",")}]}`;
}

const GO_ON = contentText("user", [JSON.stringify({ text: "Go on from there." })]);

function joinPieces(layout: RequestLayout, pieces: readonly Piece[]): string {
  const texts: string[] = [];
  let last: Piece | undefined;
  for (const piece of [...pieces, undefined]) {
    if (last !== undefined && piece !== undefined) texts.push(separatorBetween(layout, last, piece));
    if (needsUser(last, piece)) {
      const isLast = piece === undefined;
      texts.push(isLast ? layout.separator : "", GO_ON, isLast ? "" : layout.separator);
    }
    if (piece !== undefined) texts.push(piece.text);
    last = piece;
  }
  return texts.join("");
}

/**
 * Calls of the model must come right after the user, and a user must speak first, and last where a stand-in did. A stand-in's
 * calls come after the user's own words: from there on Gemini looks for signatures, and those of older turns may be gone.
 */
function needsUser(last: Piece | undefined, next: Piece | undefined): boolean {
  if (next === undefined) return last?.role === "assistant" && last.index === undefined;
  if (next.role === "user" || isNext(last, next.index)) return false;
  if (last === undefined || last.role === "assistant") return true;
  const isCarrying = next.index === undefined && contentBlocks(next.content).some(isToolUse);
  return isCarrying && contentBlocks(last.content).some(isToolResult);
}

/** What came in this order was the agent's own doing. */
function isNext(last: Piece | undefined, index: number | undefined): boolean {
  return last === undefined ? index === 0 : last.index !== undefined && last.index + 1 === index;
}

function separatorBetween({ body, turns, separator }: RequestLayout, last: Piece, next: Piece): string {
  if (last.index === undefined || next.index === undefined || !isNext(last, next.index)) return separator;
  return body.slice(turns[last.index]?.slice.end, turns[next.index]?.slice.start);
}
