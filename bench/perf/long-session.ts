/** Long sessions to measure with. */
import type { Message } from "palimpsest";
import { proseCorpus } from "./corpora.ts";

export const TOKENS_PER_MESSAGE = 200;
const CHARACTERS_PER_TOKEN = 4;

/** Alternating calls and results of distinct text, so that nothing is counted from a cache of an earlier message. */
export function buildSession(size: number, firstId = 0): readonly Message[] {
  const words = proseCorpus(size * TOKENS_PER_MESSAGE * CHARACTERS_PER_TOKEN, firstId + size);
  const length = Math.floor(words.length / size);
  return Array.from({ length: size }, (_, index): Message => {
    const text = words.slice(index * length, (index + 1) * length);
    const id = firstId + index;
    if (id % 2 === 0)
      return {
        id: `m${id}`,
        role: "user",
        content: id === 0 ? text : [{ type: "tool_result", tool_use_id: `t${id - 1}`, content: text }],
      };
    return {
      id: `m${id}`,
      role: "assistant",
      content: [{ type: "tool_use", id: `t${id}`, name: "note", input: { text } }],
    };
  });
}
