import { asName, asRecord, asText, asTimeMs, isRecord, type JsonRecord } from "../json/read-json.ts";
import type { Block, Content, Message } from "../message/message.ts";
import { serialize } from "../tokens/serialize.ts";
import type { TranscriptProblem } from "./transcript.ts";

// As deep as messages may nest results; see checkMessages.
const MAX_NESTING = 20;

/** Content in our blocks, and the problems in reading it. */
export interface ReadContent {
  readonly content: Content;
  readonly problems: readonly TranscriptProblem[];
}

/**
 * Reads content in the form of Anthropic's API. Thinking becomes reasoning, with its signature; blocks of unknown types stay as
 * they are, and items that are no blocks become text with their JSON.
 */
export function readAnthropicContent(content: unknown, where: string): ReadContent {
  const problems: TranscriptProblem[] = [];
  return { content: readContent(content, { where, depth: 0, problems }), problems };
}

/** Reads one block as {@link readAnthropicContent} does. */
export function readAnthropicBlock(value: unknown): Block {
  return readBlock(value, { where: "", depth: 0, problems: [] });
}

interface Place {
  readonly where: string;
  readonly depth: number;
  readonly problems: TranscriptProblem[];
}

function readContent(content: unknown, place: Place): Content {
  if (typeof content === "string") return content;
  if (content === undefined || content === null) return [];
  if (!Array.isArray(content)) {
    if (isRecord(content)) return [readBlock(content, place)];
    place.problems.push({ where: place.where, reason: "This is no content: neither text nor a list of blocks." });
    return [];
  }
  return content.map((block: unknown, index) => readBlock(block, { ...place, where: `${place.where}[${index}]` }));
}

function readBlock(value: unknown, place: Place): Block {
  if (typeof value === "string") return { type: "text", text: value };
  const block = asRecord(value);
  const type = asText(block?.type);
  if (block === undefined || type === undefined) return { type: "text", text: serialize(value) };
  const read = readKnownBlock(block, type, place);
  if (read !== undefined) return read;
  if (!isKnownType(type)) return { ...block, type };
  place.problems.push({ where: place.where, reason: `This ${type} block lacks a field; it was taken as text.` });
  return { type: "text", text: serialize(value) };
}

function isKnownType(type: string): boolean {
  return ["text", "thinking", "reasoning", "tool_use", "tool_result", "image"].includes(type);
}

/** Reads a block of a known type; undefined for other types, and for a block without a required field. */
function readKnownBlock(block: JsonRecord, type: string, place: Place): Block | undefined {
  switch (type) {
    case "text":
      return asText(block.text) === undefined ? undefined : { ...block, type };
    case "thinking":
      return readThinking(block);
    case "reasoning":
      // Some providers keep only an encrypted form.
      return { ...block, type, text: asText(block.text) ?? "" };
    case "tool_use": {
      const isWhole = asText(block.id) !== undefined && asText(block.name) !== undefined;
      return isWhole ? { ...block, type } : undefined;
    }
    case "tool_result":
      return readResult(block, place);
    case "image":
      return isRecord(block.source) ? { ...block, type } : undefined;
    default:
      return undefined;
  }
}

function readThinking({ type: _, thinking, ...rest }: JsonRecord): Block | undefined {
  const text = asText(thinking);
  return text === undefined ? undefined : { ...rest, type: "reasoning", text };
}

function readResult(block: JsonRecord, place: Place): Block | undefined {
  const id = asText(block.tool_use_id);
  if (id === undefined || place.depth >= MAX_NESTING) return undefined;
  const { content: items, ...rest } = block;
  if (items === undefined || items === null) return { ...rest, type: "tool_result", tool_use_id: id };
  const content = readContent(items, { ...place, where: `${place.where}.content`, depth: place.depth + 1 });
  return { ...rest, type: "tool_result", tool_use_id: id, content };
}

const ROLES = ["user", "assistant"] as const;
const STRING_TAGS = ["condenseId", "condenseParent", "truncationId", "truncationParent", "compaction"] as const;
const BOOLEAN_TAGS = ["important", "isSummary", "isTruncationMarker", "isRetained"] as const;

/**
 * Reads one message in the form of Anthropic's API, with all other fields of its record: our own tags keep their meaning, and
 * one with a wrong type is dropped. `message` is undefined where the value is no message.
 */
export function readAnthropicMessage(
  value: unknown,
  where: string,
): { readonly message: Message | undefined; readonly problems: readonly TranscriptProblem[] } {
  const record = asRecord(value);
  const role = ROLES.find((each) => each === record?.role);
  if (record === undefined || role === undefined) {
    return { message: undefined, problems: [{ where, reason: "This is no message of a user or an assistant." }] };
  }
  const { id: _id, ts: _ts, folds: _folds, ...rest } = record;
  const { content, problems } = readAnthropicContent(record.content, `${where}.content`);
  const [id, ts] = [asName(record.id), asTimeMs(record.ts)];
  const wrongTags = [
    ...STRING_TAGS.filter((tag) => rest[tag] !== undefined && typeof rest[tag] !== "string"),
    ...BOOLEAN_TAGS.filter((tag) => rest[tag] !== undefined && typeof rest[tag] !== "boolean"),
  ];
  const tagProblems = wrongTags.map((tag) => ({ where: `${where}.${tag}`, reason: "This tag has a wrong type." }));
  const kept = Object.fromEntries(Object.entries(rest).filter(([key]) => !wrongTags.some((tag) => tag === key)));
  const message = { ...kept, role, content, ...(id !== undefined && { id }), ...(ts !== undefined && { ts }) };
  return { message, problems: [...problems, ...tagProblems] };
}

/** Writes a block for a session file in Anthropic's format: reasoning becomes thinking. The reverse of {@link readAnthropicBlock}. */
export function writeAnthropicBlock(block: Block): Block {
  if (block.type !== "reasoning") return block;
  const { text, ...rest }: JsonRecord = { ...block };
  return writeAnthropicThinking(block) ?? { ...rest, type: "thinking", thinking: text };
}

/** Reads redacted thinking as reasoning without a text, so that it stays with the call that follows it as other reasoning does. */
export function readSealedThinking({ type: _, data: redactedData, ...rest }: JsonRecord): Block {
  return { ...rest, type: "reasoning", text: "", redactedData };
}

export type AnthropicThinking =
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }
  | { readonly type: "redacted_thinking"; readonly data: string };

/** Writes reasoning for Anthropic's API, redacted or with its signature; undefined where it has neither, because the API would refuse it. */
export function writeAnthropicThinking(block: Block): AnthropicThinking | undefined {
  const { redactedData, text, ...rest }: JsonRecord = { ...block };
  const { signature } = rest;
  if (typeof redactedData === "string") return { type: "redacted_thinking", data: redactedData };
  if (typeof text !== "string" || typeof signature !== "string" || signature === "") return undefined;
  // The order of the fields must never change, so that a stand-in is sent again as the same bytes.
  return { ...rest, type: "thinking", thinking: text, signature };
}
