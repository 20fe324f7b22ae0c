import { asText, fieldAt, isRecord, type JsonRecord } from "../../core/json/read-json.ts";
import { type Block, isKnownBlock, type Message } from "../../core/message/message.ts";
import { isToolResult } from "../../core/message/tool-pairs.ts";
import type { Session } from "../../engine/session/session.ts";
import type { AiSdkMessageLike } from "../../messages/ai-sdk/ai-sdk-prompt.ts";
import { readAiSdkMessage } from "../../messages/ai-sdk/from-ai-sdk.ts";
import { writeCall, writeResult, writeText, writeThought } from "../../messages/ai-sdk/write-message.ts";
import { blockAsText } from "../../messages/shared/block-text.ts";
import { blocksOf } from "../../messages/shared/join-turns.ts";
import { isSame } from "./same-message.ts";
import { type Turn, type TurnRequest, turnsOf } from "./session-turns.ts";
import type { ViewPlace } from "./view-places.ts";

/** A prompt as it is to be sent, and the turn that it is for. */
export interface FoldedPrompt {
  readonly turn: Turn;
  /** The same list object as the original prompt if nothing is folded. */
  readonly prompt: readonly AiSdkMessageLike[];
}

export interface PromptOptions {
  readonly prompt: readonly AiSdkMessageLike[];
  /** Whether prompt and tools are all that is sent. Otherwise the session is told the system prompt and tools elsewhere. @default true */
  readonly isWhole?: boolean | undefined;
  readonly tools?: readonly unknown[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Records a prompt in its session and folds it; undefined if the prompt does not belong to the session's conversation. */
export async function foldPrompt(session: Session, options: PromptOptions): Promise<FoldedPrompt | undefined> {
  const turn = await turnsOf(session).begin(readRequest(options));
  return turn && { turn, prompt: writeTurn(turn, options.prompt) };
}

/** Writes the turn's view as a prompt; returns the prompt itself if nothing is folded. */
export function writeTurn({ places }: Turn, prompt: readonly AiSdkMessageLike[]): readonly AiSdkMessageLike[] {
  const start = systemCount(prompt);
  const messages = prompt.slice(start);
  const isWhole = places.length === messages.length && places.every(({ type }) => type === "original");
  return isWhole ? prompt : [...prompt.slice(0, start), ...writePlaces(places, messages)];
}

function readRequest({ prompt, isWhole = true, tools = [], signal }: PromptOptions): TurnRequest {
  const start = systemCount(prompt);
  const messages = prompt.slice(start).map((message, index) => readAiSdkMessage(message, `prompt[${start + index}]`));
  const system = prompt.slice(0, start).map(({ content }) => String(content));
  return { messages, signal, ...(isWhole && { systemPrompt: system.join("\n"), tools }) };
}

/** The number of system messages that the prompt begins with; they are never folded. */
function systemCount(prompt: readonly AiSdkMessageLike[]): number {
  const first = prompt.findIndex(({ role }) => role !== "system");
  return first < 0 ? prompt.length : first;
}

const ROLES: ReadonlySet<string> = new Set(["system", "user", "assistant", "tool"]);

/** Narrows a written message to the SDK's own type, whose name differs between versions. */
export function isMessage<Item extends AiSdkMessageLike>(message: AiSdkMessageLike): message is Item {
  return ROLES.has(message.role);
}

/**
 * Writes a view as messages of the SDK. Messages without folds stay the objects that came; in a message with folds, only the folded parts are
 * written anew.
 */
function writePlaces(places: readonly ViewPlace[], messages: readonly AiSdkMessageLike[]): readonly AiSdkMessageLike[] {
  const names = toolNames(messages);
  return places.flatMap((place) => {
    if (place.type === "stand-in") return writeStandIn(place.message, names);
    const message = messages[place.index];
    if (message === undefined) return [];
    return [place.type === "original" ? message : writeFolded(message, place)];
  });
}

type FoldedPlace = Extract<ViewPlace, { type: "folded" }>;

function writeFolded(message: AiSdkMessageLike, { said, shown }: FoldedPlace): AiSdkMessageLike {
  const parts = message.content;
  if (!Array.isArray(parts))
    return { ...message, content: typeof shown.content === "string" ? shown.content : textOf(shown) };
  const [before, after] = [blocksOf(said), blocksOf(shown)];
  const content = parts.map((part: unknown, index) => {
    const [original, standIn] = [before[index], after[index]];
    if (original === undefined || standIn === undefined || original === standIn) return part;
    return writePart({ part, original, standIn, role: message.role });
  });
  return { ...message, content };
}

interface FoldedPart {
  readonly part: unknown;
  readonly original: Block;
  readonly standIn: Block;
  readonly role: string;
}

/** The part that shows a stand-in. A part that providers take only whole stays as it is: they would refuse the rest without it. */
function writePart({ part, original, standIn, role }: FoldedPart): unknown {
  const fields: JsonRecord = isRecord(part) ? part : {};
  const text = () => ({ type: "text", text: blockAsText(standIn)?.text ?? "" });
  if (!isKnownBlock(standIn)) return part;
  switch (standIn.type) {
    case "tool_result":
      return { ...fields, output: writeOutput(fields, original, standIn) };
    case "tool_use":
      return { ...fields, input: standIn.input };
    case "text":
      if (fields.type === "tool-result") return { ...fields, output: { type: "text", value: standIn.text } };
      if (fields.type === "text") return { ...fields, text: standIn.text };
      return role === "tool" || fields.type === "tool-call" ? part : text();
    case "image":
    case "reasoning":
      return text();
  }
}

/** The output of a folded result: text, or if it still holds files, a list in which unfolded items are the objects that came. */
function writeOutput(fields: JsonRecord, original: Block, standIn: Block): unknown {
  if (!isToolResult(standIn)) return fields.output;
  const shown = standIn.content;
  const items = isToolResult(original) && Array.isArray(original.content) ? original.content : [];
  const hasFile = Array.isArray(shown) && shown.some(({ type }) => type !== "text");
  if (!hasFile) return writeResult(standIn, "").output;
  const value = shown.map((item: Block) => {
    const index = items.findIndex((original) => isSame(original, item));
    return fieldAt(fields, "output", "value", index) ?? { type: "text", text: blockAsText(item)?.text ?? "[hidden]" };
  });
  return { type: "content", value };
}

/** Writes a summary or a marker. A summary may carry calls whose results follow it. */
function writeStandIn(message: Message, names: ReadonlyMap<string, string>): readonly AiSdkMessageLike[] {
  const blocks = blocksOf(message);
  if (message.role === "assistant") return [{ role: "assistant", content: blocks.flatMap(writeReplyPart) }];
  const results = blocks.filter(isToolResult).map((block) => writeResult(block, names.get(block.tool_use_id) ?? ""));
  const others = blocks.filter((block) => !isToolResult(block)).flatMap(writeAsText);
  const tool = results.length === 0 ? [] : [{ role: "tool", content: results }];
  return others.length === 0 ? tool : [...tool, { role: "user", content: others }];
}

function writeReplyPart(block: Block): readonly object[] {
  if (!isKnownBlock(block)) return writeAsText(block);
  if (block.type === "tool_use") return [writeCall(block)];
  if (block.type === "reasoning") return [writeThought(block)];
  return block.type === "text" ? [writeText(block)] : writeAsText(block);
}

function writeAsText(block: Block): readonly object[] {
  const text = blockAsText(block);
  return text === undefined ? [] : [{ type: "text", text: text.text }];
}

function textOf(message: Message): string {
  return blocksOf(message)
    .map((block) => blockAsText(block)?.text ?? "")
    .join("\n");
}

/** The names of the tools by the ids of their calls. */
function toolNames(messages: readonly AiSdkMessageLike[]): ReadonlyMap<string, string> {
  const parts = messages.flatMap(({ content }): readonly unknown[] => (Array.isArray(content) ? content : []));
  return new Map(
    parts.map((part) => [asText(fieldAt(part, "toolCallId")) ?? "", asText(fieldAt(part, "toolName")) ?? ""]),
  );
}
