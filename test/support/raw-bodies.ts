/** Conversations as agents that check nothing would send them: each message as it is, on each wire. */
import { type Block, type Content, isKnownBlock, type Message } from "../../src/core/message/message.ts";
import { isToolResult, isToolUse } from "../../src/core/message/tool-pairs.ts";
import type { KnownWire } from "./known-wires.ts";

export interface RawWire {
  readonly wire: KnownWire;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  body(messages: readonly Message[]): object;
}

const TOOL = { name: "read_file", description: "Reads a file.", schema: { type: "object", properties: {} } };
const MAX_TOKENS = 500;

export const RAW_WIRES: readonly RawWire[] = [
  {
    wire: "anthropic",
    path: "/v1/messages",
    headers: { "x-api-key": "k", "anthropic-version": "2023-06-01" },
    body: (messages) => ({
      model: "claude-sonnet-4-5",
      max_tokens: MAX_TOKENS,
      tools: [{ name: TOOL.name, description: TOOL.description, input_schema: TOOL.schema }],
      messages: messages.map(({ role, content }) => ({ role, content })),
    }),
  },
  {
    wire: "openai-chat",
    path: "/v1/chat/completions",
    headers: { authorization: "Bearer k" },
    body: (messages) => ({
      model: "gpt-4.1",
      max_tokens: MAX_TOKENS,
      tools: [
        { type: "function", function: { name: TOOL.name, description: TOOL.description, parameters: TOOL.schema } },
      ],
      messages: messages.flatMap(chatMessages),
    }),
  },
  {
    wire: "openai-responses",
    path: "/v1/responses",
    headers: { authorization: "Bearer k" },
    body: (messages) => ({
      model: "gpt-5.4",
      max_output_tokens: MAX_TOKENS,
      tools: [{ type: "function", name: TOOL.name, description: TOOL.description, parameters: TOOL.schema }],
      input: messages.flatMap(({ role, content }) => blocksOf(content).map((block) => responsesItem(role, block))),
    }),
  },
  {
    wire: "gemini",
    path: "/v1beta/models/gemini-2.5-flash:generateContent",
    headers: { "x-goog-api-key": "k" },
    body: (messages) => ({
      generationConfig: { maxOutputTokens: MAX_TOKENS },
      tools: [
        {
          functionDeclarations: [{ name: TOOL.name, description: TOOL.description, parametersJsonSchema: TOOL.schema }],
        },
      ],
      contents: messages.map(({ role, content }) => ({
        role: role === "user" ? "user" : "model",
        parts: blocksOf(content).map(geminiPart),
      })),
    }),
  },
];

function blocksOf(content: Content): readonly Block[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function textOf(block: Block): string {
  return isKnownBlock(block) && block.type === "text" ? block.text : "";
}

const resultText = (block: Block) => (isToolResult(block) ? String(block.content ?? "") : "");

function chatMessages({ role, content }: Message): readonly object[] {
  const blocks = blocksOf(content);
  const texts = blocks.filter((block) => !isToolUse(block) && !isToolResult(block));
  const results = blocks
    .filter(isToolResult)
    .map((block) => ({ role: "tool", tool_call_id: block.tool_use_id, content: resultText(block) }));
  const calls = blocks.filter(isToolUse).map(({ id, name, input }) => ({
    id,
    type: "function",
    function: { name, arguments: JSON.stringify(input) },
  }));
  if (role === "user" && texts.length === 0 && results.length > 0) return results;
  const said = texts.map(textOf).join("\n");
  const message = { role, content: said, ...(calls.length > 0 && { tool_calls: calls }) };
  return [...results, message];
}

function responsesItem(role: Message["role"], block: Block): object {
  if (isToolUse(block)) {
    return { type: "function_call", call_id: block.id, name: block.name, arguments: JSON.stringify(block.input) };
  }
  if (isToolResult(block))
    return { type: "function_call_output", call_id: block.tool_use_id, output: resultText(block) };
  const type = role === "user" ? "input_text" : "output_text";
  return { type: "message", role, content: [{ type, text: textOf(block) }] };
}

function geminiPart(block: Block): object {
  if (isToolUse(block)) return { functionCall: { id: block.id, name: block.name, args: block.input } };
  if (isToolResult(block)) {
    return { functionResponse: { id: block.tool_use_id, name: TOOL.name, response: { output: resultText(block) } } };
  }
  return { text: textOf(block) };
}
