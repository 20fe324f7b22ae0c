import { foldsShownIn, isStandIn } from "../message/effective-view.ts";
import { type Block, type CountTokens, isKnownBlock, type Message } from "../message/message.ts";
import { countBlockTokens, countMessageTokens } from "../tokens/count-messages.ts";
import type { TokenCategory, TokensByCategory } from "./request-record.ts";

/** The tokens of a message of a view by category, in our tokens. A category may occur more than once. */
export function countCategories(
  message: Message,
  countTokens: CountTokens,
): readonly (readonly [TokenCategory, number])[] {
  const whole = countMessageTokens(message, countTokens);
  const plain = message.role === "user" ? "user" : "assistant";
  const { content } = message;
  const folded = new Set(
    foldsShownIn(message).flatMap(({ kind, blockIndex }) => (kind === "notice" ? [] : [blockIndex])),
  );
  if (isStandIn(message)) return [["standIns", whole]];
  if (typeof content === "string") return [[folded.size > 0 ? "standIns" : plain, whole]];
  const categories = content.map((block, index) => (folded.has(index) ? "standIns" : categoryOf(block, plain)));
  const [first = plain] = categories;
  // Most messages have one category only, and their count is cached.
  if (categories.every((category) => category === first)) return [[first, whole]];
  const counted = content.map((block, index) => {
    const category = categories[index] ?? plain;
    return [category, category === plain ? 0 : countBlockTokens(block, countTokens)] as const;
  });
  const rest = counted.reduce((tokens, [, part]) => tokens - part, whole);
  return [...counted, [plain, Math.max(0, rest)]];
}

function categoryOf(block: Block, plain: TokenCategory): TokenCategory {
  if (!isKnownBlock(block)) return plain;
  switch (block.type) {
    case "text":
    case "tool_use":
      return plain;
    case "image":
      return "images";
    case "tool_result":
      return "toolResults";
    case "reasoning":
      return "reasoning";
  }
}

/** The counts in the model's tokens, without categories that have 0. */
export function scaleCategories(counts: Iterable<readonly [TokenCategory, number]>, ratio: number): TokensByCategory {
  const scaled: Partial<Record<TokenCategory, number>> = {};
  for (const [category, tokens] of counts) {
    const rounded = Math.round(tokens * ratio);
    if (rounded > 0) scaled[category] = rounded;
  }
  return scaled;
}
