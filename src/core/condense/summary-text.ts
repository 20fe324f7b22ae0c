import { type Block, isKnownBlock, type Message, type TextBlock } from "../message/message.ts";
import { isToolUse } from "../message/tool-pairs.ts";
import type { HiddenTotal } from "../truncate/hidden-totals.ts";
import { countOf, standInText } from "../truncate/stand-in.ts";
import { hybridSummaryOf } from "./hybrid/hybrid-text.ts";

/** The sentence at the end of a summary that names its fold; a later summary leaves it out. */
export function summaryNotice(foldId: string, total: HiddenTotal): TextBlock {
  const what = countOf(total.messages, "earlier message");
  return { type: "text", text: standInText({ foldId, what, tokens: total.tokens }) };
}

/** The text of a summary message, without the notice at its end. */
export function summaryTextOf(message: Message): string {
  if (typeof message.content === "string") return message.content;
  return blocksWithoutNotice(message)
    .flatMap((block) => (isKnownBlock(block) && block.type === "text" ? [block.text] : []))
    .join("\n\n");
}

/** A summary message as the model reads it for the next summary: its text where `withText`, and the tool calls that it carries. */
export function readableSummary(message: Message, withText: boolean): Message {
  if (typeof message.content === "string") return withText ? message : { ...message, content: [] };
  return { ...message, content: withText ? blocksWithoutNotice(message) : message.content.filter(isToolUse) };
}

/** The blocks of a summary without its notice; for a hybrid, only the part that a model wrote. */
function blocksWithoutNotice(message: Message): readonly Block[] {
  const { content, condenseId } = message;
  if (typeof content === "string") return [];
  // The quoted lines of a hybrid are chosen anew from the log each time.
  const summary = hybridSummaryOf(message);
  if (summary !== undefined) return [{ type: "text", text: summary }];
  const firstText = content.findIndex((block) => block.type === "text");
  return content.filter((block, index) => index <= firstText || !isNotice(block, condenseId));
}

function isNotice(block: Block, foldId: string | undefined): boolean {
  return isKnownBlock(block) && block.type === "text" && block.text.endsWith(`fold ${foldId}]`);
}
