import type { Block, Content, Message } from "../message/message.ts";
import { contentBlocks, isToolResult, isToolUse } from "../message/tool-pairs.ts";
import { countContentTokens } from "./count-content.ts";
import { countMessagesTokens } from "./count-messages.ts";

/** A prompt that was sent, as far as we know it. */
export interface KnownPrompt {
  readonly messages: readonly Message[];
  /** Our count of system prompt and tool definitions. */
  readonly overheadTokens: number;
}

/** Why a report is not believed. */
export type UsageDoubt = "no-count" | "too-few" | "too-many";

/** No tokenizer of a text model makes fewer of a prompt, or more, for one of o200k's. */
const LEAST_RATIO = 0.5;
const MOST_RATIO = 2.5;
/** Providers write tool definitions in their own, shorter ways. */
const LEAST_OVERHEAD_RATIO = 0.25;
/** Of smaller prompts nothing is demanded: they are counted in many ways, and a wrong report on one does no harm. */
const NEGLIGIBLE_TOKENS = 500;
/** What providers add to every prompt, and nobody tells us of. */
const UNSEEN_TOKENS = 4_000;

/** Whether a provider can have counted so many tokens in this prompt; undefined where it can. */
export function usageDoubt(reportedTokens: number, prompt: KnownPrompt): UsageDoubt | undefined {
  if (!Number.isFinite(reportedTokens) || reportedTokens <= 0) return "no-count";
  if (isTooFew(reportedTokens, prompt)) return "too-few";
  const counted = countMessagesTokens(prompt.messages) + prompt.overheadTokens;
  return reportedTokens > MOST_RATIO * counted + UNSEEN_TOKENS ? "too-many" : undefined;
}

/** Whether a tokenizer can have made so many tokens of what we count: none need be added that we do not know of. */
export function isByTokenizer(reportedTokens: number, countedTokens: number): boolean {
  return reportedTokens <= MOST_RATIO * countedTokens;
}

/** Whether there are fewer tokens than any tokenizer makes of what is surely in the prompt. */
export function isTooFew(reportedTokens: number, { messages, overheadTokens }: KnownPrompt): boolean {
  const isBelow = (countedTokens: number) => {
    const least = LEAST_RATIO * countedTokens + LEAST_OVERHEAD_RATIO * overheadTokens;
    return least > NEGLIGIBLE_TOKENS && reportedTokens < least;
  };
  // Most reports pass the first look, whose counts are known.
  return isBelow(countMessagesTokens(messages)) && isBelow(countSurely(messages));
}

/** Providers drop reasoning of earlier turns, and count media and blocks that we do not know in ways of their own. */
function countSurely(messages: readonly Message[]): number {
  const isSure = (block: Block) => block.type === "text" || isToolUse(block) || isToolResult(block);
  const sureOf = (content: Content) => (typeof content === "string" ? content : contentBlocks(content).filter(isSure));
  return messages.reduce((sum, { content }) => sum + countContentTokens(sureOf(content)), 0);
}
