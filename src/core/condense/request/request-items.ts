import {
  type Block,
  type Content,
  isKnownBlock,
  type Message,
  type ToolResultBlock,
  type ToolUseBlock,
} from "../../message/message.ts";
import { isToolUse } from "../../message/tool-pairs.ts";
import { findAnswer, findSpokenAnswer } from "../../standing/person-answers.ts";
import { hostRole } from "../../standing/read-standing.ts";
import { resultText } from "../../standing/result-text.ts";
import { serialize } from "../../tokens/serialize.ts";
import { type SpokenResult, spokenResults } from "../../tool-calls/spoken-results.ts";
import { DATA_FENCE, defuse } from "./fences.ts";

/** One block of a message as a condensing model reads it: plain text, with a fence around it where it is data. */
export interface RequestItem {
  readonly role: Message["role"];
  /** The message that it is a part of: neighbouring items of one message are joined again. */
  readonly messageIndex: number;
  readonly open: string;
  readonly body: string;
  readonly close: string;
}

/**
 * The messages as text, in the same order and roles.
 *
 * Providers refuse tool blocks without the tools' definitions, many models take no images, and reasoning may go back only
 * to the model that signed it. Tool output is fenced, and nothing in the conversation can open or close a fence. What a person said through
 * a tool is not fenced: it is no tool's output, and tells the agent what to do.
 */
export function requestItems(messages: readonly Message[]): readonly RequestItem[] {
  const calls = new Map<string, ToolUseBlock>();
  return messages.flatMap(({ role, content }, messageIndex) => {
    const blocks: readonly Block[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
    const results = new Map(role === "user" ? spokenResults(blocks).map((result) => [result.blockIndex, result]) : []);
    return blocks
      .map((block, blockIndex) => {
        // Some providers use an id again in a later turn: a result belongs to the call before it.
        if (isToolUse(block)) calls.set(block.id, block);
        const result = results.get(blockIndex);
        const rendered = result === undefined ? renderBlock(block, calls) : renderSpoken(block, result);
        return { role, messageIndex, ...rendered };
      })
      .filter((item) => item.open !== "" || item.body !== "");
  });
}

/** The items as messages again, each a single text. */
export function joinItems(items: readonly RequestItem[]): readonly Message[] {
  const messages: { readonly role: Message["role"]; readonly messageIndex: number; readonly texts: string[] }[] = [];
  for (const { role, messageIndex, open, body, close } of items) {
    const text = `${open}${body}${close}`;
    const last = messages.at(-1);
    if (last?.messageIndex === messageIndex) last.texts.push(text);
    else messages.push({ role, messageIndex, texts: [text] });
  }
  return messages.map(({ role, texts }) => ({ role, content: texts.join("\n\n") }));
}

type Rendered = Pick<RequestItem, "open" | "body" | "close">;

function renderBlock(block: Block, calls: ReadonlyMap<string, ToolUseBlock>): Rendered {
  if (!isKnownBlock(block)) return plain(`[${block.type.slice(0, MAX_NAME_CHARACTERS)}]`);
  switch (block.type) {
    case "text": {
      const role = hostRole(block);
      return plain(role === undefined ? block.text.trim() : `[${role} message] ${block.text.trim()}`);
    }
    case "image":
      return plain("[image]");
    case "reasoning":
      return plain("");
    case "tool_use":
      return plain(`[tool call ${block.name} ${serialize(block.input)}]`);
    case "tool_result": {
      const call = calls.get(block.tool_use_id);
      const name = attribute(call?.name ?? "tool");
      const answer = call && answerText(call, block);
      if (answer !== undefined)
        return plain(`[the person ${block.is_error === true ? "refused" : "answered"} ${name}] ${answer}`);
      const status = block.is_error === true ? ' status="error"' : "";
      return fenced(`tool="${name}"${status}`, outputText(block.content ?? ""));
    }
  }
}

/** A tool's result that an agent sends as a text of the user's. Where it is all heading, the output is in the next text. */
function renderSpoken(block: Block, result: SpokenResult): Rendered {
  if (!isKnownBlock(block) || block.type !== "text") return plain("");
  const { text } = block;
  if (result.start > 0 && result.start === text.length) return plain(text.trim());
  const name = attribute(result.name ?? "tool");
  const answer = findSpokenAnswer(text, result);
  if (answer?.isCertain) return plain(`[the person answered ${name}] ${text.slice(answer.start, answer.end)}`);
  return fenced(`tool="${name}"`, text.trim());
}

/** What the person said through a tool, where it is certain that a person did: anything else may be any tool's output. */
function answerText(call: ToolUseBlock, result: ToolResultBlock): string | undefined {
  const answer = findAnswer(call, result);
  return answer?.isCertain ? resultText(result).slice(answer.start, answer.end) : undefined;
}

function fenced(attributes: string, output: string): Rendered {
  return { open: `<${DATA_FENCE} ${attributes}>\n`, body: defuse(output), close: `\n</${DATA_FENCE}>` };
}

const MAX_NAME_CHARACTERS = 60;

/** A tool's name made safe to stand between quotes; all characters that providers allow in names are kept. */
function attribute(name: string): string {
  return name.slice(0, MAX_NAME_CHARACTERS).replace(/[^\w./:-]+/g, "_");
}

function plain(body: string): Rendered {
  return { open: "", body: defuse(body), close: "" };
}

function outputText(content: Content): string {
  if (typeof content === "string") return content;
  return content.map((item) => renderBlock(item, new Map()).body).join("\n");
}
