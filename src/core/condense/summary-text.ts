import { isKnownBlock, type Message, type TextBlock } from "../message/message.ts";
import type { HiddenTotal } from "../truncate/hidden-totals.ts";
import { countOf, standInText } from "../truncate/stand-in.ts";

/** The sentence at the end of a summary that names its fold; a later summary leaves it out. */
export function summaryNotice(foldId: string, total: HiddenTotal): TextBlock {
  const what = countOf(total.messages, "earlier message");
  return { type: "text", text: standInText({ foldId, what, tokens: total.tokens }) };
}

/** What a summary message tells, without the notice at its end. */
export function summaryTextOf(message: Message): string {
  if (typeof message.content === "string") return message.content;
  const texts = message.content.flatMap((block) => (isKnownBlock(block) && block.type === "text" ? [block.text] : []));
  return texts.filter((text, index) => index === 0 || !text.includes(`fold ${message.condenseId}]`)).join("\n\n");
}
