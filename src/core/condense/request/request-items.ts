import { type Block, type Content, isKnownBlock, type Message } from "../../message/message.ts";
import { contentBlocks, isToolUse } from "../../message/tool-pairs.ts";
import { serialize } from "../../tokens/serialize.ts";

/** One piece of a message as a condensing model reads it: plain text, and a fence around it where it is data. */
export interface RequestItem {
  readonly role: Message["role"];
  /** Which message it is a piece of: neighbours of one message become one again. */
  readonly messageIndex: number;
  readonly open: string;
  readonly body: string;
  readonly close: string;
}

/** Where tool output begins and ends in a request: what lies between is data, whatever it says. */
export const DATA_FENCE = "tool_output";

/**
 * The messages as text, in the same order and roles.
 *
 * Providers refuse tool blocks without the tools' definitions, many models take no images, and reasoning may go back only
 * to the model that signed it. Tool output is fenced, and cannot close its fence itself.
 */
export function requestItems(messages: readonly Message[]): readonly RequestItem[] {
  const toolNames = new Map(
    messages.flatMap((message) => contentBlocks(message.content).filter(isToolUse)).map((call) => [call.id, call.name]),
  );
  return messages.flatMap(({ role, content }, messageIndex) => {
    const blocks: readonly Block[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
    return blocks
      .map((block) => ({ role, messageIndex, ...renderBlock(block, toolNames) }))
      .filter((item) => item.open !== "" || item.body !== "");
  });
}

/** The items as messages again, each a single text. */
export function joinItems(items: readonly RequestItem[]): readonly Message[] {
  const texts = new Map<number, { readonly role: Message["role"]; readonly texts: string[] }>();
  for (const { role, messageIndex, open, body, close } of items) {
    const message = texts.get(messageIndex) ?? { role, texts: [] };
    texts.set(messageIndex, message);
    message.texts.push(`${open}${body}${close}`);
  }
  return [...texts.values()].map((message) => ({ role: message.role, content: message.texts.join("\n\n") }));
}

type Rendered = Pick<RequestItem, "open" | "body" | "close">;

function renderBlock(block: Block, toolNames: ReadonlyMap<string, string>): Rendered {
  if (!isKnownBlock(block)) return plain(`[${block.type.slice(0, MAX_NAME_CHARACTERS)}]`);
  switch (block.type) {
    case "text":
      return plain(block.text.trim());
    case "image":
      return plain("[image]");
    case "reasoning":
      return plain("");
    case "tool_use":
      return plain(`[tool call ${block.name} ${serialize(block.input)}]`);
    case "tool_result": {
      const name = JSON.stringify((toolNames.get(block.tool_use_id) ?? "tool").slice(0, MAX_NAME_CHARACTERS));
      const status = block.is_error === true ? ' status="error"' : "";
      return {
        open: `<${DATA_FENCE} tool=${name}${status}>\n`,
        body: defuse(outputText(block.content ?? "")),
        close: `\n</${DATA_FENCE}>`,
      };
    }
  }
}

const MAX_NAME_CHARACTERS = 60;

function plain(body: string): Rendered {
  return { open: "", body, close: "" };
}

function outputText(content: Content): string {
  if (typeof content === "string") return content;
  return content.map((item) => renderBlock(item, new Map()).body).join("\n");
}

/** Also the spellings that a model might take for the end of the fence. */
const FENCE_END = new RegExp(`<(?=[\\s/]{0,8}${DATA_FENCE})`, "gi");

/** Keeps data from opening a fence or ending its own. */
function defuse(output: string): string {
  return output.replace(FENCE_END, "‹");
}
