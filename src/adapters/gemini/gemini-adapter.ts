import { fieldAt, isRecord, type JsonRecord } from "../../core/json/read-json.ts";
import { stableList, stableRecord, stableText } from "../../core/json/stable-text.ts";
import { renderMessage } from "../../core/message/effective-view.ts";
import type { Block, Message, ToolUseBlock } from "../../core/message/message.ts";
import { allBlocks, contentBlocks, isToolResult, isToolUse } from "../../core/message/tool-pairs.ts";
import type { WirePart } from "../../core/ports/wire-adapter.ts";
import { plainCallId } from "../../core/transcript/gemini-call-names.ts";
import {
  applyEdits,
  createAdapter,
  type ItemGroup,
  type Piece,
  type SentMessage,
  type WireConversation,
  type Writing,
} from "../splice/index.ts";
import { describeRequest, findContents, LIST_PATHS, operationOf } from "./describe-request.ts";
import { contentText, editBlock, foldPart, partAt, placeBlocks } from "./edit-block.ts";
import { followReply } from "./follow-reply.ts";
import { groupTurns, partsOf, roleOf } from "./read-turns.ts";
import { geminiRecall } from "./recall/gemini-recall.ts";
import { isForeignReasoning, writePart, writeResult } from "./write-part.ts";

/** Gemini's `generateContent` and `streamGenerateContent`, and `countTokens` where it counts a whole conversation. */
export const geminiAdapter = createAdapter({
  name: "gemini",
  operationOf,
  listPaths: LIST_PATHS,
  upstream: {
    name: "gemini",
    url: "https://generativelanguage.googleapis.com",
    paths: /^\/(?:upload\/)?v\d+(?:alpha|beta)|(?::|%3a)(?:[a-z]*contents?|countTokens)$/i,
    headers: ["x-goog-api-key"],
  },
  tolerates: ["trailing-whitespace"],
  showDamage,
  telemetry: { provider: "gcp.gemini", operation: "generate_content" },
  findList: findContents,
  separator: "first-gap",
  group: groupTurns,
  describe: describeRequest,
  canonical: canonicalTurn,
  callId: ({ id, name }) => plainCallId(id, name),
  placeBlocks,
  editBlock,
  writeStandIn,
  copiedItems,
  arrange,
  // Google's window limits the prompt alone: a smaller reply makes no room.
  limitReply: (body) => body,
  followReply,
  recall: geminiRecall,
});

const GO_ON: Piece = { text: contentText("user", [JSON.stringify({ text: "Go on from there." })]) };

/** The contents of the messages, with a user's turn of ours where Gemini demands one. */
function arrange(messages: readonly SentMessage[]): readonly Piece[] {
  const pieces = messages.flatMap((sent, position) => {
    return needsUser(messages[position - 1], sent) ? [GO_ON, ...sent.pieces] : sent.pieces;
  });
  const last = messages.at(-1);
  return last?.group === undefined && last?.message.role === "assistant" ? [...pieces, GO_ON] : pieces;
}

/**
 * Whether a user's turn must be put before a turn of the model: at the start, after another turn of the model, and between results and the
 * calls that a stand-in carries. Gemini checks signatures from the user's last text on, and those of older calls may be gone.
 */
function needsUser(last: SentMessage | undefined, next: SentMessage): boolean {
  // The agent sent the turns in this order itself: it is left as it is.
  if (next.message.role === "user" || next.isInPlace) return false;
  if (last === undefined || last.message.role === "assistant") return true;
  const isCarrying = next.group === undefined && contentBlocks(next.message.content).some(isToolUse);
  return isCarrying && contentBlocks(last.message.content).some(isToolResult);
}

/** Shows a message of nothing but empty texts as one without content: Gemini refuses it. It takes white space, and empty texts beside other parts. */
function showDamage(message: Message): Message {
  const { content } = message;
  const isEmpty = typeof content !== "string" && content.every((block) => isBlankText(block));
  return isEmpty ? { ...message, content: [] } : message;
}

