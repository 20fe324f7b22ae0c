/** Sessions of any length of which all but the newest messages are behind one summary. */
import type { Message, Session } from "palimpsest";
import { proseCorpus } from "../corpora.ts";

const CHARACTERS = 300;
/** What is visible behind the summary, in every session. */
export const VISIBLE_MESSAGES = 60;
const AT_ONCE = 2_000;
const CONDENSE_ID = "condense-bench";

/** Fills a session in bounded steps: a million messages are never in memory together because of this bench. */
export async function fillFolded(session: Session, hiddenMessages: number): Promise<void> {
  for (let start = 0; start < hiddenMessages; start += AT_ONCE) {
    const count = Math.min(AT_ONCE, hiddenMessages - start);
    await session.append(...turns(count, start).map((message) => ({ ...message, condenseParent: CONDENSE_ID })));
  }
  const standIn: Message = {
    id: CONDENSE_ID,
    role: "user",
    content: `Notes of ${hiddenMessages} messages. ${proseCorpus(4_000, 7)}`,
    isSummary: true,
    condenseId: CONDENSE_ID,
  };
  await session.append(standIn, ...turns(VISIBLE_MESSAGES, hiddenMessages));
}

/** A request, calls with their results, and an answer; no two texts are the same. */
export function turns(count: number, firstId: number): readonly Message[] {
  const words = proseCorpus(count * CHARACTERS, firstId + 1);
  return Array.from({ length: count }, (_, index) =>
    messageOf(firstId + index, words.slice(index * CHARACTERS, (index + 1) * CHARACTERS)),
  );
}

function messageOf(number: number, text: string): Message {
  const id = `m${number}`;
  switch (number % 20) {
    case 0:
      return { id, role: "user", content: `Request ${number}: ${text}` };
    case 19:
      return { id, role: "assistant", content: `Done with ${number}. ${text}` };
    default:
      if (number % 2 === 1) {
        const input = { file_path: `src/part-${number % 997}.ts` };
        return { id, role: "assistant", content: [{ type: "tool_use", id: `call-${number}`, name: "Read", input }] };
      }
      return { id, role: "user", content: [{ type: "tool_result", tool_use_id: `call-${number - 1}`, content: text }] };
  }
}
