import type { LogBlock } from "../log-blocks.ts";

/** A log is a conversation without tools only where it has at least this many texts for each call. */
const TEXTS_PER_CALL = 20;
/** Calls and their results may have no more than this share of its tokens. */
const MOST_TOOL_SHARE = 0.1;
/** Fewer texts are too few to decide by. */
const LEAST_TEXTS = 8;

/** Average texts per message: people write one or two, a program that reports to a model puts many together. */
const MOST_TEXTS_PER_MESSAGE = 3;

/** Whether a log is a conversation of people, or of a person and a model, in which no agent works with tools. */
export function isChat(blocks: readonly LogBlock[]): boolean {
  let [calls, texts, toolTokens, textTokens] = [0, 0, 0, 0];
  const messages = new Set<unknown>();
  for (const { source, lines, message } of blocks) {
    const isText = source === "user" || source === "assistant";
    if (source === "call") calls += 1;
    if (isText) {
      texts += 1;
      messages.add(message);
    }
    for (const { tokens } of lines) {
      if (isText) textTokens += tokens;
      else toolTokens += tokens;
    }
  }
  const isWords = toolTokens <= MOST_TOOL_SHARE * (toolTokens + textTokens);
  const isSaid = texts <= MOST_TEXTS_PER_MESSAGE * messages.size;
  return texts >= LEAST_TEXTS && calls * TEXTS_PER_CALL <= texts && isWords && isSaid;
}
