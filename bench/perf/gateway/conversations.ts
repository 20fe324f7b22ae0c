/** Conversations of an agent as requests of the Anthropic Messages API: each holds all that was said before. */
import { codeCorpus, jsonCorpus, proseCorpus } from "../corpora.ts";

export interface ConversationSettings {
  readonly model: string;
  /** Of the first request's body, about. */
  readonly bytes: number;
  /** Of what each tool gives back, about. */
  readonly resultBytes: number;
}

/** A conversation that grows. */
export interface Conversation {
  readonly sessionId: string;
  /** The next request's body: one call of a tool and its result longer than the one before. */
  nextBody(): Buffer;
}

const CORPUS_CHARACTERS = 2_000_000;
/** A small one, so that a whole request can have a kilobyte. */
const TOOLS = [{ name: "Read", description: "Reads a file.", input_schema: { type: "object" } }];
const SYSTEM_PROMPT = "You are a careful engineer. Read before you write.";
const MAX_TOKENS = 4_096;

let texts: readonly string[] | undefined;
let conversations = 0;

/** No two of them have a message in common. */
export function startConversation({ model, bytes, resultBytes }: ConversationSettings): Conversation {
  const number = conversations++;
  const system = [{ type: "text", text: SYSTEM_PROMPT, cache_control: { type: "ephemeral" } }];
  const head = JSON.stringify({ model, max_tokens: MAX_TOKENS, system, tools: TOOLS }).slice(0, -1);
  const opening = `Conversation ${number}: see why the build fails, and mend it.`;
  const items = [JSON.stringify({ role: "user", content: [{ type: "text", text: opening }] })];
  let turns = 0;
  let length = head.length + (items[0]?.length ?? 0);

  function addTurn(): void {
    const id = `toolu_${number}_${turns}`;
    const [path, text] = [`src/part-${turns % 97}.ts`, textOf(resultBytes, number * 7_919 + turns * 104_729)];
    const call = { type: "tool_use", id, name: "Read", input: { file_path: path } };
    const result = { type: "tool_result", tool_use_id: id, content: `${number}.${turns} ${text}` };
    for (const [role, block] of [["assistant", call] as const, ["user", result] as const]) {
      const item = JSON.stringify({ role, content: [block] });
      items.push(item);
      length += item.length;
    }
    turns += 1;
  }

  while (length < bytes) addTurn();
  return {
    sessionId: `bench-${process.pid}-${number}`,
    nextBody: () => {
      addTurn();
      const last = items.at(-1) ?? "";
      return Buffer.from(`${head},"messages":[${[...items.slice(0, -1), marked(last)].join(",")}]}`);
    },
  };
}

/** Agents mark the end of what shall be cached: the mark moves with each request. */
function marked(item: string): string {
  return item.replace(/\}\]\}$/, `,"cache_control":{"type":"ephemeral"}}]}`);
}

/** Code, prose or JSON from some place of much text. */
function textOf(bytes: number, place: number): string {
  texts ??= [codeCorpus, proseCorpus, jsonCorpus].map((corpus, kind) => corpus(CORPUS_CHARACTERS, kind + 1));
  const start = place % (CORPUS_CHARACTERS - bytes);
  return texts[place % texts.length]?.slice(start, start + bytes) ?? "";
}
