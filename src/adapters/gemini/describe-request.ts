import { asArray, asName, asNumber, asRecord, fieldAt, isRecord, type JsonRecord } from "../../core/json/read-json.ts";
import type { Message } from "../../core/message/message.ts";
import { contentBlocks, isToolResult, isToolUse } from "../../core/message/tool-pairs.ts";
import type { OnlyTool, WireOperation } from "../../core/ports/wire-adapter.ts";
import { protoField } from "../../core/transcript/gemini-proto-fields.ts";
import type { DescribedRequest, ItemList, WireConversation } from "../splice/index.ts";
import { partsOf } from "./read-turns.ts";

/** What a request says besides its conversation. Undefined for a token count of something else than a whole conversation, such as one response. */
export function describeRequest(
  conversation: WireConversation,
  operation: WireOperation,
): DescribedRequest | undefined {
  const { raw, fields, items, headCount, groups } = conversation;
  const target = readTarget(raw.path);
  if (target === undefined) return undefined;
  if (operation === "count-tokens" && !isWhole(groups.map(({ message }) => message))) return undefined;
  const tools = Array.isArray(fields.tools) ? fields.tools : isRecord(fields.tools) ? [fields.tools] : [];
  return {
    ...target,
    maxOutputTokens: maxOutputTokens(fields),
    systemPrompt: [systemText(fields), ...items.slice(0, headCount).flatMap(textsOf)].filter(Boolean).join("\n\n"),
    tools,
    onlyTool: onlyToolOf(tools, fields),
    agentSession: undefined,
  };
}

/** The only function that is declared; undefined if there are several, or another tool. One entry of `tools` may declare many functions. */
function onlyToolOf([entry, ...others]: readonly unknown[], fields: JsonRecord): OnlyTool | undefined {
  const declared = asArray(isRecord(entry) ? protoField(entry, "functionDeclarations") : undefined);
  const name = asName(fieldAt(declared[0], "name"));
  if (name === undefined || declared.length > 1 || others.length > 0) return undefined;
  const config = asRecord(protoField(fields, "toolConfig")) ?? {};
  const mode = fieldAt(protoField(config, "functionCallingConfig"), "mode");
  return { name, isForced: mode === "ANY" };
}

/** Whether the messages are a whole conversation: a user's message begins it, and each result follows its call. */
function isWhole(messages: readonly Message[]): boolean {
  const made = new Set<string>();
  const blocks = messages.flatMap(({ content }) => contentBlocks(content));
  for (const block of blocks) {
    if (isToolUse(block)) made.add(block.id);
    if (isToolResult(block) && !made.has(block.tool_use_id)) return false;
  }
  return messages[0]?.role === "user";
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

/** The model and the verb, which Gemini's requests have in their path. */
interface RequestTarget {
  readonly modelId: string;
  readonly isStreaming: boolean;
}

const PATH = /(?:^|\/)([^/:]+):(generateContent|streamGenerateContent|countTokens)$/;

function readTarget(path: string): RequestTarget | undefined {
  const [, model, verb] = PATH.exec(path) ?? [];
  return model === undefined ? undefined : { modelId: decoded(model), isStreaming: verb === "streamGenerateContent" };
}

export function operationOf(path: string): WireOperation | undefined {
  const [, , verb] = PATH.exec(path) ?? [];
  if (verb === undefined) return undefined;
  return verb === "countTokens" ? "count-tokens" : "generate";
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

const OWN = ["contents"];

/** Where a body has its contents: a token count may wrap the request to count. */
export const LIST_PATHS = [OWN, ["generateContentRequest", "contents"], ["generate_content_request", "contents"]];

/** Finds the contents of a body; undefined if there are none, or two lists of them in a token count, as then it is not clear which are counted. */
export function findContents(body: JsonRecord, operation: WireOperation): ItemList | undefined {
  const paths = operation === "count-tokens" ? LIST_PATHS : [OWN];
  const lists = paths.flatMap((path): readonly ItemList[] => {
    const fields = path.length === 1 ? body : body[path[0] ?? ""];
    return isRecord(fields) && Array.isArray(fields.contents) ? [{ fields, path, items: fields.contents }] : [];
  });
  return lists.length === 1 ? lists[0] : undefined;
}
