import type { LogBlock } from "../log-blocks.ts";

/** A log in which hardly anything but words was exchanged has no more calls than one for so many texts. */
const TEXTS_PER_CALL = 20;
/** And calls and what came of them take no more than this share of it. */
const MOST_TOOL_SHARE = 0.1;
/** Fewer texts tell too little about a conversation. */
const LEAST_TEXTS = 8;

/** People say what they say in one text or two; a program that reports to a model puts its message together of many. */
const MOST_TEXTS_PER_MESSAGE = 3;

/** Whether people, or a person and a model, talk here, and no agent works with tools. */
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
