import { type Block, type Content, isKnownBlock, type Message } from "../../message/message.ts";
import { isToolUse } from "../../message/tool-pairs.ts";
import { hostRole } from "../../standing/read-standing.ts";
import { serialize } from "../../tokens/serialize.ts";
import { DATA_FENCE, defuse } from "./fences.ts";

/** One piece of a message as a condensing model reads it: plain text, and a fence around it where it is data. */
export interface RequestItem {
  readonly role: Message["role"];
  /** Which message it is a piece of: neighbours of one message become one again. */
  readonly messageIndex: number;
  readonly open: string;
  readonly body: string;
  readonly close: string;
}

/**
 * The messages as text, in the same order and roles.
 *
 * Providers refuse tool blocks without the tools' definitions, many models take no images, and reasoning may go back only
 * to the model that signed it. Tool output is fenced, and nothing in the conversation can open or close a fence.
 */
export function requestItems(messages: readonly Message[]): readonly RequestItem[] {
  const toolNames = new Map<string, string>();
  return messages.flatMap(({ role, content }, messageIndex) => {
    const blocks: readonly Block[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
    return blocks
      .map((block) => {
        // Some providers use an id again in a later turn: a result belongs to the call before it.
        if (isToolUse(block)) toolNames.set(block.id, block.name);
        return { role, messageIndex, ...renderBlock(block, toolNames) };
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

function renderBlock(block: Block, toolNames: ReadonlyMap<string, string>): Rendered {
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
      const status = block.is_error === true ? ' status="error"' : "";
      return {
        open: `<${DATA_FENCE} tool="${attribute(toolNames.get(block.tool_use_id) ?? "tool")}"${status}>\n`,
        body: defuse(outputText(block.content ?? "")),
        close: `\n</${DATA_FENCE}>`,
      };
    }
  }
}

const MAX_NAME_CHARACTERS = 60;

/** A name that stays inside its quotes; whatever providers allow in names comes through. */
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
