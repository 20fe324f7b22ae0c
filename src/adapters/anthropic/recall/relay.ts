import { sliceFields, sliceItems } from "../../../core/json/json-slices.ts";
import { tryParseJson } from "../../../core/json/parse-json.ts";
import {
  asArray,
  asName,
  asNumber,
  asRecord,
  asText,
  fieldAt,
  isRecord,
  type JsonRecord,
} from "../../../core/json/read-json.ts";
import type { RelayedReply } from "../../../core/ports/wire-recall.ts";
import { RECALL_TOOL_NAME, UNANSWERED_CALL } from "../../../core/recall/tool-definition.ts";
import { setField, sumUsage } from "../../splice/edit-fields.ts";
import { type RawEvent, writeEvent } from "../../splice/recall/raw-events.ts";
import type { Ending, RelayDescription, StreamReading } from "../../splice/recall/relay-replies.ts";

interface AnthropicReply {
  readonly blocks: readonly ReplyBlock[];
  readonly usage: unknown;
  readonly stopReason: unknown;
  /** Whether the reply calls the recall tool. */
  readonly hasRecallCalls: boolean;
  /** The document; empty if the reply was streamed. */
  readonly text: string;
}

export const anthropicRelay: RelayDescription<AnthropicReply> = {
  openStream,
  readDocument: (text) => {
    const reply = asRecord(tryParseJson(text));
    if (reply?.type !== "message" || !Array.isArray(reply.content)) return undefined;
    const blocks = blocksOfDocument(text);
    const hasRecallCalls = blocks.some(isRecallCall);
    return { blocks, usage: reply.usage, stopReason: reply.stop_reason, hasRecallCalls, text };
  },
  writeDocument,
  relayed,
  withoutCalls,
  visible: (replies) => writeTurn(shownBlocks(replies)),
  writeError: (body) => {
    const error = asRecord(tryParseJson(body));
    const event = isRecord(error?.error) ? error : { type: "error", error: { type: "api_error", message: body } };
    return writeEvent("error", event);
  },
};

function shownBlocks(replies: readonly AnthropicReply[]): readonly ReplyBlock[] {
  return replies.flatMap(({ blocks }) => blocks.filter((block) => !isRecallCall(block)));
}

function relayed({ blocks, stopReason }: AnthropicReply): RelayedReply {
  // A reply that was cut off may hold half a call.
  const calls = stopReason === "tool_use" ? blocks.filter(isRecallCall) : [];
  const hasOthers = blocks.some((block) => block.value.type === "tool_use" && !isRecallCall(block));
  return {
    calls: calls.map(callOf),
    isOver: calls.length === 0 || hasOthers,
    isWhole: stopReason !== undefined && stopReason !== null,
    items: writeTurn(blocks),
  };
}

const LINE = writtenBlock({ type: "text", text: UNANSWERED_CALL });

function withoutCalls(reply: AnthropicReply): AnthropicReply {
  if (!reply.blocks.some(isRecallCall)) return reply;
  return { ...reply, blocks: [...shownBlocks([reply]), LINE] };
}

function writeDocument(replies: readonly AnthropicReply[], ending: Ending): string | undefined {
  const last = replies.at(-1);
  const shown = shownBlocks(replies);
  if (last === undefined || (replies.length === 1 && !last.hasRecallCalls)) return undefined;
  const usage = replies.reduce<unknown>((sum, reply) => sumUsage(sum, reply.usage), undefined);
  let text = setField(last.text, "content", `[${shown.map(({ json }) => json).join(",")}]`);
  if (sliceFields(text)?.has("usage")) text = setField(text, "usage", JSON.stringify(usage));
  return ending === "abandoned" ? setField(text, "stop_reason", '"end_turn"') : text;
}

/** Occurs only in events that start a block: text of the model has its quotes escaped. */
const STARTS_BLOCK = '"content_block"';

function openStream(earlier: readonly AnthropicReply[]): StreamReading<AnthropicReply> {
  const shownBefore = shownBlocks(earlier).length;
  const usageBefore = earlier.reduce<unknown>((sum, { usage }) => sumUsage(sum, usage), undefined);
  /** The indexes of the blocks that call the recall tool. */
  const hidden = new Set<number>();
  let blockCount = 0;
  /** Whether the reply's calls of the recall tool cannot be answered. */
  let isCut = false;
  let usage: unknown;

  function indexIn(event: unknown): number | undefined {
    return asNumber(fieldAt(event, "index"));
  }

  /** The index that the block has in what the client gets. */
  function shownIndex(index: number): number {
    return shownBefore + index - [...hidden].filter((hiddenIndex) => hiddenIndex < index).length;
  }

  function takeBlock({ name, data, raw }: RawEvent): string {
    const event = tryParseJson(data);
    const index = indexIn(event);
    if (index === undefined) return raw;
    blockCount = Math.max(blockCount, index + 1);
    const value = asRecord(fieldAt(event, "content_block"));
    if (value !== undefined && isRecallCall({ value })) hidden.add(index);
    if (hidden.has(index)) return "";
    const shown = shownIndex(index);
    return shown === index ? raw : writeEvent(name, { ...asRecord(event), index: shown });
  }

  return {
    take(event) {
      const { raw } = event;
      const isChanged = earlier.length > 0 || hidden.size > 0;
      if (!isChanged) return raw.includes(STARTS_BLOCK) ? takeBlock(event) : raw;
      const { name } = event;
      if (name === "message_start") return earlier.length > 0 ? "" : raw;
      if (name === "message_delta" || name === "message_stop") return undefined;
      return name.startsWith("content_block") ? takeBlock(event) : raw;
    },
    read(events) {
      if (earlier.length === 0 && hidden.size === 0) return UNREAD;
      const reply = { ...replyOfEvents(events), hasRecallCalls: hidden.size > 0 };
      usage = reply.usage;
      isCut = relayed(reply).calls.length === 0;
      return reply;
    },
    writeEnd: (held, ending) => {
      const hasLine = hidden.size > 0 && held.length > 0 && (isCut || ending === "abandoned");
      const events = held.map((event) => {
        const value = asRecord(tryParseJson(event.data));
        if (value?.type !== "message_delta") return event.raw;
        const delta = ending === "abandoned" ? { ...asRecord(value.delta), stop_reason: "end_turn" } : value.delta;
        return writeEvent(event.name, { ...value, delta, usage: sumUsage(usageBefore, usage ?? value.usage) });
      });
      return [hasLine ? writeLine(shownIndex(blockCount)) : "", ...events].join("");
    },
  };
}

