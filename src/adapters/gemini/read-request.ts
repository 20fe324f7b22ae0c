import { bodyValue } from "../../core/json/body-value.ts";
import { entryAt } from "../../core/json/entry-at.ts";
import { isNestedTooDeep } from "../../core/json/nesting.ts";
import type { Message } from "../../core/message/message.ts";
import { contentBlocks, isToolResult, isToolUse } from "../../core/message/tool-pairs.ts";
import type { OnlyTool, RawRequest, WireRequest } from "../../core/ports/wire-adapter.ts";
import {
  asArray,
  asName,
  asNumber,
  asRecord,
  fieldAt,
  isRecord,
  type JsonRecord,
} from "../../core/transcript/read-json.ts";
import { canonicalTurn } from "./canonical-turn.ts";
import { isInventedCallId, plainCallId } from "./name-calls.ts";
import { protoField } from "./proto-fields.ts";
import { partsOf, readTurns, type Turn } from "./read-turns.ts";

const PATH = /(?:^|\/)([^/:]+):(generateContent|streamGenerateContent|countTokens)$/;

/** The conversation in a body. */
export interface Conversation {
  /** The request that holds it: the body, or one that the body wraps. */
  readonly fields: JsonRecord;
  readonly contents: readonly unknown[];
  readonly turns: readonly Turn[];
  /** The names of the fields that lead to the contents. */
  readonly path: readonly string[];
}

const conversations = new WeakMap<WireRequest, Conversation>();

export function readRequest(raw: RawRequest): WireRequest | undefined {
  try {
    const [, model, verb] = PATH.exec(raw.path) ?? [];
    const conversation = readConversation(raw);
    if (model === undefined || conversation === undefined) return undefined;
    const isCount = verb === "countTokens";
    const request: WireRequest = {
      raw,
      operation: isCount ? "count-tokens" : "generate",
      modelId: decoded(model),
      isStreaming: verb === "streamGenerateContent",
      ...describe(conversation),
    };
    // what is counted may be any piece of a conversation, such as one response
    if (isCount && !isWhole(request.messages)) return undefined;
    conversations.set(request, conversation);
    return request;
  } catch {
    // what is nested deeper than the stack goes is none of our business either
    return undefined;
  }
}

/** The conversation that a request was read from. */
export function conversationOf(request: WireRequest): Conversation | undefined {
  return conversations.get(request) ?? readConversation(request.raw);
}

function readConversation(raw: RawRequest): Conversation | undefined {
  const [, , verb] = PATH.exec(raw.path) ?? [];
  const parsed = verb === undefined ? undefined : bodyValue(raw);
  const found = isRecord(parsed) ? findContents(parsed, verb === "countTokens") : undefined;
  if (found === undefined || isNestedTooDeep(found.contents)) return undefined;
  const turns = readTurns(found.contents);
  return turns === undefined || turns.length === 0 ? undefined : { ...found, turns };
}

const WRAPPERS = ["generateContentRequest", "generate_content_request"];

/** A count may wrap the request that it is about; in one that has its contents twice, it is not said which count. */
function findContents(body: JsonRecord, mayWrap: boolean): Omit<Conversation, "turns"> | undefined {
  const places = [
    { fields: body, path: ["contents"] },
    ...(mayWrap ? WRAPPERS.map((name) => ({ fields: body[name], path: [name, "contents"] })) : []),
  ];
  const found = places.flatMap(({ fields, path }) =>
    isRecord(fields) && Array.isArray(fields.contents) ? [{ fields, path, contents: fields.contents }] : [],
  );
  return found.length === 1 ? found[0] : undefined;
}

type Described = Omit<WireRequest, "raw" | "operation" | "modelId" | "isStreaming">;

function describe({ fields, contents, turns }: Conversation): Described {
  const tools = Array.isArray(fields.tools) ? fields.tools : isRecord(fields.tools) ? [fields.tools] : [];
  const before = contents.slice(0, turns[0]?.start).flatMap(textsOf);
  const messages = turns.map(({ message }) => message);
  return {
    maxOutputTokens: maxOutputTokens(fields),
    systemPrompt: [systemText(fields), ...before].filter(Boolean).join("\n\n"),
    tools,
    onlyTool: onlyToolOf(tools, fields),
    messages,
    canonical(index) {
      const { start, end } = entryAt(turns, index);
      return canonicalTurn(contents.slice(start, end));
    },
    items(index) {
      const { start, end } = entryAt(turns, index);
      return contents.slice(start, end);
    },
    callIds: messages.map(callIdsOf),
    agentSession: undefined,
  };
}

/** One entry may declare many functions, or be something that Google runs itself. */
function onlyToolOf([entry, ...others]: readonly unknown[], fields: JsonRecord): OnlyTool | undefined {
  const declared = asArray(isRecord(entry) ? protoField(entry, "functionDeclarations") : undefined);
  const name = asName(fieldAt(declared[0], "name"));
  if (name === undefined || declared.length > 1 || others.length > 0) return undefined;
  const config = asRecord(protoField(fields, "toolConfig")) ?? {};
  const mode = fieldAt(protoField(config, "functionCallingConfig"), "mode");
  return { name, isForced: mode === "ANY" };
}

function callIdsOf({ content }: Message): readonly string[] {
  const calls = contentBlocks(content).filter(isToolUse);
  return calls.filter(({ id }) => !isInventedCallId(id)).map(({ id, name }) => plainCallId(id, name));
}

/** Whether it starts with the user's words and answers no call that it does not make. */
function isWhole(messages: readonly Message[]): boolean {
  const made = new Set<string>();
  const blocks = messages.flatMap(({ content }) => contentBlocks(content));
  for (const block of blocks) {
    if (isToolUse(block)) made.add(block.id);
    if (isToolResult(block) && !made.has(block.tool_use_id)) return false;
  }
  return messages[0]?.role === "user";
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function maxOutputTokens(body: JsonRecord): number | undefined {
  const config = protoField(body, "generationConfig");
  return isRecord(config) ? asNumber(protoField(config, "maxOutputTokens")) : undefined;
}

function systemText(body: JsonRecord): string {
  const instruction = protoField(body, "systemInstruction");
  return typeof instruction === "string" ? instruction : textsOf(instruction).join("\n\n");
}

function textsOf(content: unknown): readonly string[] {
  return partsOf(content).flatMap((part) => (isRecord(part) && typeof part.text === "string" ? [part.text] : []));
}
