/** Conversations of an agent as requests of the Anthropic Messages API: each holds all that was said before. */
import { codeCorpus, jsonCorpus, proseCorpus } from "../corpora.ts";

export interface ConversationSettings {
  readonly model: string;
  /** Of the first request's body, about. */
  readonly bytes: number;
  /** Of what each call of a tool gives back, about. */
  readonly resultBytes: number;
  readonly isStreaming?: boolean;
}

export interface AgentRequest {
  readonly sessionId: string;
  readonly body: Buffer;
}

/** A conversation that grows. */
export interface Conversation {
  /** One call of a tool and its result longer than the one before. */
  next(): AgentRequest;
}

const CORPUS_CHARACTERS = 2_000_000;
// Short ones, so that a whole request can have a kilobyte.
const TOOLS = [{ name: "Read", input_schema: { type: "object" } }];
const SYSTEM = "You are a careful engineer.";
const MAX_TOKENS = 4_096;
/** Far from each other, so that texts differ. */
const [CONVERSATION_STEP, TURN_STEP] = [7_919, 104_729];

let texts: readonly string[] | undefined;
let conversations = 0;

/** No two of them have a message in common. */
export function startConversation({ model, bytes, resultBytes, isStreaming }: ConversationSettings): Conversation {
  const number = conversations++;
  const head = {
    model,
    max_tokens: MAX_TOKENS,
    ...(isStreaming ? { stream: true } : {}),
    system: SYSTEM,
    tools: TOOLS,
  };
  const beginning = `${JSON.stringify(head).slice(0, -1)},"messages":[`;
  const opening = { type: "text", text: `See why build ${number} fails, and mend it.` };
  const items = [JSON.stringify({ role: "user", content: [opening] })];
  let turns = 0;

  /** Returns its length. */
  function addTurn(): number {
    const id = `toolu_${number}_${turns}`;
    const text = textAt({ conversation: number, turn: turns, bytes: resultBytes });
    const call = { type: "tool_use", id, name: "Read", input: { file_path: `src/part-${turns % 97}.ts` } };
    const result = { type: "tool_result", tool_use_id: id, content: `${number}.${turns} ${text}` };
    const added = [
      JSON.stringify({ role: "assistant", content: [call] }),
      JSON.stringify({ role: "user", content: [result] }),
    ];
    items.push(...added);
    turns += 1;
    return added.join().length;
  }

  for (let length = beginning.length + items.join().length; length < bytes; ) length += addTurn();
  return {
    next: () => {
      addTurn();
      const body = `${beginning}${[...items.slice(0, -1), marked(items.at(-1) ?? "")].join(",")}]}`;
      return { sessionId: `bench-${process.pid}-${number}`, body: Buffer.from(body) };
    },
  };
}

/** Agents mark the end of what shall be cached: the mark moves with each request. */
function marked(item: string): string {
  return item.replace(/\}\]\}$/, `,"cache_control":{"type":"ephemeral"}}]}`);
}

interface TextPlace {
  readonly conversation: number;
  readonly turn: number;
  readonly bytes: number;
}

/** Code, prose or JSON; another text for each turn of each conversation. */
export function textAt({ conversation, turn, bytes }: TextPlace): string {
  const place = conversation * CONVERSATION_STEP + turn * TURN_STEP;
  texts ??= [codeCorpus, proseCorpus, jsonCorpus].map((corpus, kind) => corpus(CORPUS_CHARACTERS, kind + 1));
  const start = place % (CORPUS_CHARACTERS - bytes);
  return texts[place % texts.length]?.slice(start, start + bytes) ?? "";
}