function isBlankText(block: Block): boolean {
  return block.type === "blank_text" && fieldAt(block, "text") === "";
}

/**
 * One text for all ways to write the same contents, part by part. Signatures are left out: agents add them to a turn and drop them later, as
 * the server checks only those of the current turn.
 */
function canonicalTurn(contents: readonly unknown[]): string {
  let text = "";
  for (const content of contents) text += `${canonicalContent(content)}\n`;
  return text;
}

function canonicalContent(content: unknown): string {
  const role = roleOf(content);
  const parts = partsOf(content);
  if (role === undefined || parts.length === 0 || !isRecord(content)) return stableText(content);
  return `${role} ${stableList(parts, canonicalPart)}${stableRecord(content, otherField)}`;
}

function canonicalPart(part: unknown): string {
  return isRecord(part) ? stableRecord(part, partField) : stableText(part);
}

function partField(name: string, value: unknown): string | undefined {
  switch (name) {
    case "thoughtSignature":
    case "thought_signature":
      return undefined;
    case "functionCall":
    case "function_call":
    case "functionResponse":
    case "function_response":
      return isRecord(value) && typeof value.id === "string" ? canonicalPaired(value, value.id) : stableText(value);
    default:
      return stableText(value);
  }
}

/** The canonical text of a call or a response that has an id. */
function canonicalPaired(paired: JsonRecord, id: string): string {
  return stableRecord(paired, (name, value) => stableText(name === "id" ? plainCallId(id, paired.name) : value));
}

function otherField(name: string, value: unknown): string | undefined {
  return name === "role" || name === "parts" ? undefined : stableText(value);
}

/** Writes a summary or a marker as a content. A call that it carries keeps the bytes of the request, its signature included. */
function writeStandIn(message: Message, writing: Writing): readonly string[] {
  const parts = shownBlocks(message)
    .filter((block) => !isForeignReasoning(block))
    .map(
      (block) => (isToolUse(block) ? copyCall(block, writing) : undefined) ?? JSON.stringify(partOf(block, writing)),
    );
  return [contentText(message.role, parts)];
}

function partOf(block: Block, { conversation: { groups } }: Writing): JsonRecord {
  if (!isToolResult(block)) return writePart(block);
  const calls = groups.flatMap(({ message }) => contentBlocks(message.content).filter(isToolUse));
  const call = calls.findLast(({ id }) => id === block.tool_use_id);
  return call === undefined ? writePart(block) : writeResult(block, call.name);
}

/** The indexes of the contents that hold the calls that stand-ins carry. */
function copiedItems(parts: readonly WirePart[], conversation: WireConversation): readonly number[] {
  const calls = parts.flatMap((part) => (part.type === "stand-in" ? shownBlocks(part.message).filter(isToolUse) : []));
  return calls.flatMap((call) => turnOf(call, conversation)?.items ?? []);
}

function shownBlocks(message: Message): readonly Block[] {
  return allBlocks(renderMessage(message).content);
}

function isCall(block: Block, { id, name }: ToolUseBlock): boolean {
  return isToolUse(block) && block.id === id && block.name === name;
}

function turnOf(call: ToolUseBlock, { groups }: WireConversation): ItemGroup | undefined {
  return groups.find(({ message }) => contentBlocks(message.content).some((block) => isCall(block, call)));
}

/** The text of a call in the request, edited if the stand-in shows it clipped; undefined if the request has no such call. */
function copyCall(call: ToolUseBlock, { conversation, slices }: Writing): string | undefined {
  const turn = turnOf(call, conversation);
  const placed = turn && placeBlocks(turn, conversation).find(({ block }) => isCall(block, call));
  if (placed?.place.type !== "part") return undefined;
  const part = partAt(slices, slices.items[placed.item], placed.place.index);
  return part && applyEdits(slices.body, part, foldPart({ slices, part, block: placed.block }, call));
}