/** Parses the reply that a stream holds. */
function replyOfEvents(events: readonly RawEvent[]): Omit<AnthropicReply, "hasRecallCalls"> {
  const values = events.map(({ data }) => tryParseJson(data));
  const start = values.find((value) => fieldAt(value, "type") === "message_start");
  const delta = values.findLast((value) => fieldAt(value, "type") === "message_delta");
  const usage = { ...asRecord(fieldAt(start, "message", "usage")), ...asRecord(fieldAt(delta, "usage")) };
  const isStopped = values.some((value) => fieldAt(value, "type") === "message_stop");
  const stopReason = isStopped ? fieldAt(delta, "delta", "stop_reason") : undefined;
  return { blocks: blocksOfEvents(values), usage, stopReason, text: "" };
}

function writeLine(index: number): string {
  return [
    { type: "content_block_start", index, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index, delta: { type: "text_delta", text: UNANSWERED_CALL } },
    { type: "content_block_stop", index },
  ]
    .map((event) => writeEvent(event.type, event))
    .join("");
}

/** Stands for a stream that was passed on as it came, and that nobody has to parse. */
const UNREAD: AnthropicReply = {
  blocks: [],
  usage: undefined,
  stopReason: "end_turn",
  hasRecallCalls: false,
  text: "",
};

/** A block of a reply and its JSON as it is sent back: the bytes that came, as far as they came in one piece. */
interface ReplyBlock {
  readonly value: JsonRecord;
  readonly json: string;
}

function writtenBlock(value: JsonRecord): ReplyBlock {
  return { value, json: JSON.stringify(value) };
}

function isRecallCall({ value }: Pick<ReplyBlock, "value">): boolean {
  return value.type === "tool_use" && value.name === RECALL_TOOL_NAME;
}

/** The blocks of a reply that is one document. */
function blocksOfDocument(text: string): readonly ReplyBlock[] {
  const content = sliceFields(text)?.get("content");
  const slices = content === undefined ? [] : (sliceItems(text, content.start) ?? []);
  return slices.flatMap(({ start, end }) => {
    const json = text.slice(start, end);
    const value = tryParseJson(json);
    return isRecord(value) ? [{ value, json }] : [];
  });
}

interface OpenBlock {
  readonly block: Record<string, unknown>;
  input: string;
}

/** The blocks of a streamed reply. */
function blocksOfEvents(events: readonly unknown[]): readonly ReplyBlock[] {
  const open = new Map<unknown, OpenBlock>();
  for (const event of events) {
    const index = fieldAt(event, "index");
    const started = fieldAt(event, "content_block");
    if (fieldAt(event, "type") === "content_block_start" && isRecord(started)) {
      open.set(index, { block: { ...started }, input: "" });
    }
    const block = open.get(index);
    const delta = fieldAt(event, "delta");
    if (fieldAt(event, "type") === "content_block_delta" && block !== undefined && isRecord(delta))
      addDelta(block, delta);
  }
  return [...open.values()].map(closeBlock);
}

/** Adds a delta to its block: pieces of arguments to the input, citations to their list, any other text to the field of its name. */
function addDelta(open: OpenBlock, { type: _, partial_json: json, citation, ...grown }: JsonRecord): void {
  if (typeof json === "string") open.input += json;
  if (citation !== undefined) open.block.citations = [...asArray(open.block.citations), citation];
  for (const [name, piece] of Object.entries(grown)) {
    if (typeof piece !== "string") continue;
    open.block[name] = `${asText(open.block[name]) ?? ""}${piece}`;
  }
}

/** The block with its arguments as the text that was streamed: a number in them may have more digits than a JavaScript number holds. */
function closeBlock({ block, input }: OpenBlock): ReplyBlock {
  const parsed = input === "" ? undefined : tryParseJson(input);
  if (!isRecord(parsed)) return writtenBlock(block);
  const { input: _, ...rest } = block;
  return { value: { ...rest, input: parsed }, json: `${JSON.stringify(rest).slice(0, -1)},"input":${input}}` };
}

/** The blocks as one item of the assistant, without blank texts, which the API refuses; an empty list if nothing is left. */
function writeTurn(blocks: readonly ReplyBlock[]): readonly string[] {
  const kept = blocks.filter(({ value }) => value.type !== "text" || (asText(value.text) ?? "").trim() !== "");
  return kept.length === 0 ? [] : [`{"role":"assistant","content":[${kept.map(({ json }) => json).join(",")}]}`];
}

function callOf({ value }: ReplyBlock): { readonly id: string; readonly input: unknown } {
  return { id: asName(value.id) ?? "", input: value.input };
}
