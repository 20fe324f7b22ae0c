import type { Block, Content, Message } from "../message/message.ts";
import { contentBlocks, isToolResult, isToolUse } from "../message/tool-pairs.ts";
import { countContentTokens } from "./count-content.ts";
import { countMessagesTokens } from "./count-messages.ts";

/** The parts of a sent prompt that we know. */
export interface KnownPrompt {
  readonly messages: readonly Message[];
  /** Our count of system prompt and tool definitions. */
  readonly overheadTokens: number;
}

/** Why a reported prompt size is not believed. */
export type UsageDoubt = "no-count" | "too-few" | "too-many";

/** No text model's tokenizer makes fewer or more tokens of a prompt, for each token of o200k. */
const LEAST_RATIO = 0.5;
const MOST_RATIO = 2.5;
/** Providers write tool definitions in their own, shorter ways. */
const LEAST_OVERHEAD_RATIO = 0.25;
/** Smaller prompts are never "too-few": providers count them in many ways, and a wrong report on one does no harm. */
const NEGLIGIBLE_TOKENS = 500;
/** How many tokens a provider may add to every prompt without telling us. */
const UNSEEN_TOKENS = 4_000;

/** Why a provider cannot have counted so many tokens in this prompt; undefined where it can. */
export function usageDoubt(reportedTokens: number, prompt: KnownPrompt): UsageDoubt | undefined {
  if (!Number.isFinite(reportedTokens) || reportedTokens <= 0) return "no-count";
  if (isTooFew(reportedTokens, prompt)) return "too-few";
  const counted = countMessagesTokens(prompt.messages) + prompt.overheadTokens;
  return reportedTokens > MOST_RATIO * counted + UNSEEN_TOKENS ? "too-many" : undefined;
}

/** Whether a tokenizer can have made so many tokens of `countedTokens` of ours, without anything that the provider adds. */
export function isByTokenizer(reportedTokens: number, countedTokens: number): boolean {
  return reportedTokens <= MOST_RATIO * countedTokens;
}

/** Whether fewer tokens were reported than any tokenizer makes of the blocks that are surely in the prompt. */
export function isTooFew(reportedTokens: number, { messages, overheadTokens }: KnownPrompt): boolean {
  const isBelow = (countedTokens: number) => {
    const least = LEAST_RATIO * countedTokens + LEAST_OVERHEAD_RATIO * overheadTokens;
    return least > NEGLIGIBLE_TOKENS && reportedTokens < least;
  };
  // The first count is cached, and settles most reports.
  return isBelow(countMessagesTokens(messages)) && isBelow(countSureTokens(messages));
}

/** Counts text, calls and results only: providers drop reasoning of earlier turns, and count media and unknown blocks in their own ways. */
function countSureTokens(messages: readonly Message[]): number {
  const isSure = (block: Block) => block.type === "text" || isToolUse(block) || isToolResult(block);
  const sureOf = (content: Content) => (typeof content === "string" ? content : contentBlocks(content).filter(isSure));
  return messages.reduce((sum, { content }) => sum + countContentTokens(sureOf(content)), 0);
}
