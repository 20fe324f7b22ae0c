import { summaryId } from "../../core/message/effective-view.ts";
import { type Content, isKnownBlock, type Message } from "../../core/message/message.ts";
import type { CondensationResult } from "../../core/ports/condensation.ts";

/** The same condensation with another text in place of its summary, or undefined where that is nowhere to be found. */
export function replaceSummary(result: CondensationResult, summary: string): CondensationResult | undefined {
  const { condenseId, summary: before } = result;
  const isHolder = (message: Message) => summaryId(message) === condenseId && holds(message.content, before);
  const holder = before === "" ? -1 : result.messages.findIndex(isHolder);
  if (holder < 0) return undefined;
  const messages = result.messages.map((message, index) =>
    index === holder ? { ...message, content: replaceText(message.content, before, summary) } : message,
  );
  return { ...result, messages, summary };
}

function holds(content: Content, text: string): boolean {
  if (typeof content === "string") return content.includes(text);
  return content.some((block) => isKnownBlock(block) && block.type === "text" && block.text.includes(text));
}

function replaceText(content: Content, before: string, after: string): Content {
  // By a function: in a text, `$` would stand for something else.
  const replace = (text: string) => text.replace(before, () => after);
  if (typeof content === "string") return replace(content);
  return content.map((block) =>
    isKnownBlock(block) && block.type === "text" ? { ...block, text: replace(block.text) } : block,
  );
}
