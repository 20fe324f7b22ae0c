import { tryParseJson } from "../../core/json/parse-json.ts";
import { asText, fieldAt, isRecord } from "../../core/json/read-json.ts";
import {
  type Block,
  isKnownBlock,
  type KnownBlock,
  type Message,
  type ToolResultBlock,
} from "../../core/message/message.ts";
import { contentBlocks, isInventedCallId, isToolUse } from "../../core/message/tool-pairs.ts";
import { blocksOf, joinPairs } from "../shared/join-turns.ts";
import { type PromptOptions, systemOf } from "../shared/options.ts";
import { sendableMessages } from "../shared/sendable.ts";
import type {
  GeminiContent,
  GeminiFunctionResponse,
  GeminiMediaPart,
  GeminiPart,
  GeminiPrompt,
} from "./gemini-prompt.ts";
import { partFields, showBlock } from "./show-block.ts";
import { signCalls } from "./signatures.ts";

/**
 * Converts messages to what Google's client takes: `ai.models.generateContent({ model, ...prompt })`. Only role and content are sent, and nothing
 * that the API refuses.
 *
 * `fromGemini` gives the same messages back, except for what this API cannot hold: ids, times and tags of messages; a content that is one string,
 * and texts of a result that are several; reasoning that is not Gemini's; blocks of other providers, which become text; arguments that are no
 * object; images in other formats. Neighbours of one role that share calls and results are one turn, and calls that nobody answered have
 * a response that says so. A call of the newest turn that has no signature gets the one that Gemini documents for calls that it did not make.
 * @example
 * ```ts
 * import { toGemini } from "palimpsest/messages";
 * const prompt = toGemini([{ id: "m1", role: "user", content: "Why?" }], { system: "Be brief." });
 * console.log(JSON.stringify(prompt)); // {"contents":[{"role":"user","parts":[{"text":"Why?"}]}],"config":{"systemInstruction":"Be brief."}}
 * ```
 */
export function toGemini(messages: readonly Message[], options?: PromptOptions): GeminiPrompt {
  const system = systemOf(options);
  const arranged = joinPairs(sendableMessages(messages, showBlock), { repliesFrom: "start" });
  const names = functionNames(arranged);
  const contents = arranged.map((message): GeminiContent => {
    const parts = blocksOf(message).map((block): GeminiPart => writePart(block, names));
    return { role: message.role === "assistant" ? "model" : "user", parts };
  });
  return { contents: signCalls(contents), ...(system !== undefined && { config: { systemInstruction: system } }) };
}

function functionNames(messages: readonly Message[]): ReadonlyMap<string, string> {
  const calls = messages.flatMap(({ content }) => contentBlocks(content).filter(isToolUse));
  return new Map(calls.map(({ id, name }) => [id, name]));
}

/** The name of the function for each call's id: Gemini's responses have the name, our results do not. */
type FunctionNames = ReadonlyMap<string, string>;

/** Writes a block that `showBlock` returned as a part. */
function writePart(block: Block, names: FunctionNames): GeminiPart {
  if (isKnownBlock(block)) return writeKnown(block, names);
  if (block.type === "blank_text") return { ...partFields(block), text: asText(fieldAt(block, "text")) ?? " " };
  return { ...partFields(block), [block.type]: fieldAt(block, block.type) };
}

function writeKnown(block: KnownBlock, names: FunctionNames): GeminiPart {
  switch (block.type) {
    case "text":
      return { ...partFields(block), text: block.text };
    case "reasoning": {
      const isMarked = fieldAt(block, "thought") === true;
      return { ...partFields(block), text: block.text, ...(isMarked && { thought: true }) };
    }
    case "image":
      return { ...partFields(block), ...writeMedia(block) };
    case "tool_use": {
      const args = isRecord(block.input) ? { ...block.input } : {};
      return { ...partFields(block), functionCall: { ...wireId(block.id), name: block.name, args } };
    }
    case "tool_result":
      return { functionResponse: writeResponse(block, names) };
  }
}

/** The id of a call, unless we invented it: then the API has none. */
function wireId(id: string): { id?: string } {
  return isInventedCallId(id) ? {} : { id };
}

function writeMedia({ source }: Extract<KnownBlock, { readonly type: "image" }>): GeminiMediaPart {
  return source.type === "url"
    ? { fileData: { fileUri: source.url } }
    : { inlineData: { mimeType: source.media_type, data: source.data } };
}

function writeResponse(block: ToolResultBlock, names: FunctionNames): GeminiFunctionResponse {
  const { tool_use_id: id, content = "" } = block;
  const items = typeof content === "string" ? [] : content;
  const texts = items.flatMap((item) => (isKnownBlock(item) && item.type === "text" ? [item.text] : []));
  const text = typeof content === "string" ? content : texts.join("\n");
  const parts = items.flatMap(writeItem);
  const response = writeOutput(block, text);
  return { ...wireId(id), name: names.get(id) ?? "unknown", response, ...(parts.length > 0 && { parts }) };
}

/** The media of a result, which are parts beside its text. */
function writeItem(item: Block): GeminiMediaPart[] {
  if (isKnownBlock(item)) return item.type === "image" ? [writeMedia(item)] : [];
  const fileData = fieldAt(item, "fileData");
  return isRecord(fileData) ? [{ fileData: { fileUri: "", ...fileData } }] : [];
}

/** The `response` in the form that `fromGemini` read it from, if its text still has that form. */
function writeOutput(block: ToolResultBlock, text: string): Record<string, unknown> {
  const parsed = fieldAt(block, "responseFormat") === "json" ? tryParseJson(text) : undefined;
  if (isRecord(parsed)) return { ...parsed };
  const field = asText(fieldAt(block, "responseField"));
  return { [field ?? (block.is_error ? "error" : "output")]: text };
}
