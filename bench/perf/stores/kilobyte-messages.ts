/** Messages of about a kilobyte each, as an agent's session has them: calls that write code, results of JSON and code, and talk. */
import type { Message } from "palimpsest";
import { codeCorpus, jsonCorpus, proseCorpus } from "../corpora.ts";

const CHARACTERS = 900;
const MESSAGES_PER_TURN = 6;

/** No two of them say the same. */
export function kilobyteMessages(count: number, firstId = 0): readonly Message[] {
  const texts = [proseCorpus, codeCorpus, jsonCorpus].map((corpus, kind) =>
    corpus(Math.ceil(count / 3 + 1) * CHARACTERS, firstId + kind + 1),
  );
  return Array.from({ length: count }, (_, index): Message => {
    const text = texts[index % 3] ?? "";
    const start = Math.floor(index / 3) * CHARACTERS;
    return messageOf(firstId + index, text.slice(start, start + CHARACTERS));
  });
}

/** A question, twice a call with its result, and an answer. */
function messageOf(number: number, text: string): Message {
  const [id, ts] = [`m${number}`, 1_700_000_000_000 + number * 1_000];
  switch (number % MESSAGES_PER_TURN) {
    case 0:
      return { id, ts, role: "user", content: text };
    case 1:
    case 3: {
      const input = { file_path: `src/part-${number % 97}.ts`, content: text };
      return {
        id,
        ts,
        role: "assistant",
        content: [{ type: "tool_use", id: `call-${number}`, name: "Write", input }],
      };
    }
    case 2:
    case 4:
      return {
        id,
        ts,
        role: "user",
        content: [{ type: "tool_result", tool_use_id: `call-${number - 1}`, content: text }],
      };
    default:
      return { id, ts, role: "assistant", content: [{ type: "text", text }] };
  }
}
